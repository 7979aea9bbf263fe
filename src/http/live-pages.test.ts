import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../infra/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { Session } from '../modules/accounts/index.ts'
import { LivePages } from './live-pages.ts'

const sessionOf = (id: string) => ({ account: { id } }) as Session

function openPages() {
  const live = new LivePages({
    sessions: { read: () => new Promise(() => undefined) },
    notices: { subscribe: () => () => undefined, onGap: () => undefined },
    clock: { ...systemClock, now: () => 0, after: () => () => undefined },
    failures: { failed: () => () => undefined, lost: () => () => undefined },
  })
  /** How many streams each account has. */
  const held = new Map<string, number>()
  const open = (account: string): 'open' | 'refused' => {
    const count = (by: number) => held.set(account, (held.get(account) ?? 0) + by)
    let close: (() => void) | undefined
    const end = () => {
      count(-1)
      close?.()
    }
    try {
      close = live.follow(sessionOf(account), 'token', 0).open({ send: () => undefined, end })
    } catch (error) {
      assert.ok(error instanceof AppError && error.status === 429 && error.retryAfterSeconds !== undefined)
      assert.match(String(error.body.detail), /read again now and then/)
      return 'refused'
    }
    count(1)
    return 'open'
  }
  return { open, held }
}

test('a hundred accounts held every stream, and a merchant’s page stood still: the account with the most gives one up to one with fewer', () => {
  const { open, held } = openPages()
  for (let at = 0; at < 100; at++) for (let page = 0; page < 20; page++) assert.equal(open(`crowd ${at}`), 'open')
  assert.equal(open('crowd 7'), 'refused', 'an account has its own bound')
  assert.equal(open('shop'), 'open')
  assert.equal(held.get('shop'), 1)
  assert.equal(
    [...held.values()].reduce((sum, count) => sum + count),
    2_000,
    'there are not more than before',
  )
  for (let page = 1; page < 19; page++) assert.equal(open('shop'), 'open')
  assert.equal(open('shop'), 'refused', 'nobody has more than one more than it')
  assert.ok([...held.values()].every((count) => count >= 19))
})

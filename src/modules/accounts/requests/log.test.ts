import { OPERATOR } from '../../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../../kernel/ctx.ts'
import { TestClock } from '../../../../test/support/clock.ts'
import { ENGINES, openFresh } from '../../../../test/support/engines.ts'
import { forgetExpired } from '../jobs.ts'
import { RequestLog } from './log.ts'
import { listRequests } from './store.ts'

const HOUR = 3_600_000
const caller = (accountId: string): Caller => ({
  kind: 'account',
  accountId,
  role: 'user',
  prepaid: false,
  access: 'secret-key',
  actor: OPERATOR,
  keyId: `key_${accountId}`,
  rights: undefined,
})
const answered = (status = 200) => ({
  requestId: 'r-1',
  action: 'block_count',
  status,
  code: status < 400 ? undefined : 'invalid_request',
  milliseconds: 1.5,
})

for (const engine of ENGINES) {
  test(`${engine}: a busy account fills its own log with a sample, and takes no row from a quiet one`, async (t) => {
    const clock = new TestClock()
    const { ctx } = await openFresh(t, engine)
    const log = new RequestLog({ ...ctx, clock })
    for (let sent = 0; sent < 1_020; sent++) log.note(caller('acc_busy'), answered())
    for (let sent = 0; sent < 30; sent++) log.note(caller('acc_busy'), answered(400))
    log.note(caller('acc_quiet'), answered())
    log.note({ kind: 'anonymous' }, answered())
    await log.flush()
    const of = (accountId: string, filter = {}) =>
      listRequests(ctx.db, { accountId, ...filter }, { before: undefined, limit: 1_000 })
    const busy = await of('acc_busy')
    assert.equal(busy.length, 20 + 10 + 20)
    assert.equal(
      busy.filter(({ status }) => status === 200).reduce((sum, { standsFor }) => sum + standsFor, 0),
      1_020,
    )
    assert.equal((await of('acc_busy', { outcome: 'failed' })).length, 20)
    const [quiet, ...others] = await of('acc_quiet')
    assert.deepEqual(
      [quiet?.action, quiet?.keyId, quiet?.microseconds, others],
      ['block_count', 'key_acc_quiet', 1_500, []],
    )
    clock.advance(25 * HOUR)
    log.note(caller('acc_quiet'), answered())
    await log.flush()
    const { signal } = new AbortController()
    await forgetExpired({ ...ctx, clock }, { keepRequests: 24 * HOUR }).run(undefined, signal)
    assert.deepEqual([(await of('acc_busy')).length, (await of('acc_quiet')).length], [0, 1])
  })
}

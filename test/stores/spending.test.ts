import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyRights } from '../../src/kernel/rights.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { inTx } from '../../src/kernel/in-tx.ts'
import { releaseSpends, reserveSpend } from '../../src/modules/accounts/domain/spending.ts'
import { findSpent } from '../../src/modules/accounts/spends-store.ts'
import { forEachEngine } from '../support/engines.ts'

const NOW = Date.UTC(2026, 10, 16)
const DAY = '2026-11-16'
const limit = (id: string) => ({ id, perMinute: undefined, spendDaily: toRaw(1_000_000n) })
const rights: KeyRights = { scopes: undefined, limits: [limit('key_b'), limit('key_a')] }

forEachEngine((_engine, open) => {
  // A shop cancelled an email payment while it was being paid, and its send failed with a database error.
  test('a payment that is given up while a send takes its place ends neither of the two, and the sum is that of what is left', async (t) => {
    const { ctx } = await open(t)
    const reserve = (reference: string, amount: bigint, covers?: string) =>
      inTx(ctx, ({ db }) =>
        reserveSpend(db, {
          rights,
          amount: toRaw(amount),
          reference,
          now: NOW,
          ...(covers !== undefined && { covers }),
        }),
      )
    const rounds = 30
    for (let round = 0; round < rounds; round++) {
      const pledge = `to:${round}`
      await reserve(pledge, 5n)
      await Promise.all([reserve(`send:${round}`, 7n, pledge), inTx(ctx, ({ db }) => releaseSpends(db, [pledge]))])
      for (const limitId of ['key_a', 'key_b']) {
        assert.equal(await findSpent(ctx.db, { limitId, day: DAY }), BigInt(7 * (round + 1)), `round ${round}`)
      }
    }
    // When all are released, each whatever it had replaced, only that is left.
    await reserve('to:last', 3n)
    await reserve('send:last', 4n, 'to:last')
    const sends = Array.from({ length: rounds }, (_, round) => `send:${round}`)
    await inTx(ctx, ({ db }) => releaseSpends(db, ['send:last']))
    assert.equal(await findSpent(ctx.db, { limitId: 'key_a', day: DAY }), BigInt(7 * rounds + 3))
    await inTx(ctx, ({ db }) => releaseSpends(db, [...sends, 'to:last']))
    const [{ count }] = (await ctx.db
      .selectFrom('key_spends')
      .select(({ fn }) => fn.countAll<string | number>().as('count'))
      .execute()) as [{ count: string | number }]
    const left = await findSpent(ctx.db, { limitId: 'key_a', day: DAY })
    // A reservation released before its send was refused is not recognised as released any more: it counts until the day ends.
    assert.equal(left, BigInt(5 * Number(count)) / 2n)
  })

  test('what a key spends today does not count on another day on which it had spent as much', async (t) => {
    const { ctx } = await open(t)
    const spend = (reference: string, amount: bigint, now: number) =>
      inTx(ctx, ({ db }) => reserveSpend(db, { rights, amount: toRaw(amount), reference, now }))
    await spend('before', 5n, NOW - 86_400_000)
    await spend('one', 5n, NOW)
    await spend('two', 2n, NOW)
    const days = ['2026-11-15', DAY].map((day) => findSpent(ctx.db, { limitId: 'key_a', day }))
    assert.deepEqual(await Promise.all(days), [5n, 7n])
  })
})

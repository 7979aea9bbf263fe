import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { commitCredits, createAccount, releaseCredits, reserveCredits } from '../../src/modules/accounts/index.ts'
import { grantCredits, releaseExpired } from '../../src/modules/accounts/domain/credits.ts'
import { type UsageCount, addUsage, findAvailable, listUsage } from '../../src/modules/accounts/credits-store.ts'
import { assertCreditsBalance } from '../support/credits.ts'
import { forEachEngine } from '../support/engines.ts'
import { repeat } from '../support/random.ts'

const RESERVED_MILLISECONDS = 10 * 60_000

async function accountWith(ctx: StoreCtx, credits: number): Promise<string> {
  const { id } = await createAccount(ctx, { email: null, role: 'user', actor: OPERATOR })
  const grant = { accountId: id, amount: credits, reason: 'test', reference: `start:${id}`, actor: OPERATOR }
  assert.equal(await grantCredits(ctx, grant), 'granted')
  return id
}

const refusedForCredits = (error: unknown) => (error as { code?: string }).code === 'insufficient_credits'

forEachEngine((_engine, open) => {
  const openTwo = async (t: TestContext) => {
    const { ctx, clock, openAnother } = await open(t)
    return { ctx, clock, stores: [ctx, (await openAnother()).ctx] }
  }

  test('64 callers on two instances spend the last 100 credits, and not one more (contract 8, rules 6 and 7; 3, rule 16)', async (t) => {
    const { ctx, stores } = await openTwo(t)
    const accountId = await accountWith(ctx, 100)
    let spent = 0
    await Promise.all(
      Array.from({ length: 64 }, async (_, caller) => {
        const mine = stores[caller % 2]!
        for (;;) {
          const reservation = await reserveCredits(mine, accountId, 1 + (caller % 3)).catch((error: unknown) => {
            assert.ok(refusedForCredits(error), String(error))
            return undefined
          })
          if (!reservation) return
          assert.equal(
            await commitCredits(mine, { reservationId: reservation.id, reason: 'work', actor: OPERATOR }),
            true,
          )
          spent += reservation.amount
        }
      }),
    )
    assert.equal(spent, 100)
    assert.equal(await findAvailable(ctx.db, accountId), 0)
    const told = await ctx.db.selectFrom('audit_entries').where('what', '=', 'credits.spent').select('detail').execute()
    const amounts = told.map(({ detail }) => (JSON.parse(detail) as { amount: number }).amount)
    assert.equal(
      amounts.reduce((sum, amount) => sum + amount, 0),
      100,
      'the audit has each spending once',
    )
    await assertCreditsBalance(ctx.db)
  })

  test('a payment reported 16 times at once is granted once (contract 8, rule 11; 4.1, rule 19)', async (t) => {
    const { ctx, stores } = await openTwo(t)
    const accountId = await accountWith(ctx, 1)
    const grant = { accountId, amount: 50, reason: 'payment', reference: 'block:ABC', actor: OPERATOR }
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, (_, index) => grantCredits(stores[index % 2]!, grant)),
    )
    assert.equal(outcomes.filter((outcome) => outcome === 'granted').length, 1)
    assert.equal(await findAvailable(ctx.db, accountId), 51)
    const told = await ctx.db.selectFrom('audit_entries').where('what', '=', 'credits.granted').selectAll().execute()
    assert.equal(told.length, 2, 'the audit tells each grant once')
    await assertCreditsBalance(ctx.db)
  })

  test('a reservation ends once, even if it is committed and released at the same time (contract 8, rule 6)', async (t) => {
    const { ctx, stores } = await openTwo(t)
    const accountId = await accountWith(ctx, 300)
    let committed = 0
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        const { id } = await reserveCredits(ctx, accountId, 10)
        const ends = await Promise.all(
          [0, 1, 2, 3].map((end) =>
            end % 2 === 0
              ? commitCredits(stores[end >> 1]!, { reservationId: id, reason: 'work', actor: OPERATOR })
              : releaseCredits(stores[end >> 1]!, id),
          ),
        )
        assert.equal(ends.filter(Boolean).length, 1)
        if (ends[0] || ends[2]) committed++
      }),
    )
    assert.equal(await findAvailable(ctx.db, accountId), 300 - committed * 10)
    await assertCreditsBalance(ctx.db)
  })

  test('reservations of a process that crashed are released when they expire, and can then not be committed', async (t) => {
    const { ctx, stores, clock } = await openTwo(t)
    const accountId = await accountWith(ctx, 20)
    const orphans = await Promise.all([3, 4, 5].map((amount) => reserveCredits(ctx, accountId, amount)))
    clock.advance(RESERVED_MILLISECONDS)
    const fresh = await reserveCredits(ctx, accountId, 6)
    await releaseExpired(ctx, 100)
    assert.equal(await findAvailable(ctx.db, accountId), 2)
    clock.advance(1)
    await Promise.all(stores.map((mine) => releaseExpired(mine, 100)))
    assert.equal(await findAvailable(ctx.db, accountId), 14)
    for (const { id } of orphans)
      assert.equal(await commitCredits(ctx, { reservationId: id, reason: 'late', actor: OPERATOR }), false)
    assert.equal(await commitCredits(ctx, { reservationId: fresh.id, reason: 'work', actor: OPERATOR }), true)
    assert.equal(await findAvailable(ctx.db, accountId), 14)
    await assertCreditsBalance(ctx.db)
  })

  test('after any mixture of calls, balances are the sum of entries less what is reserved', async (t) => {
    const { ctx, stores, clock } = await openTwo(t)
    const accounts = await Promise.all([10, 20, 30].map((credits) => accountWith(ctx, credits)))
    const known: string[] = []
    await repeat(4, async (random) => {
      const step = async (): Promise<void> => {
        const mine = random.pick(stores)
        const accountId = random.pick(accounts)
        const amount = 1 + random.below(15)
        switch (random.below(5)) {
          case 0: {
            const reference = `grant:${random.below(12)}`
            await grantCredits(mine, { accountId, amount, reason: 'test', reference, actor: OPERATOR })
            return
          }
          case 1:
            await commitCredits(mine, {
              reservationId: random.pick(['rsv_unknown', ...known]),
              reason: 'work',
              actor: OPERATOR,
            })
            return
          case 2:
            await releaseCredits(mine, random.pick(['rsv_unknown', ...known]))
            return
          default:
            await reserveCredits(mine, accountId, amount).then(
              ({ id }) => known.push(id),
              (error: unknown) => assert.ok(refusedForCredits(error), String(error)),
            )
        }
      }
      await Promise.all(Array.from({ length: 60 }, step))
      clock.advance(RESERVED_MILLISECONDS / 2)
      await releaseExpired(ctx, 1000)
      await assertCreditsBalance(ctx.db)
    })
  })

  test('a batch of usage flushed again and again counts once; a flush that fails counts nothing and can be repeated', async (t) => {
    const { ctx, stores } = await openTwo(t)
    const day = { accountId: 'acc_1', day: '2026-11-15' }
    const counts = [
      { ...day, action: 'process', count: 2 },
      { ...day, action: 'receivable', count: 5 },
      // The same again, as from a second counter of one instance.
      { ...day, action: 'process', count: 1 },
    ]
    const flush = ({ db, clock }: StoreCtx, batch: string, fails = false) =>
      db.transaction().execute(async (tx) => {
        const isNew = await addUsage(tx, batch, counts, clock.now())
        if (fails) throw new Error('power cut')
        return isNew
      })
    await assert.rejects(flush(ctx, 'batch_1', true), /power cut/)
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, index) => flush(stores[index % 2]!, 'batch_1')))
    assert.equal(outcomes.filter(Boolean).length, 1)
    assert.equal(await flush(ctx, 'batch_2'), true)
    const usage = await listUsage(ctx.db, 'acc_1', '2026-11-01')
    const found = Object.fromEntries(usage.map(({ action, count }) => [action, count]))
    assert.deepEqual(found, { process: 6, receivable: 10 })
  })

  // Each instance lists its counters in the order in which its callers came.
  test('instances that flush the same counters in different orders do not block each other', async (t) => {
    const { ctx, stores } = await openTwo(t)
    const one = { day: '2026-11-15', action: 'process', count: 1 }
    const counts = Array.from({ length: 3_000 }, (_, index): UsageCount => ({ accountId: `acc_${index}`, ...one }))
    await Promise.all(
      Array.from({ length: 8 }, (_, batch) =>
        stores[batch % 2]!.db.transaction().execute((tx) =>
          addUsage(tx, `batch_${batch}`, batch % 2 === 0 ? counts : counts.toReversed(), 1),
        ),
      ),
    )
    const rows = await ctx.db.selectFrom('usage_days').select('count').execute()
    assert.equal(rows.length, 3_000)
    assert.ok(rows.every(({ count }) => count === 8))
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { Db } from '../../src/kernel/db.ts'
import { up as createSums } from '../../src/modules/checkout/migrations/0023-checkout-sums.ts'
import { countByStatus, sumRevenue } from '../../src/modules/checkout/report-store.ts'
import type { Filter } from '../../src/modules/checkout/sums-store.ts'
import { countMadeDays, listAccountTotals, sumRevenueDays } from '../../src/modules/checkout/sums-store.ts'
import { addCheckout } from '../support/checkout-context.ts'
import { forEachEngine } from '../support/engines.ts'
import { SEED, SeededRandom } from '../support/random.ts'

const DAY = 86_400_000
const STATUSES = ['pending', 'detected', 'partial', 'complete', 'expired', 'cancelled'] as const
const OWNERS = ['acc_a', 'acc_b', 'anonymous']
const KEYS = ['key_1', 'key_2', null]

function randomTerms(random: SeededRandom) {
  const status = random.pick(STATUSES)
  return {
    status,
    currency: random.pick(['NANO', 'EUR']),
    price_e8: random.below(3) === 0 ? null : String(random.bigint(60)),
    // More than JavaScript or SQLite numbers can hold.
    paid_raw: String(random.bigint(127)),
    paid_at: status === 'complete' ? random.below(6 * DAY) : null,
  }
}

/** Rows are made, changed, paid late, reverted and deleted. */
async function live(db: Db, random: SeededRandom): Promise<void> {
  for (let at = 0; at < 60; at++) {
    const whose = { owner: random.pick(OWNERS), key_id: random.pick(KEYS) }
    const when = { created_at: random.below(6 * DAY), hidden_at: random.below(5) === 0 ? 4 : null }
    await addCheckout(db, `c${at}`, { ...whose, ...when, ...randomTerms(random) })
  }
  for (let times = 0; times < 60; times++) {
    const id = `c${random.below(60)}`
    if (random.below(8) === 0) await db.deleteFrom('checkouts').where('id', '=', id).execute()
    else await db.updateTable('checkouts').set(randomTerms(random)).where('id', '=', id).execute()
  }
  // Rolled back as a whole.
  const failed = db.transaction().execute(async (tx) => {
    await tx.updateTable('checkouts').set(randomTerms(random)).execute()
    throw new Error('rolled back')
  })
  await assert.rejects(failed, /rolled back/)
}

async function compare(db: Db, engine: StoreEngine, random: SeededRandom): Promise<void> {
  const filters: Filter[] = [
    {},
    { owner: 'acc_a' },
    { from: 2 * DAY, to: 4 * DAY },
    { from: 3 * DAY + 5, to: 3 * DAY + 9 },
  ]
  for (let times = 0; times < 30; times++) {
    const [from, to] = [random.below(4 * DAY), 2 * DAY + random.below(4 * DAY)]
    filters.push({
      ...(random.below(2) === 0 && { owner: random.pick(OWNERS) }),
      ...(random.below(3) === 0 && { keyIds: ['key_1'] }),
      ...(random.below(3) === 0 && { otherKeyIds: ['key_1', 'key_3'] }),
      ...(random.below(3) === 0 && { status: random.pick(STATUSES) }),
      ...(random.below(2) === 0 && { from }),
      ...(random.below(2) === 0 && { to }),
    })
  }
  for (const filter of filters) {
    for (const includeHidden of [true, false]) {
      const summed = { ...filter, includeHidden }
      // The same query on the rows themselves. The sums do not have this field, which is the same for all rows.
      const counted = { ...summed, additional: 'none' as const }
      const text = JSON.stringify(summed)
      assert.deepEqual(await countByStatus(db, engine, summed), await countByStatus(db, engine, counted), text)
      assert.deepEqual(await sumRevenue(db, engine, summed), await sumRevenue(db, engine, counted), text)
    }
  }
}

const total = (amounts: (string | null)[]) => amounts.reduce((sum, amount) => sum + BigInt(amount ?? 0), 0n)

async function compareDays(db: Db, engine: StoreEngine): Promise<void> {
  const rows = await db.selectFrom('checkouts').selectAll().execute()
  for (const owner of [undefined, ...OWNERS]) {
    const own = rows.filter((row) => owner === undefined || row.owner === owner)
    const made = await countMadeDays(db, { owner, since: 2 * DAY })
    const paid = await sumRevenueDays(db, engine, { owner, since: 2 * DAY })
    for (let day = 0; day < 6; day++) {
      const ofDay = own.filter((row) => day >= 2 && Math.floor(row.created_at / DAY) === day)
      const complete = ofDay.filter(({ status }) => status === 'complete').length
      const found = made.find((one) => one.day === day)
      assert.deepEqual([found?.made ?? 0, found?.completed ?? 0], [ofDay.length, complete])
      for (const currency of ['NANO', 'EUR']) {
        const isSold = (row: (typeof own)[number]) => row.status === 'complete' && row.currency === currency
        const sold = own.filter((row) => day >= 2 && isSold(row) && Math.floor(row.paid_at! / DAY) === day)
        const sum = paid.find((one) => one.day === day && one.currency === currency)
        assert.deepEqual(
          [sum?.count ?? 0, sum?.raw ?? 0n, sum?.e8 ?? 0n],
          [sold.length, total(sold.map(({ paid_raw: raw }) => raw)), total(sold.map(({ price_e8: e8 }) => e8))],
        )
      }
    }
  }
  for (const { owner, total: made, complete, raw } of await listAccountTotals(db, engine, 10)) {
    const own = rows.filter((row) => row.owner === owner)
    const won = own.filter(({ status }) => status === 'complete')
    assert.deepEqual([made, complete, raw], [own.length, won.length, total(won.map(({ paid_raw: paid }) => paid))])
  }
}

forEachEngine((engine, open) => {
  test(`a report from sums is to the raw what the checkouts themselves come to, whatever happens to them (seed ${SEED})`, async (t) => {
    const { db } = (await open(t)).ctx
    const random = new SeededRandom(SEED)
    await live(db, random)
    await compare(db, engine, random)
    await compareDays(db, engine)
  })

  test(`a store of the version before gets the sums of what it holds (seed ${SEED})`, async (t) => {
    const { db } = (await open(t)).ctx
    const random = new SeededRandom(SEED)
    await live(db, random)
    for (const name of engine === 'sqlite' ? ['made', 'changed', 'gone'] : ['made', 'changed']) {
      const on = engine === 'sqlite' ? '' : ' on checkouts'
      await sql.raw(`drop trigger checkout_sums_${name}${on}`).execute(db)
    }
    if (engine === 'postgres') await sql`drop function keep_checkout_sums`.execute(db)
    await sql`drop table checkout_sums`.execute(db)
    await sql`drop table checkout_paid_sums`.execute(db)
    await createSums(db as unknown as Kysely<unknown>, engine)
    await compare(db, engine, random)
    await db.updateTable('checkouts').set(randomTerms(random)).where('owner', '=', 'acc_a').execute()
    await compare(db, engine, random)
    await compareDays(db, engine)
  })
})

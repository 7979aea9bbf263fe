import type { Db } from '../../src/kernel/db.ts'
import type { Made } from './made.ts'
import type { ChaosWorld } from './world.ts'

const listCounted = (db: Db, owner: string) =>
  db.selectFrom('checkout_payments').selectAll().where('owner', '=', owner).execute()

/** Sales that were paid in full, by one payment of the exact amount or by several to their own address. */
const listDue = ({ sales, marketPayments }: Made) =>
  sales.filter(({ id, amountRaw, paidRaw }) => {
    const isExact = marketPayments.some((payment) => payment.saleId === id && payment.amountRaw === amountRaw)
    return isExact || paidRaw >= amountRaw
  })

export async function countUnpaidSales({ store: { db } }: ChaosWorld, made: Made): Promise<number> {
  const rows = await db.selectFrom('checkouts').select(['id', 'status']).where('status', '=', 'complete').execute()
  const complete = new Set(rows.map(({ id }) => id))
  return listDue(made).filter(({ id }) => !complete.has(id)).length
}

/**
 * One merchant with one address that is used in every way of being paid. Each payment must be recorded at most once: where its payer meant it, or as
 * unmatched. The gateway's own sends must not be recorded, and no more may be refunded than was paid.
 */
export async function checkMarket({ store: { db }, market }: ChaosWorld, made: Made): Promise<string[]> {
  const owner = market.accountId
  const [rows, checkouts, refunds] = await Promise.all([
    listCounted(db, owner),
    db.selectFrom('checkouts').selectAll().where('owner', '=', owner).execute(),
    db.selectFrom('checkout_refunds').selectAll().where('owner', '=', owner).execute(),
  ])
  return compareBooks({ rows, checkouts, refunds }, made)
}

interface Books {
  rows: readonly { block_hash: string; checkout_id: string | null; kind: string; amount_raw: string }[]
  checkouts: readonly { id: string; status: string; paid_raw: string }[]
  refunds: readonly { id: string; checkout_id: string; status: string; amount_raw: string }[]
}

export function compareBooks(
  { rows, checkouts, refunds }: Books,
  made: Pick<Made, 'sales' | 'marketPayments'>,
): string[] {
  const wrong: string[] = []
  const paid = new Map(made.marketPayments.map((payment) => [payment.hash, payment]))
  const seen = new Set<string>()
  for (const { block_hash: hash, checkout_id: id, kind, amount_raw: amount } of rows) {
    if (seen.has(hash)) wrong.push(`payment ${hash} stands in the books twice`)
    seen.add(hash)
    const payment = paid.get(hash)
    if (!payment) wrong.push(`${hash} stands in the books as ${kind} of ${id}, and no customer has sent it`)
    else if (payment.amountRaw !== BigInt(amount)) wrong.push(`payment ${hash} stands in the books as ${amount} raw`)
    else if (kind !== 'unmatched' && id !== payment.saleId) {
      wrong.push(`payment ${hash} was meant for ${payment.saleId ?? 'nothing'} and is ${kind} for ${id}`)
    }
  }
  const sum = (amounts: Iterable<{ amount_raw: string }>) =>
    [...amounts].reduce((total, { amount_raw: amount }) => total + BigInt(amount), 0n)
  for (const { id, status, paid_raw: counted } of checkouts) {
    const own = rows.filter((row) => row.checkout_id === id && row.kind !== 'unmatched')
    const kept = own.filter(({ kind }) => kind === 'counted')
    if (sum(kept) !== BigInt(counted)) wrong.push(`sale ${id} counts ${counted} raw, and its payments are ${sum(kept)}`)
    if (status === 'complete' && kept.length === 0) wrong.push(`sale ${id} is complete, and nobody has paid it`)
    const back = sum(refunds.filter((refund) => refund.checkout_id === id && refund.status !== 'failed'))
    const got = sum(rows.filter((row) => row.checkout_id === id))
    if (back > got) wrong.push(`sale ${id} was paid ${got} raw and gave back ${back}`)
  }
  return wrong
}

import type { Selectable } from 'kysely'
import type { Db } from '../../src/kernel/db.ts'
import type { CheckoutRefundsTable } from '../../src/modules/checkout/refunds/store.ts'
import { checkEvents, countEach } from './check-events.ts'
import type { AskedRefund, Made } from './made.ts'
import type { ChaosWorld } from './world.ts'

type Row = Selectable<CheckoutRefundsTable>

export const listRefunds = (db: Db): Promise<Row[]> => db.selectFrom('checkout_refunds').selectAll().execute()

const isOver = ({ status, given_as: as }: Row) =>
  status === 'failed' || status === 'claimed' || (status === 'sent' && as === 'send')

export const countOpenRefunds = async (db: Db): Promise<number> =>
  (await listRefunds(db)).filter((row) => !isOver(row)).length

const sum = (rows: readonly Row[]) => rows.reduce((total, row) => total + BigInt(row.amount_raw), 0n)

/** Money that left the wallets of checkouts before it reached the merchants. */
export async function sumFromOwnWallets(db: Db, { checkouts, lapses }: Made): Promise<bigint> {
  const own = new Set([...checkouts, ...lapses].map(({ address }) => address))
  const rows = await listRefunds(db)
  return sum(rows.filter((row) => row.status !== 'failed' && own.has(row.from_address)))
}

/** Each refund must be made at most once and to the right recipient, and no more may be refunded than was paid. */
export async function checkRefunds(world: ChaosWorld, made: Made): Promise<string[]> {
  const { store, accountId, reader, money } = world
  const every = await listRefunds(store.db)
  const checkouts = await store.db.selectFrom('checkouts').select(['id', 'refunded_raw']).execute()
  // The market's refunds are checked against its own payments.
  const rows = every.filter(({ owner }) => owner === accountId)
  const wrong = compareRefunds(rows, made.refunds, accountId)
  const given = every.filter(({ status }) => status !== 'failed')
  const byCheckout = Map.groupBy(given, (row) => row.checkout_id)
  for (const { id, refunded_raw: counted } of checkouts) {
    const total = sum(byCheckout.get(id) ?? [])
    if (total !== BigInt(counted)) wrong.push(`checkout ${id} counts ${counted} raw as refunded, and it is ${total}`)
  }
  for (const { account } of money.payers) {
    const due = given.filter(({ given_as: as, address }) => as === 'send' && address === account.address)
    const refunds = due.map(({ id, hash, amount_raw: raw }) => ({ what: `refund ${id}`, hash, amountRaw: BigInt(raw) }))
    wrong.push(...compareArrived(await reader.listReceivable(account.address), refunds, 'refund'))
  }
  const told: [type: string, isMeant: (row: Row) => boolean][] = [
    ['refund.sent', (row) => row.sent_at !== null],
    ['refund.claimed', ({ status }) => status === 'claimed'],
    ['refund.failed', ({ status }) => status === 'failed'],
  ]
  for (const [type, isMeant] of told) {
    const expected = countEach(rows.filter(isMeant).map((row) => row.checkout_id))
    wrong.push(...(await checkEvents(world, type, expected)))
  }
  return wrong
}

/** Compares the store with what was requested. */
function compareRefunds(rows: readonly Row[], asked: readonly AskedRefund[], accountId: string): string[] {
  const wrong: string[] = []
  const unasked = new Set(rows)
  for (const { key, id, payer, as, paidRaw, checkoutId } of asked) {
    // A failed refund releases its key, so only its id finds it.
    const found = rows.filter((row) => row.reference === `${accountId}:${key}` || row.id === id)
    for (const row of found) unasked.delete(row)
    if (found.length > 1) wrong.push(`refund ${key} was made ${found.length} times`)
    if (id !== undefined && found[0]?.id !== id) wrong.push(`refund ${key} was acknowledged as ${id} and is lost`)
    for (const row of found) {
      const to = row.address
      if (row.checkout_id !== checkoutId || row.given_as !== as)
        wrong.push(`refund ${row.id} is not what was asked for`)
      if (as === 'send' && to !== payer) wrong.push(`refund ${row.id} went to ${to}, and ${payer} had paid`)
      // Declined refunds fail with `unclaimed`; no other failure is allowed.
      if (row.status === 'failed' && row.failure !== 'unclaimed') wrong.push(`refund ${row.id} failed: ${row.failure}`)
      const all = rows.filter((one) => one.checkout_id === checkoutId && one.status !== 'failed')
      if (sum(all) > paidRaw) wrong.push(`checkout ${checkoutId} was paid ${paidRaw} raw and gave back ${sum(all)}`)
    }
  }
  for (const { id } of unasked) wrong.push(`nobody asked for refund ${id}`)
  return wrong
}

/** Receivable money of payers and claimants: each refund or share once, and nothing else. */
export function compareArrived(
  arrived: ReadonlyMap<string, bigint>,
  due: readonly { what: string; hash: string | null; amountRaw: bigint }[],
  kind: 'refund' | 'share',
): string[] {
  const wrong: string[] = []
  const left = new Map(arrived)
  for (const { what, hash, amountRaw } of due) {
    if (left.get(hash ?? '') !== amountRaw) wrong.push(`${what} is not on the ledger as ${hash}`)
    left.delete(hash ?? '')
  }
  for (const [hash, amount] of left) wrong.push(`somebody got ${amount} raw by ${hash}, which is no ${kind}`)
  return wrong
}

import type { Db } from '../../src/kernel/db.ts'
import { compareArrived } from './check-refunds.ts'
import type { AskedShare, Made } from './made.ts'
import type { ChaosWorld } from './world.ts'

interface Share {
  of: string
  amountRaw: bigint
  status: string
  address: string | null
  /** Hash of the block that pays it. */
  hash: string | null
  wallet: string
}

/** Every share in the store that is or was claimable. */
async function listShares(db: Db): Promise<Share[]> {
  const rows = await db
    .selectFrom('email_recipients')
    .innerJoin('email_payments', 'email_payments.id', 'email_recipients.payment_id')
    .select(['email_recipients.id', 'email_recipients.status', 'claim_address', 'amount_raw', 'address', 'link_for'])
    .select('payment_id')
    .execute()
  const blocks = await db.selectFrom('wallet_blocks').select(['reference', 'hash']).execute()
  const hashes = new Map(blocks.map(({ reference, hash }) => [reference, hash]))
  return rows.map((row) => ({
    of: row.link_for ?? row.payment_id,
    amountRaw: BigInt(row.amount_raw),
    status: row.status,
    address: row.claim_address,
    hash: hashes.get(`payment:email-claim:${row.id}`) ?? null,
    wallet: row.address,
  }))
}

/** Unfinished payments, with their wallets. */
export async function countOpenClaims({ store: { db } }: ChaosWorld, { shares }: Made): Promise<number> {
  const rows = await db
    .selectFrom('email_payments')
    .innerJoin('wallets', 'wallets.id', 'email_payments.wallet_id')
    .select(['email_payments.id', 'link_for', 'email_payments.ended_at', 'wallets.status'])
    .execute()
  const asked = new Set(shares.map(({ of }) => of))
  const isOpen = (row: (typeof rows)[number]) => row.ended_at === null || row.status !== 'ended'
  return rows.filter((row) => asked.has(row.link_for ?? row.id) && isOpen(row)).length
}

/** Checks that each share was paid once, to its claimant or back to the sender, and that its wallet is empty. */
export async function checkClaims({ store, reader, money }: ChaosWorld, made: Made): Promise<string[]> {
  const known = await listShares(store.db)
  const wrong = compareShares(known, made.shares)
  for (const { address } of money.claimants) {
    const due = known.filter((share) => share.status === 'claimed' && share.address === address)
    const shares = due.map(({ of, hash, amountRaw }) => ({ what: `the share of ${of}`, hash, amountRaw }))
    wrong.push(...compareArrived(await reader.listReceivable(address), shares, 'share'))
  }
  const isMail = new Set(made.shares.flatMap(({ kind, of }) => (kind === 'mail' ? [of] : [])))
  const returned = known.filter(({ of, status }) => status === 'refunded' && isMail.has(of))
  const due = returned.reduce((total, { amountRaw }) => total + amountRaw, 0n)
  const back = await reader.readWealth(money.home.address)
  if (back !== due) wrong.push(`of payments by mail ${back} raw came back, and ${due} were declined`)
  for (const wallet of new Set(known.map(({ wallet }) => wallet))) {
    const held = await reader.readWealth(wallet)
    if (held !== 0n) wrong.push(`${held} raw are still at ${wallet}, whose shares are all fetched or declined`)
  }
  return wrong
}

/** Compares the store with the answers that claimants got. */
function compareShares(shares: readonly Share[], asked: readonly AskedShare[]): string[] {
  const wrong: string[] = []
  const byPayment = Map.groupBy(shares, ({ of }) => of)
  for (const { of, kind, amountRaw, claimedBy, declined } of asked) {
    const known = byPayment.get(of) ?? []
    const isIt = (share: Share) =>
      share.amountRaw === amountRaw &&
      (declined ? share.status === 'refunded' : share.status === 'claimed' && share.address === claimedBy)
    const at = known.findIndex(isIt)
    const fate = declined ? 'declined' : `claimed by ${claimedBy}`
    if (at < 0) wrong.push(`a share of ${kind} ${of} was ${fate}, and the store knows nothing of it`)
    else known.splice(at, 1)
  }
  return wrong
}

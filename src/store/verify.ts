import { sql } from 'kysely'
import type { Db, Tables } from '../kernel/db.ts'
import { formatNano, toRaw } from '../kernel/money.ts'
import { toAddress } from '../kernel/nano/address.ts'
import { previousOf } from '../kernel/nano/block.ts'
import { computeAmount, proveBlock, readContents, receiverOf } from '../kernel/nano/ledger-send.ts'
import { type JsonObject, toObject } from '../kernel/shape.ts'

/** Asks the ledger; the answer may be anything. */
export type AskLedger = (action: string, fields: object) => Promise<unknown>

/** A record of the store that contradicts the ledger or another record. */
export interface Disagreement {
  about: 'credits' | 'checkout' | 'payment' | 'wallet' | 'block'
  id: string
  what: string
}

export interface Verified {
  /** How many of each were checked. */
  looked: Record<Disagreement['about'], number>
  disagreements: Disagreement[]
  /** Whether more disagreements exist than are reported. */
  more: boolean
}

type Blocks = ReadonlyMap<string, JsonObject>
type Report = (found: Disagreement) => void

const PAGE = 500
const REPORTED_MAX = 1_000

/**
 * Verifies the store: sums against their parts, payments and the blocks of wallets against the ledger, wallets against their
 * accounts there. It changes nothing. What changes during the check may look wrong, so it is read a second time.
 */
export async function verifyStore(db: Db, ask: AskLedger): Promise<Verified> {
  const disagreements: Disagreement[] = []
  const looked = { credits: 0, checkout: 0, payment: 0, wallet: 0, block: 0 }
  let more = false
  const report: Report = (found) => {
    if (disagreements.length < REPORTED_MAX) disagreements.push(found)
    else more = true
  }
  looked.credits = await verifyCredits(db, report)
  looked.checkout = await verifySums(db, report)
  looked.payment = await verifyPayments(db, ask, report)
  looked.block = await verifyBlocks(db, ask, report)
  looked.wallet = await verifyWallets(db, ask, report)
  return { looked, disagreements, more }
}

/** An account's available and reserved credits must equal what was added less what was used. */
async function verifyCredits(db: Db, report: Report): Promise<number> {
  const { rows } = await sql<{
    account_id: string
    available: number
    open: string | number
    entered: string | number
  }>`
    select account_id, available,
      (select coalesce(sum(amount), 0) from credit_reservations r where r.account_id = b.account_id and r.status = 'open') as open,
      (select coalesce(sum(amount), 0) from credit_entries e where e.account_id = b.account_id) as entered
    from credit_balances b`.execute(db)
  for (const { account_id: id, ...sums } of rows) {
    const [available, open, entered] = [sums.available, Number(sums.open), Number(sums.entered)]
    if (available + open === entered) continue
    report({
      about: 'credits',
      id,
      what: `${available} to spend and ${open} set aside, but the entries come to ${entered}`,
    })
  }
  return rows.length
}

/** The paid amount of a checkout must be the sum of its payments. */
async function verifySums(db: Db, report: Report): Promise<number> {
  let looked = 0
  for (let after: string | undefined = ''; after !== undefined;) {
    const checkouts = await db
      .selectFrom('checkouts')
      .select(['id', 'paid_raw'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .execute()
    looked += checkouts.length
    const sums = await sumPayments(
      db,
      checkouts.map(({ id }) => id),
    )
    for (const { id, paid_raw } of checkouts) {
      const sum = sums.get(id) ?? 0n
      if (sum === BigInt(paid_raw)) continue
      report({ about: 'checkout', id, what: `says ${inNano(paid_raw)} paid, its payments come to ${inNano(sum)}` })
    }
    after = checkouts.length < PAGE ? undefined : checkouts.at(-1)!.id
  }
  return looked
}

async function sumPayments(db: Db, ids: string[]): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>()
  if (ids.length === 0) return sums
  const payments = await db
    .selectFrom('checkout_payments')
    .select(['checkout_id', 'amount_raw'])
    .where('checkout_id', 'in', ids)
    .where('kind', '<>', 'unmatched')
    .execute()
  for (const { checkout_id: id, amount_raw } of payments) sums.set(id!, (sums.get(id!) ?? 0n) + BigInt(amount_raw))
  return sums
}

/** Every payment must be a confirmed send on the ledger, of this amount, from this payer to this address. */
async function verifyPayments(db: Db, ask: AskLedger, report: Report): Promise<number> {
  let looked = 0
  let after: PaymentRow | undefined
  do {
    const payments = await listPayments(db, after)
    looked += payments.length
    const blocks = await askBlocks(
      ask,
      payments.map((payment) => payment.block_hash),
    )
    const previous = await askBlocks(ask, [...blocks].flatMap(previousIn))
    for (const payment of payments) {
      const wrong = wrongPayment(payment, blocks.get(payment.block_hash), previous)
      if (wrong !== undefined) report({ about: 'payment', id: payment.block_hash, what: wrong })
    }
    after = payments.length < PAGE ? undefined : payments.at(-1)
  } while (after)
  return looked
}

/** The block before a send, whose balance shows how much was sent. */
function previousIn([hash, reported]: [string, JsonObject]): string[] {
  const block = readContents(hash, reported.contents)
  return block ? [previousOf(block)] : []
}

function wrongPayment(payment: PaymentRow, reported: JsonObject | undefined, previous: Blocks): string | undefined {
  const wrong = wrongBlock(reported)
  if (wrong !== undefined) return wrong
  const proven = proveBlock(payment.block_hash, reported!, 0n)
  if (!proven) return 'the ledger does not show the block with this hash, signed by its sender'
  const { block, account } = proven
  const amountRaw = computeAmount(block, previous.get(previousOf(block)) ?? {})
  if (amountRaw === undefined) return 'is not a send on the ledger'
  return (
    differs('amount', amountRaw.toString(), payment.amount_raw) ??
    differs('payer', toAddress(account), payment.payer) ??
    differs('address', toAddress(receiverOf(block)!), payment.address)
  )
}

type PaymentRow = Pick<Tables['checkout_payments'], 'owner' | 'block_hash' | 'address' | 'payer' | 'amount_raw'>

function listPayments(db: Db, after: PaymentRow | undefined): Promise<PaymentRow[]> {
  const { owner, block_hash } = after ?? { owner: '', block_hash: '' }
  return db
    .selectFrom('checkout_payments')
    .select(['owner', 'block_hash', 'address', 'payer', 'amount_raw'])
    .where(({ eb }) =>
      eb.or([eb('owner', '>', owner), eb.and([eb('owner', '=', owner), eb('block_hash', '>', block_hash)])]),
    )
    .orderBy('owner')
    .orderBy('block_hash')
    .limit(PAGE)
    .execute()
}

/** Confirmed blocks of a wallet must be on the ledger, with the stored balance. */
async function verifyBlocks(db: Db, ask: AskLedger, report: Report): Promise<number> {
  let looked = 0
  for (let after: string | undefined = ''; after !== undefined;) {
    const blocks = await db
      .selectFrom('wallet_blocks')
      .select(['id', 'hash', 'balance_raw'])
      .where('id', '>', after)
      .where('status', '=', 'confirmed')
      .orderBy('id')
      .limit(PAGE)
      .execute()
    looked += blocks.length
    const found = await askBlocks(
      ask,
      blocks.map(({ hash }) => hash!),
    )
    for (const { id, hash, balance_raw } of blocks) {
      const block = found.get(hash!)
      const wrong = wrongBlock(block) ?? differs('balance', String(block!.balance), balance_raw)
      if (wrong !== undefined) report({ about: 'block', id, what: `${hash}: ${wrong}` })
    }
    after = blocks.length < PAGE ? undefined : blocks.at(-1)!.id
  }
  return looked
}

/** A wallet's frontier must equal that of its account, unless blocks of it are in progress. */
async function verifyWallets(db: Db, ask: AskLedger, report: Report): Promise<number> {
  let looked = 0
  for (let after: string | undefined = ''; after !== undefined;) {
    const wallets = await listWallets(db, after)
    looked += wallets.length
    for (const wallet of wallets) {
      const wrong = await wrongWallet(wallet, ask)
      if (wrong === undefined) continue
      // It may have changed between the two reads.
      const again = (await listWallets(db, wallet.id, true))[0]
      const still = again && (await wrongWallet(again, ask))
      if (still !== undefined) report({ about: 'wallet', id: wallet.id, what: still })
    }
    after = wallets.length < PAGE ? undefined : wallets.at(-1)!.id
  }
  return looked
}

interface WalletRow {
  id: string
  address: string
  frontier: string
  balance_raw: string
  /** PostgreSQL returns counts as text. */
  under_way: string | number
}

async function listWallets(db: Db, after: string, only = false): Promise<WalletRow[]> {
  const { rows } = await sql<WalletRow>`select id, address, frontier, balance_raw,
    (select count(*) from wallet_blocks b where b.wallet_id = w.id and b.status in ('signed', 'broadcast')) as under_way
    from wallets w where ${only ? sql`id = ${after}` : sql`id > ${after}`} order by id limit ${PAGE}`.execute(db)
  return rows
}

async function wrongWallet(
  { address, frontier, balance_raw, under_way }: WalletRow,
  ask: AskLedger,
): Promise<string | undefined> {
  const info = toObject(await ask('account_info', { account: address, include_confirmed: 'true' }))
  const isUnopened = info.error === 'Account not found'
  if (info.error !== undefined && !isUnopened) return `the ledger says: ${String(info.error)}`
  const there = isUnopened ? '0'.repeat(64) : String(info.confirmed_frontier ?? info.frontier)
  if (there !== frontier) {
    if (Number(under_way) > 0) return undefined
    return `we know it up to ${frontier}, the ledger up to ${there}`
  }
  return isUnopened
    ? differs('balance', '0', balance_raw)
    : differs('balance', String(info.confirmed_balance ?? info.balance), balance_raw)
}

async function askBlocks(ask: AskLedger, hashes: string[]): Promise<Map<string, JsonObject>> {
  if (hashes.length === 0) return new Map()
  const answer = toObject(await ask('blocks_info', { hashes, json_block: 'true', include_not_found: 'true' }))
  if (typeof answer.error === 'string') throw new Error(`The ledger says: ${answer.error}`)
  return new Map(Object.entries(toObject(answer.blocks)).map(([hash, block]) => [hash, toObject(block)]))
}

function wrongBlock(block: JsonObject | undefined): string | undefined {
  if (!block) return 'is not on the ledger'
  return String(block.confirmed) === 'true' ? undefined : 'is not confirmed on the ledger'
}

function differs(name: string, there: string, here: string | null): string | undefined {
  return there === here ? undefined : `${name} is ${here} here and ${there} on the ledger`
}

const inNano = (raw: string | bigint) => `${formatNano(toRaw(BigInt(raw)))} nano`

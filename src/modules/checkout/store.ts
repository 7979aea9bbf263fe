import { sql } from 'kysely'
import { type Raw, toRaw } from '../../kernel/money.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import {
  type AdditionalStatus,
  CHECKOUT_COLUMNS,
  type CheckoutMode,
  type CheckoutStatus,
  type CheckoutsTable,
} from './tables.ts'
import type { Db } from '../../kernel/db.ts'
import { type Given, givenRow, prepared, preparedUpTo } from '../../kernel/prepared.ts'
import type { Invoice } from './invoices/invoice.ts'

/** All checkouts made without a key belong to this owner (contract 3, rule 4). */
export const ANONYMOUS = 'anonymous'
/** Those by which the service itself sells something belong to this one. No account is called so. */
export const SERVICE = 'service'
export const OPEN_STATUSES = ['pending', 'detected', 'partial'] as const satisfies readonly CheckoutStatus[]
/** In these very words, so that a statement that is planned once finds the indexes of open ones. */
export const IS_OPEN = sql<boolean>`status in ('pending', 'detected', 'partial')`
/** What ids of payment links begin with: a checkout that was made from one has its id in the place of a key's. */
export const LINK_ID = 'lnk'
export const isFromLink = ({ keyId }: Pick<Checkout, 'keyId'>) => keyId?.startsWith(`${LINK_ID}_`) === true
/** The same for points of sale. */
export const POS_ID = 'pos'
export const isFromPos = ({ keyId }: Pick<Checkout, 'keyId'>) => keyId?.startsWith(`${POS_ID}_`) === true
/** Holders of a link make those, so that they count apart. */
export const isByHolder = ({ keyId }: Pick<Checkout, 'keyId'>) => isFromLink({ keyId }) || isFromPos({ keyId })
const NOT_BY_HOLDERS = sql<boolean>`(key_id is null or (key_id not like 'lnk%' and key_id not like 'pos%'))`
/** The plan of an amount that belongs to none. */
export const NO_PLAN = -1

export interface Plan {
  title: string
  /** In the currency of the checkout. */
  value: string
  discount: number | false
  /** What is asked for now. */
  amountRaw: Raw | undefined
}

export interface SeenBlock {
  hash: string
  account: string
  amountRaw: Raw
}

export interface Checkout {
  id: string
  owner: string
  keyId: string | null
  mode: CheckoutMode
  status: CheckoutStatus
  additional: AdditionalStatus
  address: string
  merchantAddress: string
  walletId: string | null
  currency: string
  price: string | null
  priceE8: bigint | undefined
  amountRaw: Raw | undefined
  paidRaw: Raw
  plans: Plan[]
  plan: number | null
  title: string | null
  description: string | null
  image: string | null
  successUrl: string | null
  cancelUrl: string | null
  webhookUrl: string | null
  /** Sealed. */
  webhookSecret: string | null
  webhookEvents: string[]
  notify: string | null
  metadata: JsonObject
  seq: number
  createdAt: number
  expiresAt: number
  watchedUntil: number
  servedAt: number | null
  seenAt: number | null
  paidAt: number | null
  hiddenAt: number | null
  notifiedAt: number | null
  blockHash: string | null
  payer: string | null
  detected: SeenBlock | undefined
  detectedAt: number | null
  look: number | null
  lookHeight: number | null
  note: string | null
  chosen: string | null
  /** What was given back, or is about to be. */
  refundedRaw: Raw
  invoice: Invoice | null
  /** Since it is paid. */
  invoiceNumber: string | null
}

const toAmount = (text: string | null) => (text === null ? undefined : toRaw(BigInt(text)))

interface StoredPlan {
  title: string
  value: string
  discount: number | false
  amount_raw: string | null
}

export const toStoredPlans = (plans: readonly Plan[]) =>
  JSON.stringify(
    plans.map(({ amountRaw, ...plan }): StoredPlan => ({ ...plan, amount_raw: amountRaw?.toString() ?? null })),
  )

export const toStoredBlock = ({ hash, account, amountRaw }: SeenBlock) =>
  JSON.stringify({ hash, account, amount_raw: amountRaw.toString() })

function toSeenBlock(text: string): SeenBlock {
  const { hash, account, amount_raw: amount } = JSON.parse(text) as Record<'hash' | 'account' | 'amount_raw', string>
  return { hash, account, amountRaw: toRaw(BigInt(amount)) }
}

export function toCheckout(row: CheckoutsTable): Checkout {
  return {
    id: row.id,
    owner: row.owner,
    keyId: row.key_id,
    mode: row.mode,
    status: row.status,
    additional: row.additional_status,
    address: row.address,
    merchantAddress: row.merchant_address,
    walletId: row.wallet_id,
    currency: row.currency,
    price: row.price,
    priceE8: row.price_e8 === null ? undefined : BigInt(row.price_e8),
    amountRaw: toAmount(row.amount_raw),
    paidRaw: toRaw(BigInt(row.paid_raw)),
    plans: (JSON.parse(row.plans) as StoredPlan[]).map(({ amount_raw: amount, ...plan }) => ({
      ...plan,
      amountRaw: toAmount(amount),
    })),
    plan: row.plan,
    title: row.title,
    description: row.description,
    image: row.image,
    successUrl: row.success_url,
    cancelUrl: row.cancel_url,
    webhookUrl: row.webhook_url,
    webhookSecret: row.webhook_secret,
    webhookEvents: JSON.parse(row.webhook_events) as string[],
    notify: row.notify,
    metadata: JSON.parse(row.metadata) as JsonObject,
    seq: row.seq,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    watchedUntil: row.watched_until,
    servedAt: row.served_at,
    seenAt: row.seen_at,
    paidAt: row.paid_at,
    hiddenAt: row.hidden_at,
    notifiedAt: row.notified_at,
    blockHash: row.block_hash,
    payer: row.payer,
    detected: row.detected_block === null ? undefined : toSeenBlock(row.detected_block),
    detectedAt: row.detected_at,
    look: row.look,
    lookHeight: row.look_height,
    note: row.note,
    chosen: row.chosen,
    refundedRaw: toRaw(BigInt(row.refunded_raw)),
    invoice: row.invoice === null ? null : (JSON.parse(row.invoice) as Invoice),
    invoiceNumber: row.invoice_number,
  }
}

export async function insertCheckout(db: Db, checkout: Checkout): Promise<void> {
  await insertRow(db, {
    id: checkout.id,
    owner: checkout.owner,
    key_id: checkout.keyId,
    mode: checkout.mode,
    status: checkout.status,
    additional_status: checkout.additional,
    address: checkout.address,
    merchant_address: checkout.merchantAddress,
    wallet_id: checkout.walletId,
    currency: checkout.currency,
    price: checkout.price,
    price_e8: checkout.priceE8?.toString() ?? null,
    amount_raw: checkout.amountRaw?.toString() ?? null,
    paid_raw: checkout.paidRaw.toString(),
    plans: toStoredPlans(checkout.plans),
    plan: checkout.plan,
    title: checkout.title,
    description: checkout.description,
    image: checkout.image,
    success_url: checkout.successUrl,
    cancel_url: checkout.cancelUrl,
    webhook_url: checkout.webhookUrl,
    webhook_secret: checkout.webhookSecret,
    webhook_events: JSON.stringify(checkout.webhookEvents),
    notify: checkout.notify,
    metadata: JSON.stringify(checkout.metadata),
    seq: checkout.seq,
    created_at: checkout.createdAt,
    expires_at: checkout.expiresAt,
    watched_until: checkout.watchedUntil,
    served_at: checkout.servedAt,
    seen_at: checkout.seenAt,
    paid_at: checkout.paidAt,
    hidden_at: checkout.hiddenAt,
    notified_at: checkout.notifiedAt,
    block_hash: checkout.blockHash,
    payer: checkout.payer,
    detected_block: checkout.detected ? toStoredBlock(checkout.detected) : null,
    detected_at: checkout.detectedAt,
    look: checkout.look,
    look_height: checkout.lookHeight,
    note: checkout.note,
    chosen: checkout.chosen,
    refunded_raw: checkout.refundedRaw.toString(),
    invoice: checkout.invoice === null ? null : JSON.stringify(checkout.invoice),
    invoice_number: checkout.invoiceNumber,
  })
}

const insertRow = prepared((db, given: Given<CheckoutsTable>) =>
  db.insertInto('checkouts').values(givenRow(given, CHECKOUT_COLUMNS)),
)

export async function findCheckout(db: Db, id: string): Promise<Checkout | undefined> {
  const [row] = await selectById(db, { id })
  return row && toCheckout(row)
}

const selectById = prepared((db, given: Given<{ id: string }>) =>
  db.selectFrom('checkouts').select(CHECKOUT_COLUMNS).where('id', '=', given('id')),
)

/** The same for its owner only; `owner` undefined is an administrator, who sees all. */
export async function findOwnCheckout(
  db: Db,
  { id, owner }: { id: string; owner: string | undefined },
): Promise<Checkout | undefined> {
  const found = await findCheckout(db, id)
  return found && (owner === undefined || found.owner === owner) ? found : undefined
}

/** Which of an owner's checkouts count: those made with one key, or with all but these. */
type MadeWith = { only: string } | { not: readonly string[] }

/** How many checkouts of an owner are open on an address, counted up to a bound. */
export async function countOpen(
  db: Db,
  { address, owner, madeWith, max }: { address: string; owner: string; madeWith: MadeWith; max: number },
): Promise<number> {
  if ('not' in madeWith && madeWith.not.length === 0) {
    const [all] = await countAllOpen(db, { address, owner, limit: max })
    return Number(all!.count)
  }
  let some = db
    .selectFrom('checkouts')
    .select('id')
    .where('address', '=', address)
    .where('owner', '=', owner)
    .where(IS_OPEN)
    .limit(max)
  if ('only' in madeWith) some = some.where('key_id', '=', madeWith.only)
  else {
    some = some
      .where((where) => where.or([where('key_id', 'is', null), where('key_id', 'not in', madeWith.not)]))
      .where(NOT_BY_HOLDERS)
  }
  const row = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

const countAllOpen = preparedUpTo((db, given: Given<{ address: string; owner: string }>, limit) => {
  const some = db
    .selectFrom('checkouts')
    .select('id')
    .where('address', '=', given('address'))
    .where('owner', '=', given('owner'))
    .where(IS_OPEN)
    .where(NOT_BY_HOLDERS)
    .limit(limit)
  return db.selectFrom(some.as('some')).select(({ fn }) => fn.countAll().as('count'))
})

/**
 * Takes hold of a checkout until the transaction ends and gives it the number of its next timeline entry. Every change
 * begins here, so that two instances decide one after the other, each on what the other has left.
 */
export async function lockCheckout(db: Db, id: string): Promise<Checkout | undefined> {
  const [row] = await holdRow(db, { id })
  return row && toCheckout(row)
}

const holdRow = prepared((db, given: Given<{ id: string }>) =>
  db
    .updateTable('checkouts')
    .set(({ eb }) => ({ seq: eb('seq', '+', 1) }))
    .where('id', '=', given('id'))
    .returning(CHECKOUT_COLUMNS),
)

/** Open checkouts of an address whose time is over. */
export async function listOverdue(
  db: Db,
  { address, expiresBefore, limit }: { address: string; expiresBefore: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('checkouts')
    .select('id')
    .where('address', '=', address)
    // As the index of open ones has it: SQLite would go through all that there ever were.
    .where(IS_OPEN)
    .where('status', '<>', 'detected')
    .where('expires_at', '<=', expiresBefore)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** When the next open checkout of each address ends; addresses without one are left out. */
export async function listNextExpiries(db: Db, addresses: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('checkouts')
    .select(({ fn }) => ['address', fn.min('expires_at').as('next')])
    .where('address', 'in', [...addresses])
    .where(IS_OPEN)
    .groupBy('address')
    .execute()
  return new Map(rows.map(({ address, next }) => [address, next]))
}

/** Checkouts whose block was seen and has not been confirmed since. */
export async function listStuck(db: Db, wanted: { detectedBefore: number; limit: number }): Promise<Checkout[]> {
  return (await selectStuck(db, wanted)).map(toCheckout)
}

const selectStuck = preparedUpTo((db, given: Given<{ detectedBefore: number }>, limit) =>
  db
    .selectFrom('checkouts')
    .select(CHECKOUT_COLUMNS)
    .where('status', '=', 'detected')
    .where('detected_at', '<=', given('detectedBefore'))
    .orderBy('detected_at')
    .limit(limit),
)

/** The greater of two columns or values, in words both engines know. */
export const later = (column: string, value: number) =>
  sql<number>`case when ${sql.ref(column)} > ${value} then ${sql.ref(column)} else ${value} end`
/** The smaller one. */
export const earlier = (column: string, value: number) =>
  sql<number>`case when ${sql.ref(column)} < ${value} then ${sql.ref(column)} else ${value} end`

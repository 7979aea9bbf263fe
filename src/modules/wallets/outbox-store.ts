import { type RecordIn, type RowIn, columns, flag, named, orNull, plain, raw } from '../../kernel/resource/columns.ts'
import { sql } from 'kysely'
import { type Raw, toRaw } from '../../kernel/money.ts'
import type { Db } from '../../kernel/db.ts'
import { type Given, givenRow, prepared } from '../../kernel/prepared.ts'
import { type Payees, type SendPurpose, payeesOf } from './purposes.ts'

/** The outbox: every block of every wallet, from the request to the confirmation. */
const BLOCK = columns({
  id: plain<string>(),
  walletId: plain<string>(),
  kind: plain<'send' | 'receive'>(),
  status: plain<'queued' | 'signed' | 'broadcast' | 'confirmed' | 'refused' | 'lost' | 'void'>(),
  /** The recipient of a send. */
  destination: plain<string | null>(),
  /** The send that is received, and its sender. */
  sourceHash: plain<string | null>(),
  sourceAddress: plain<string | null>(),
  /** Null while everything is to be sent and the amount is not known yet. */
  amount: named('amount_raw', orNull(raw())),
  /** 1 when everything was requested, whatever that amounted to. */
  sendsAll: flag(),
  planId: plain<string | null>(),
  hash: plain<string | null>(),
  previous: plain<string | null>(),
  /** The wallet's balance after it. */
  balance: named('balance_raw', orNull(raw())),
  /** The signed block as JSON. */
  block: plain<string | null>(),
  /** The code of the refusal. */
  refusal: plain<string | null>(),
  /** A send that is not signed by then is refused; null for one that must happen. */
  deadlineAt: plain<number | null>(),
  broadcastAt: plain<number | null>(),
  createdAt: plain<number>(),
})

export type OutboxBlock = RecordIn<typeof BLOCK>
export interface WalletBlocksTable extends RowIn<typeof BLOCK> {
  /** The requesting account; null for what the service does on its own. */
  account_id: string | null
  /** The purpose of a send; null in rows of 0.2 and for receives. */
  purpose: SendPurpose | null
  /** The order in which the wallet's blocks were requested. */
  sequence: number
  /** The order among the shares of a plan. */
  position: number
  /** Makes a send unique for its caller: the same reference is the same block. */
  reference: string | null
  signed_at: number | null
  confirmed_at: number | null
}
export const toBlock = BLOCK.toRecord

/** Literals, because the text must match the condition of the partial indexes. */
export const OPEN = sql<boolean>`status in ('signed', 'broadcast')`
export const QUEUED = sql<boolean>`status = 'queued'`

export const BLOCK_COLUMNS = BLOCK.names

const UNSIGNED = {
  status: 'queued',
  previous: null,
  hash: null,
  balance_raw: null,
  block: null,
  refusal: null,
  signed_at: null,
  broadcast_at: null,
  confirmed_at: null,
} as const

/** The highest sequence of the wallet plus one. Two blocks added at the same moment may get the same number and have no order. */
const nextSequence = (walletId: string) =>
  sql<number>`(select coalesce(max(b.sequence), 0) + 1 from wallet_blocks b where b.wallet_id = ${walletId})`

interface NewSend {
  id: string
  walletId: string
  purpose: SendPurpose
  accountId: string | null
  destination: string
  /** Null sends the whole balance. */
  amount: Raw | null
  /** Whether everything was requested; the amount may be known nevertheless. */
  sendsAll?: boolean
  reference: string | null
  deadlineAt: number | null
  planId?: string
  position?: number
  createdAt: number
}

/** Queues a send; false when there is one with this reference already. */
export async function insertSend(db: Db, send: NewSend): Promise<boolean> {
  const added = await insertSendRow(db, {
    id: send.id,
    wallet_id: send.walletId,
    purpose: send.purpose,
    account_id: send.accountId,
    destination: send.destination,
    amount_raw: send.amount?.toString() ?? null,
    sends_all: (send.sendsAll ?? send.amount === null) ? 1 : 0,
    plan_id: send.planId ?? null,
    position: send.position ?? 0,
    reference: send.reference,
    deadline_at: send.deadlineAt,
    created_at: send.createdAt,
  })
  return added.length > 0
}

const SEND_COLUMNS = [
  'id',
  'wallet_id',
  'purpose',
  'account_id',
  'destination',
  'amount_raw',
  'sends_all',
  'plan_id',
  'position',
  'reference',
  'deadline_at',
  'created_at',
] as const satisfies readonly (keyof WalletBlocksTable)[]

const insertSendRow = prepared((db, given: Given<Pick<WalletBlocksTable, (typeof SEND_COLUMNS)[number]>>) =>
  db
    .insertInto('wallet_blocks')
    .values({
      ...UNSIGNED,
      ...givenRow(given, SEND_COLUMNS),
      kind: 'send',
      source_hash: null,
      source_address: null,
      sequence: nextSequence(given('wallet_id')),
    })
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .returning('id'),
)

export interface Deposit {
  hash: string
  source: string
  amount: Raw
}

/** Queues a deposit to receive; false when it is known already. */
export async function insertReceive(
  db: Db,
  { id, walletId, deposit, createdAt }: { id: string; walletId: string; deposit: Deposit; createdAt: number },
): Promise<boolean> {
  const row = await db
    .insertInto('wallet_blocks')
    .values({
      ...UNSIGNED,
      id,
      wallet_id: walletId,
      account_id: null,
      kind: 'receive',
      purpose: null,
      destination: null,
      source_hash: deposit.hash,
      source_address: deposit.source,
      amount_raw: deposit.amount.toString(),
      sends_all: 0,
      sequence: nextSequence(walletId),
      plan_id: null,
      position: 0,
      reference: null,
      deadline_at: null,
      created_at: createdAt,
    })
    .onConflict((conflict) => conflict.columns(['wallet_id', 'source_hash']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function findBlock(db: Db, id: string): Promise<OutboxBlock | undefined> {
  const [row] = await selectById(db, { id })
  return row && toBlock(row)
}

const selectById = prepared((db, given: Given<{ id: string }>) =>
  db.selectFrom('wallet_blocks').select(BLOCK_COLUMNS).where('id', '=', given('id')),
)

export async function findByReference(db: Db, reference: string): Promise<OutboxBlock | undefined> {
  const row = await db.selectFrom('wallet_blocks').selectAll().where('reference', '=', reference).executeTakeFirst()
  return row && toBlock(row)
}

export async function listBlocks(db: Db, walletId: string, limit: number): Promise<OutboxBlock[]> {
  const rows = await db
    .selectFrom('wallet_blocks')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .orderBy('sequence', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toBlock)
}

/** The block that must be confirmed before another may begin. */
export async function findOpenBlock(db: Db, walletId: string): Promise<OutboxBlock | undefined> {
  const [row] = await selectOpen(db, { walletId })
  return row && toBlock(row)
}

const selectOpen = prepared((db, given: Given<{ walletId: string }>) =>
  db.selectFrom('wallet_blocks').select(BLOCK_COLUMNS).where('wallet_id', '=', given('walletId')).where(OPEN),
)

/** Receives of a wallet by the hashes of the sends that they receive. */
export async function listReceives(db: Db, walletId: string, sources: readonly string[]): Promise<OutboxBlock[]> {
  if (sources.length === 0) return []
  const rows = await db
    .selectFrom('wallet_blocks')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .where('source_hash', 'in', sources)
    .execute()
  return rows.map(toBlock)
}

export async function findOwnBlock(db: Db, walletId: string, hash: string): Promise<OutboxBlock | undefined> {
  const row = await db
    .selectFrom('wallet_blocks')
    .selectAll()
    .where('hash', '=', hash)
    .where('wallet_id', '=', walletId)
    .executeTakeFirst()
  return row && toBlock(row)
}

/** Whether a confirmed block of the wallet follows this block. */
export async function isFollowed(db: Db, walletId: string, hash: string): Promise<boolean> {
  const row = await db
    .selectFrom('wallet_blocks')
    .select('id')
    .where('wallet_id', '=', walletId)
    .where('previous', '=', hash)
    .where('status', '=', 'confirmed')
    .executeTakeFirst()
  return row !== undefined
}

/** The blocks that our record has outside the wallet's chain: lost and void ones. */
export async function listLost(db: Db, walletId: string): Promise<OutboxBlock[]> {
  const rows = await db
    .selectFrom('wallet_blocks')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .where('status', 'in', ['lost', 'void'])
    .execute()
  return rows.map(toBlock)
}

/** Who may be paid by a confirmed block. A send of ours is in the outbox with its hash before any node has it; foreign sends may pay anyone. */
export async function findPayees(db: Db, hash: string): Promise<Payees> {
  const [send] = await selectSent(db, { hash })
  return send ? payeesOf(send) : 'everybody'
}

const selectSent = prepared((db, given: Given<{ hash: string }>) =>
  db
    .selectFrom('wallet_blocks')
    .select(['purpose', 'account_id', 'plan_id', 'reference'])
    .where('hash', '=', given('hash')),
)

/** Counts the service's payments that wait in a wallet. */
export async function countOwed(db: Db, walletId: string): Promise<number> {
  const row = await db
    .selectFrom('wallet_blocks')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('wallet_id', '=', walletId)
    .where(QUEUED)
    .where('kind', '=', 'send')
    .where('deadline_at', 'is', null)
    .where('plan_id', 'is', null)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** The amounts that an account's cloud wallets have sent since a time, or are about to send. */
export async function listSentAmounts(db: Db, accountId: string, since: number): Promise<Raw[]> {
  const rows = await db
    .selectFrom('wallet_blocks')
    .select('amount_raw')
    .where('account_id', '=', accountId)
    .where('created_at', '>', since)
    .where('status', '!=', 'refused')
    .where((where) => where.or([where('status', '!=', 'void'), where('refusal', 'is', null)]))
    .execute()
  return rows.map(({ amount_raw: amount }) => toRaw(BigInt(amount ?? '0')))
}

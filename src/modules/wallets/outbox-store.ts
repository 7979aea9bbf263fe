import { type Selectable, sql } from 'kysely'
import { type Raw, toRaw } from '../../kernel/money.ts'
import type { Db } from '../../kernel/tables/index.ts'
import type { WalletBlocksTable } from '../../kernel/tables/wallets.ts'
import type { SendRefusal } from './errors.ts'

/** A block of a wallet on its way from the wish to the confirmation. */
export interface OutboxBlock {
  id: string
  walletId: string
  kind: 'send' | 'receive'
  status: WalletBlocksTable['status']
  destination: string | null
  sourceHash: string | null
  sourceAddress: string | null
  /** Null while everything is to be sent. */
  amount: Raw | null
  /** Whether everything was asked for, whatever that came to. */
  sendsAll: boolean
  planId: string | null
  hash: string | null
  previous: string | null
  balance: Raw | null
  /** The signed block as JSON. */
  block: string | null
  refusal: string | null
  deadlineAt: number | null
  broadcastAt: number | null
  createdAt: number
}

/** Written out, because partial indexes are found by their very words. */
const OPEN = sql<boolean>`status in ('signed', 'broadcast')`
const QUEUED = sql<boolean>`status = 'queued'`

function toBlock(row: Selectable<WalletBlocksTable>): OutboxBlock {
  const raw = (text: string | null) => (text === null ? null : toRaw(BigInt(text)))
  return {
    id: row.id,
    walletId: row.wallet_id,
    kind: row.kind,
    status: row.status,
    destination: row.destination,
    sourceHash: row.source_hash,
    sourceAddress: row.source_address,
    amount: raw(row.amount_raw),
    sendsAll: row.sends_all === 1,
    planId: row.plan_id,
    hash: row.hash,
    previous: row.previous,
    balance: raw(row.balance_raw),
    block: row.block,
    refusal: row.refusal,
    deadlineAt: row.deadline_at,
    broadcastAt: row.broadcast_at,
    createdAt: row.created_at,
  }
}

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

/** One more than any block of the wallet. Two that are added at the very same time may be equal, and have no order. */
const nextSequence = (walletId: string) =>
  sql<number>`(select coalesce(max(b.sequence), 0) + 1 from wallet_blocks b where b.wallet_id = ${walletId})`

export interface NewSend {
  id: string
  walletId: string
  accountId: string | null
  destination: string
  /** Null sends everything. */
  amount: Raw | null
  /** Whether everything was asked for; the amount may be known all the same. */
  sendsAll?: boolean
  reference: string | null
  deadlineAt: number | null
  planId?: string
  position?: number
  createdAt: number
}

/** Nothing → queued; false when there is a send with this reference already. */
export async function insertSend(db: Db, send: NewSend): Promise<boolean> {
  const row = await db
    .insertInto('wallet_blocks')
    .values({
      ...UNSIGNED,
      id: send.id,
      wallet_id: send.walletId,
      account_id: send.accountId,
      kind: 'send',
      destination: send.destination,
      source_hash: null,
      source_address: null,
      amount_raw: send.amount?.toString() ?? null,
      sends_all: (send.sendsAll ?? send.amount === null) ? 1 : 0,
      sequence: nextSequence(send.walletId),
      plan_id: send.planId ?? null,
      position: send.position ?? 0,
      reference: send.reference,
      deadline_at: send.deadlineAt,
      created_at: send.createdAt,
    })
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export interface Deposit {
  hash: string
  source: string
  amount: Raw
}

/** Queues the receiving of a deposit; false when it is known already. */
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
  const row = await db.selectFrom('wallet_blocks').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toBlock(row)
}

export async function findByReference(db: Db, reference: string): Promise<OutboxBlock | undefined> {
  const row = await db.selectFrom('wallet_blocks').selectAll().where('reference', '=', reference).executeTakeFirst()
  return row && toBlock(row)
}

/** The blocks of a wallet, newest first. */
export async function listBlocks(db: Db, walletId: string, limit: number): Promise<OutboxBlock[]> {
  const rows = await db
    .selectFrom('wallet_blocks')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toBlock)
}

/** The block that must be finished before another may begin. */
export async function findOpenBlock(db: Db, walletId: string): Promise<OutboxBlock | undefined> {
  const row = await db
    .selectFrom('wallet_blocks')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .where(OPEN)
    .executeTakeFirst()
  return row && toBlock(row)
}

/** Wishes of one kind, in the order they were asked for. */
export async function listQueued(
  db: Db,
  { walletId, kind, limit }: { walletId: string; kind: OutboxBlock['kind']; limit: number },
): Promise<OutboxBlock[]> {
  const rows = await db
    .selectFrom('wallet_blocks')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .where(QUEUED)
    .where('kind', '=', kind)
    .orderBy('sequence')
    .orderBy('created_at')
    .orderBy('position')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toBlock)
}

/** Receives of a wallet by what they receive. */
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

/** A block of a wallet by its hash. */
export async function findOwnBlock(db: Db, walletId: string, hash: string): Promise<OutboxBlock | undefined> {
  const row = await db
    .selectFrom('wallet_blocks')
    .selectAll()
    .where('hash', '=', hash)
    .where('wallet_id', '=', walletId)
    .executeTakeFirst()
  return row && toBlock(row)
}

/** Sends whose client waits no longer: nothing has happened yet, and nothing will. */
export async function refuseOverdue(db: Db, walletId: string, now: number): Promise<string[]> {
  const rows = await db
    .updateTable('wallet_blocks')
    .set({ status: 'refused', refusal: 'wallet_busy', reference: null })
    .where('wallet_id', '=', walletId)
    .where(QUEUED)
    .where('deadline_at', '<=', now)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Sends whose clients wait for a wallet that will not send any more. */
export async function refuseWaiting(db: Db, walletId: string): Promise<string[]> {
  const rows = await db
    .updateTable('wallet_blocks')
    .set({ status: 'refused', refusal: 'wallet_frozen', reference: null })
    .where('wallet_id', '=', walletId)
    .where(QUEUED)
    .where('deadline_at', 'is not', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Queued → refused; false when it was signed meanwhile. Its reference is free again, since nothing has happened. */
export async function markRefused(db: Db, id: string, refusal: SendRefusal): Promise<boolean> {
  const row = await db
    .updateTable('wallet_blocks')
    .set({ status: 'refused', refusal, reference: null })
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** A queued receive that cannot be signed now; it is queued again when the ledger shows the deposit again. */
export async function deleteQueuedReceive(db: Db, id: string): Promise<void> {
  await db
    .deleteFrom('wallet_blocks')
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .where('kind', '=', 'receive')
    .execute()
}

export interface Signed {
  hash: string
  previous: string
  balance: Raw
  amount: Raw
  block: string
}

/** Queued → signed. Call it under the lease, before anybody outside can know of the block. */
export async function markSigned(db: Db, id: string, signed: Signed, now: number): Promise<boolean> {
  const { hash, previous, balance, amount, block } = signed
  const row = await db
    .updateTable('wallet_blocks')
    .set({
      status: 'signed',
      hash,
      previous,
      balance_raw: balance.toString(),
      amount_raw: amount.toString(),
      block,
      signed_at: now,
    })
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Work is not part of a block's hash: the same block may carry better work. */
export async function updateWork(db: Db, id: string, block: string): Promise<void> {
  await db.updateTable('wallet_blocks').set({ block }).where('id', '=', id).where(OPEN).execute()
}

export async function markBroadcast(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('wallet_blocks')
    .set({ status: 'broadcast', broadcast_at: now })
    .where('id', '=', id)
    .where(OPEN)
    .execute()
}

/** Open → confirmed; true for the one who moved it. */
export async function markConfirmed(db: Db, id: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable('wallet_blocks')
    .set({ status: 'confirmed', confirmed_at: now })
    .where('id', '=', id)
    .where(OPEN)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Open → lost: a confirmed foreign block stands where ours should be. Its frontier stays used for ever. */
export async function markLost(db: Db, id: string): Promise<void> {
  await db.updateTable('wallet_blocks').set({ status: 'lost' }).where('id', '=', id).where(OPEN).execute()
}

export async function listLost(db: Db, walletId: string): Promise<OutboxBlock[]> {
  const rows = await db
    .selectFrom('wallet_blocks')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .where('status', '=', 'lost')
    .execute()
  return rows.map(toBlock)
}

/** Lost → confirmed: the ledger has it after all. */
export async function markFound(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('wallet_blocks')
    .set({ status: 'confirmed', confirmed_at: now })
    .where('id', '=', id)
    .where('status', '=', 'lost')
    .execute()
}

/** Lost → signed: nothing stands in its place, and its frontier takes no other block. The same bytes go out again. */
export async function reopenLost(db: Db, id: string): Promise<void> {
  await db
    .updateTable('wallet_blocks')
    .set({ status: 'signed' })
    .where('id', '=', id)
    .where('status', '=', 'lost')
    .execute()
}

/** Lets a deposit be received by another block, now that this one cannot. */
export async function releaseSource(db: Db, id: string): Promise<void> {
  await db
    .updateTable('wallet_blocks')
    .set({ source_hash: null })
    .where('id', '=', id)
    .where('status', '=', 'lost')
    .execute()
}

/** Ends a plan with the shares that were not signed yet, so that what there really is can be planned anew. */
export async function cancelPlan(db: Db, planId: string, now: number): Promise<void> {
  await db
    .updateTable('wallet_blocks')
    .set({ status: 'refused', refusal: 'wallet_frozen', reference: null })
    .where('plan_id', '=', planId)
    .where('status', '=', 'queued')
    .execute()
  await markPlanDone(db, planId, now)
}

/** Payments of the service that wait in a wallet. */
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

/** Whether anything of a wallet is under way. */
export async function hasUnfinished(db: Db, walletId: string): Promise<boolean> {
  const row = await db
    .selectFrom('wallet_blocks')
    .select('id')
    .where('wallet_id', '=', walletId)
    .where(sql<boolean>`(status in ('signed', 'broadcast') or status = 'queued')`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Wallets with something to do: blocks under way, an ending, a plan, late funds, a thaw. Frozen ones wait for a person. */
export async function listUnsettled(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from wallets where frozen_at is null and id in (
      select wallet_id from wallet_blocks where status in ('signed', 'broadcast')
      union select wallet_id from wallet_blocks where status = 'queued'
      union select wallet_id from wallet_plans where status = 'open'
      union select id from wallets where status = 'expiring'
      union select id from wallets where thawed_at is not null
      union select id from wallets where status in ('ended', 'deleted') and balance_raw <> '0'
    ) order by lease_until, id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** What the cloud wallets of an account have sent, or are about to send, since a time. */
export async function listSentAmounts(db: Db, accountId: string, since: number): Promise<Raw[]> {
  const rows = await db
    .selectFrom('wallet_blocks')
    .select('amount_raw')
    .where('account_id', '=', accountId)
    .where('created_at', '>', since)
    .where('status', '!=', 'refused')
    .execute()
  return rows.map(({ amount_raw: amount }) => toRaw(BigInt(amount ?? '0')))
}

export async function countOpenBlocks(db: Db): Promise<{ status: string; count: number }[]> {
  const { rows } = await sql<{ status: string; count: number | string }>`
    select status, count(*) as "count" from wallet_blocks where status in ('signed', 'broadcast') group by status
    union all select 'queued', count(*) from wallet_blocks where status = 'queued'`.execute(db)
  return rows.map(({ status, count }) => ({ status, count: Number(count) }))
}

export interface Plan {
  id: string
  walletId: string
  run: number
  frontier: string
  total: Raw
}

export async function insertPlan(db: Db, { id, walletId, run, frontier, total }: Plan, now: number): Promise<void> {
  await db
    .insertInto('wallet_plans')
    .values({
      id,
      wallet_id: walletId,
      run,
      frontier,
      total_raw: total.toString(),
      status: 'open',
      created_at: now,
      finished_at: null,
    })
    .execute()
}

export async function findOpenPlan(db: Db, walletId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('wallet_plans')
    .select('id')
    .where('wallet_id', '=', walletId)
    .where(sql<boolean>`status = 'open'`)
    .executeTakeFirst()
  return row?.id
}

export async function countPlans(db: Db, walletId: string): Promise<number> {
  const row = await db
    .selectFrom('wallet_plans')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('wallet_id', '=', walletId)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Open → done, once every share of it is confirmed. */
export async function markPlanDone(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('wallet_plans')
    .set({ status: 'done', finished_at: now })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .execute()
}

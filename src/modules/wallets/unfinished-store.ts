import { type Selectable, sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import { BLOCK_COLUMNS, OPEN, type OutboxBlock, QUEUED, toBlock } from './outbox-store.ts'
import type { WalletBlocksTable } from './outbox-store.ts'

/** A wallet's unfinished business: the block that must be finished first, and queued operations. */
export interface Unfinished {
  open: OutboxBlock | undefined
  /** In the order they were requested. */
  sends: OutboxBlock[]
  /** Sends of an account that is suspended or whose sends are frozen. */
  held: OutboxBlock[]
  receives: OutboxBlock[]
}

const [SENDS_MAX, RECEIVES_MAX] = [500, 1_000]

/** One statement for all three parts, each with its own index and limit, so that no number of deposits hides a send. */
export async function readUnfinished(db: Db, walletId: string): Promise<Unfinished> {
  const rows = await selectUnfinished(db, { walletId })
  const queued = rows.filter(({ status }) => status === 'queued').toSorted(inOrder)
  const open = rows.find(({ status }) => status !== 'queued')
  const sends = queued.filter(({ kind }) => kind === 'send')
  return {
    open: open && toBlock(open),
    sends: sends.filter(({ held }) => held === 0).map(toBlock),
    held: sends.filter(({ held }) => held === 1).map(toBlock),
    receives: queued.filter(({ kind }) => kind === 'receive').map(toBlock),
  }
}

/** Sorted here: the index has the sequence only, and sorting by more in the database costs more than finding the rows. */
const inOrder = (one: Place, other: Place) =>
  one.sequence - other.sequence || one.created_at - other.created_at || one.position - other.position

type Place = Pick<Selectable<WalletBlocksTable>, 'sequence' | 'created_at' | 'position'>

const selectUnfinished = prepared((db, given: Given<{ walletId: string }>) => {
  const columns = [...BLOCK_COLUMNS, 'sequence', 'position'] as const
  const held = sql<number>`case when exists (select 1 from accounts
    where accounts.id = wallet_blocks.account_id and suspended_at is not null)
    or exists (select 1 from send_freezes where scope = wallet_blocks.account_id) then 1 else 0 end`.as('held')
  const queued = (kind: OutboxBlock['kind'], limit: number) =>
    db
      .selectFrom(
        db
          .selectFrom('wallet_blocks')
          .select([...columns, held])
          .where('wallet_id', '=', given('walletId'))
          .where(QUEUED)
          .where('kind', '=', kind)
          .orderBy('sequence')
          .limit(limit)
          .as(`${kind}s`),
      )
      .select([...columns, 'held'])
  return db
    .selectFrom('wallet_blocks')
    .select([...columns, sql<number>`0`.as('held')])
    .where('wallet_id', '=', given('walletId'))
    .where(OPEN)
    .unionAll(queued('send', SENDS_MAX))
    .unionAll(queued('receive', RECEIVES_MAX))
})

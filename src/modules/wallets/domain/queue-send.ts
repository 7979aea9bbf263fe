import { whenOver } from '../../../kernel/when-over.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { KeyRights } from '../../../kernel/key-rights.ts'
import { type Raw, formatNano } from '../../../kernel/money.ts'
import { endOfDay, hasSpendingLimit, lockAccount, reserveSpend } from '../../accounts/index.ts'
import { sendTooLarge, walletNotFound } from '../errors.ts'
import { findBlock, insertSend } from '../outbox-store.ts'
import type { SendPurpose } from '../purposes.ts'
import type { WalletRoom } from '../room.ts'
import { lockUsableWallet } from '../store.ts'
import { requireSends } from './may-send.ts'
import { checkDay } from './send.ts'
import { waitAtMost } from './wait-at-most.ts'

const DAY = 24 * 3_600_000

export interface QueuedSend {
  walletId: string
  purpose: SendPurpose
  /** Who asks for it: its limits count, and it waits while the account is suspended. */
  accountId: string
  destination: string
  amount: Raw
  /** What it is for, once and for all. Free again when the send comes to nothing. */
  reference: string
  /** How long it may wait for its signature; afterwards it takes itself back. */
  waitMilliseconds: number
  /** Of the key that asks for it. */
  rights: KeyRights | undefined
}

/**
 * Queues a send inside the caller's transaction: it commits or vanishes with its cause. From then on it leaves once, or takes
 * itself back before anybody has signed it. Answers its id; call `bringForward` after the commit, or leave it to the jobs.
 */
export async function queueSend({ rules }: Pick<WalletRoom, 'rules'>, tx: StoreCtx, send: QueuedSend): Promise<string> {
  const { walletId, purpose, accountId, destination, amount, reference, rights } = send
  const { db, clock, ids } = tx
  const { sendMax, dailySendMax } = rules
  await requireSends(db, { rules }, accountId)
  const isLimited = dailySendMax > 0n
  if (sendMax > 0n && amount > sendMax) throw sendTooLarge(formatNano(sendMax))
  if (isLimited) await lockAccount(db, accountId)
  if (!(await lockUsableWallet(db, walletId))) throw walletNotFound()
  const id = ids.next('wbl')
  const createdAt = clock.now()
  const until = createdAt + send.waitMilliseconds
  // What a key has set aside counts for its day: what has not left by then is given back.
  const deadlineAt = hasSpendingLimit(rights) ? Math.min(until, endOfDay(createdAt)) : until
  const wish = { id, walletId, purpose, accountId, destination, amount, reference, deadlineAt, createdAt }
  if (!(await insertSend(db, wish))) throw new Error(`There is a send for ${reference} already.`)
  if (isLimited) await checkDay(db, { accountId, dailySendMax, since: createdAt - DAY })
  await reserveSpend(db, { rights, amount, reference: id, now: createdAt })
  return id
}

/** How often a wallet is looked at that waits for another instance or a confirmation. */
const LOOK_EVERY = 200

/**
 * Waits until a queued send is on the ledger or came to nothing, no longer than a client waits. Giving up changes nothing: the
 * jobs do the rest.
 */
export async function bringForward(
  { store, rules, queue }: WalletRoom,
  { id, walletId }: { id: string; walletId: string },
): Promise<void> {
  const { db, clock } = store
  const until = clock.now() + rules.waitMilliseconds
  const watch = queue.watchBlock(id)
  try {
    while (clock.now() < until) {
      const passed = whenOver(queue.advance(walletId))
      await waitAtMost(clock, until - clock.now(), Promise.race([passed, watch.settled]))
      const status = (await findBlock(db, id))?.status
      if (status !== 'queued' && status !== 'signed') return
      if (queue.refusalOf(id)?.lasting === true) return
      await waitAtMost(clock, Math.min(LOOK_EVERY, until - clock.now()), watch.settled)
    }
  } finally {
    watch.forget()
  }
}

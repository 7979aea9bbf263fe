import { whenOver } from '../../../kernel/when-over.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { KeyRights } from '../../../kernel/rights.ts'
import { type Raw, formatNano } from '../../../kernel/money.ts'
import { endOfDay, hasSpendingLimit, lockAccount, reserveSpend } from '../../accounts/index.ts'
import { sendTooLarge, walletNotFound } from '../errors.ts'
import { findBlock, insertSend } from '../outbox-store.ts'
import type { SendPurpose } from '../purposes.ts'
import type { WalletContext } from '../context.ts'
import { lockUsableWallet } from '../store.ts'
import { requireSends } from './may-send.ts'
import { checkDay } from './send.ts'
import { waitAtMost } from './wait-until-sent.ts'

const DAY = 24 * 3_600_000

export interface QueuedSend {
  walletId: string
  purpose: SendPurpose
  /** The requesting account: its limits apply, and the send waits while the account is suspended. */
  accountId: string
  destination: string
  amount: Raw
  /** Identifies the purpose, so that there is one send for it; usable again when the send fails. */
  reference: string
  /** How long it may wait for its signature before it is cancelled. */
  waitMilliseconds: number
  /** The rights of the requesting key. */
  rights: KeyRights | undefined
}

/**
 * Queues a send inside the caller's transaction, so that both commit or neither does. It is then sent once, or cancelled before anyone has
 * signed it. Returns its id; call `bringForward` after the commit, or leave it to the jobs.
 */
export async function queueSend(
  { rules }: Pick<WalletContext, 'rules'>,
  tx: StoreCtx,
  send: QueuedSend,
): Promise<string> {
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
  // A reserved part of a key's limit counts for its day: what is not sent by the end of the day is released.
  const deadlineAt = hasSpendingLimit(rights) ? Math.min(until, endOfDay(createdAt)) : until
  const wish = { id, walletId, purpose, accountId, destination, amount, reference, deadlineAt, createdAt }
  if (!(await insertSend(db, wish))) throw new Error(`There is a send for ${reference} already.`)
  if (isLimited) await checkDay(db, { accountId, dailySendMax, since: createdAt - DAY })
  await reserveSpend(db, { rights, amount, reference: id, now: createdAt })
  return id
}

/** How often to check a wallet that waits for another instance or a confirmation. */
const LOOK_EVERY = 200

/**
 * Waits until a queued send is on the ledger or has failed, at most as long as a client waits.
 * Giving up changes nothing: the jobs do the rest.
 */
export async function bringForward(
  { store, rules, queue }: WalletContext,
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

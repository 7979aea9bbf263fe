import { type Actor } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { insertAudit } from '../../accounts/index.ts'
import { SERVICE, findUnmatched } from '../../checkout/index.ts'
import { destinationRequired, notHeld } from '../errors.ts'
import { type SettledPayment, insertSettled, markReleased } from '../store.ts'
import { queueRefund } from './settle.ts'

interface Release {
  blockHash: string
  /** Where to, when it is not to go back to where it came from. */
  destination: string | undefined
  /** Whether what is sent to an address reaches an exchange and not its payer. */
  isExchange(address: string): boolean
  actor: Actor
}

/**
 * Sends back, by the operator's word, what could not go by itself: money from an exchange that has no place to go back
 * to, and money that fitted no order. Once, however often it is said.
 */
export function releasePayment(ctx: StoreCtx, release: Release): Promise<SettledPayment> {
  const { blockHash, destination, isExchange, actor } = release
  return inTx(ctx, async (tx) => {
    const held = await markReleased(tx.db, blockHash)
    const payment = held ?? (await settleUnmatched(tx, blockHash))
    if (!payment) throw notHeld()
    // Held means that it came from an exchange, whatever the list of them says today.
    if (destination === undefined && (held || isExchange(payment.payer))) throw destinationRequired()
    const to = destination ?? payment.payer
    await queueRefund(tx, { blockHash, destination: to, amountRaw: payment.amountRaw })
    await insertAudit(tx, { actor, accountId: null, what: 'payment.refunded', detail: { blockHash, destination: to } })
    return payment
  })
}

async function settleUnmatched({ db, clock }: StoreCtx, blockHash: string): Promise<SettledPayment | undefined> {
  const unmatched = await findUnmatched(db, { owner: SERVICE, blockHash })
  if (!unmatched) return undefined
  const { payer, amountRaw } = unmatched
  const payment: SettledPayment = {
    blockHash,
    checkoutId: null,
    kind: 'none',
    subject: '',
    accountId: null,
    payer,
    amountRaw,
    outcome: 'refunded',
    reason: 'unmatched',
    what: null,
    createdAt: clock.now(),
  }
  return (await insertSettled(db, payment)) ? payment : undefined
}

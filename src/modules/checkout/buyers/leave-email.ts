import { AppError, overLimit } from '../../../kernel/errors.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { takeFree } from '../../accounts/index.ts'
import { moveCheckout } from '../domain/move.ts'
import { checkoutNotFound } from '../errors.ts'
import { ANONYMOUS, type Checkout, OPEN_STATUSES, SERVICE } from '../record.ts'
import type { CheckoutContext } from '../context.ts'
import { lockCheckout } from '../store.ts'
import { queueMail } from './mail.ts'
import { readEmail } from './request.ts'
import { type Buyer, findBuyer, saveBuyer } from './store.ts'

const DAY = 86_400_000
/**
 * How many mail addresses may be left per day from one network address, so that it cannot use up the share of others.
 */
const LEFT_A_DAY = 20
/** The same for checkouts without an account. */
const LEFT_A_DAY_ANONYMOUS = 5
/** Enough to correct typing errors, too few to try a list of addresses. */
const CHANGES_MAX = 3

/** Whether the page of a checkout asks where the receipt should go. What the service itself sells has another way of confirmation. */
export function mayLeave(
  { owner, status }: Pick<Checkout, 'owner' | 'status'>,
  buyer: Pick<Buyer, 'email' | 'givenBy' | 'changes'> | undefined,
): boolean {
  if (owner === SERVICE) return false
  if (isUnpaid(status)) return !buyer?.email || (buyer.givenBy === 'payer' && buyer.changes < CHANGES_MAX)
  return !buyer?.email && (status === 'complete' || OPEN_STATUSES.some((open) => open === status))
}

/** Once money is on its way, the address decides who may collect it when it is given back. */
const isUnpaid = (status: Checkout['status']) => status === 'pending'

interface Left {
  email: unknown
  /** The language of the page. */
  language: string
  /** The payer's network address. */
  visitor: string
}

/** Stores the address to which a payer wants the receipt, before or after paying. */
export async function leaveEmail(ctx: CheckoutContext, id: string, { email, language, visitor }: Left): Promise<void> {
  const address = readEmail(email, 'email')
  // The form was sent twice.
  if ((await findBuyer(ctx.db, id))?.email === address) return
  await inTx(ctx, async (tx) => {
    const { db, clock } = tx
    const held = await lockCheckout(db, id)
    if (!held) throw checkoutNotFound()
    const known = await findBuyer(db, id)
    if (!mayLeave(held, known)) throw new AppError('conflict', 'The receipt of this payment goes elsewhere already.')
    const isPaid = held.status === 'complete'
    await countVisitor(tx, held, visitor)
    await saveBuyer(db, {
      checkoutId: id,
      owner: held.owner,
      name: known?.name ?? null,
      email: address,
      language,
      givenBy: isUnpaid(held.status) ? 'payer' : 'afterwards',
      createdAt: clock.now(),
    })
    await moveCheckout(tx, held, { reason: 'receipt asked for' })
    if (isPaid) await queueMail(tx, { checkoutId: id, about: 'paid' })
  })
  ctx.ports.announce(id)
}

/** Stores the address for the receipt of a paid order, as the merchant names it, if the buyer has left none. */
export async function nameBuyer(
  ctx: CheckoutContext,
  id: string,
  { email, language }: Pick<Left, 'email' | 'language'>,
): Promise<void> {
  const address = readEmail(email, 'email')
  await inTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, id)
    const known = await findBuyer(tx.db, id)
    if (held?.status !== 'complete' || known?.email) throw new AppError('conflict', 'There is no receipt to send.')
    const { owner } = held
    const said = { name: known?.name ?? null, email: address, language, givenBy: 'merchant' } as const
    await saveBuyer(tx.db, { checkoutId: id, owner, ...said, createdAt: tx.clock.now() })
    await moveCheckout(tx, held, { reason: 'receipt sent by the merchant' })
    await queueMail(tx, { checkoutId: id, about: 'paid' })
  })
}

async function countVisitor(
  { db, clock, ports }: CheckoutContext,
  { owner }: Checkout,
  visitor: string,
): Promise<void> {
  const caller = `visitor:${ports.secrets.fingerprint('buyer visitor', visitor)}`
  const max = owner === ANONYMOUS ? LEFT_A_DAY_ANONYMOUS : LEFT_A_DAY
  const meter = owner === ANONYMOUS ? 'buyer-email-anonymous' : 'buyer-email'
  const now = clock.now()
  const use = await takeFree(db, { caller, meter, now }, { max, windowMilliseconds: DAY })
  if ('freeAt' in use) {
    throw overLimit(`${max} email addresses a day from one network address.`, Math.ceil((use.freeAt - now) / 1000))
  }
}

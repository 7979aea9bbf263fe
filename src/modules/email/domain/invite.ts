import { inTx } from '../../../kernel/in-tx.ts'
import { PutOff } from '../../../kernel/job.ts'
import { MailRefused } from '../../../kernel/mail-job.ts'
import type { Mailer } from '../../../kernel/ports.ts'
import { findMerchant, takeFree } from '../../accounts/index.ts'
import type { EmailContext } from '../context.ts'
import { recipientContext } from '../tables.ts'
import { inviteMail } from '../mails.ts'
import {
  type Recipient,
  findRecipient,
  hasToken,
  insertToken,
  listSuppressed,
  markBounced,
  markDeclined,
  markSent,
} from '../recipients-store.ts'
import { type EmailPayment, findEmailPayment, lockOpenPayment } from '../store.ts'
import { notifyPages, notifySender } from './notify.ts'
import { createToken, hashToken } from './claim-link.ts'

/** Name of the job that mails a recipient their share. */
export const INVITE = 'email.invite'
export const MAIL_METER = 'email'
export const mailCallerOf = (emailHash: string) => `email:${emailHash}`
const DAY = 86_400_000

/**
 * Mails a recipient the link to their share. Only this mail contains the token; the store gets its hash, before the mail is sent. If the reply
 * of the mail server is lost and the mail is sent again, it has the same message id and another token, and both tokens open the share.
 */
export async function inviteRecipient(ctx: EmailContext, mailer: Mailer, recipientId: string): Promise<void> {
  const { store } = ctx
  const recipient = await findRecipient(store.db, recipientId)
  if (!recipient || recipient.status !== 'queued' || recipient.bouncedAt !== null || recipient.email === null) return
  const payment = await findEmailPayment(store.db, recipient.paymentId)
  if (payment?.status !== 'funded' || payment.cancelledAt !== null || store.clock.now() >= payment.expiresAt!) return
  if ((await listSuppressed(store.db, [recipient.emailHash!])).size > 0) return sendBack(ctx, payment, recipient)
  const token = createToken(store.random)
  await countMail(ctx, recipient, token)
  const merchant = await findMerchant(store.db, payment.accountId)
  const email = ctx.ports.secrets.open(recipientContext(recipientId), recipient.email)
  try {
    await mailer.send({ ...inviteMail(ctx, payment, recipient, { token, merchant }), recipient: email })
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error
    await noteBounce(ctx, payment, recipient)
    return
  }
  await markSent(store.db, recipientId, store.clock.now())
  notifyPages(store, payment)
}

/** Limits the mails to an address from all senders per day; the rest waits. Repeated attempts count once. */
async function countMail({ store, ports }: EmailContext, { id, emailHash }: Recipient, token: string): Promise<void> {
  const { mailsPerAddressMax: max } = ports.rules
  await store.db.transaction().execute(async (db) => {
    const now = store.clock.now()
    if (max > 0 && !(await hasToken(db, id))) {
      const allowance = { max, windowMilliseconds: DAY }
      const use = await takeFree(db, { caller: mailCallerOf(emailHash!), meter: MAIL_METER, now }, allowance)
      if ('freeAt' in use) throw new PutOff(use.freeAt, 'This address has reached its daily email limit.')
    }
    await insertToken(db, hashToken(token), { recipientId: id, now })
  })
}

/** The recipient has declined another payment since this one was made, and must get no mail. */
async function sendBack({ store }: EmailContext, payment: EmailPayment, { id: recipientId }: Recipient): Promise<void> {
  await inTx(store, async (tx) => {
    const now = tx.clock.now()
    if (!(await lockOpenPayment(tx.db, payment.id, now)) || !(await markDeclined(tx.db, recipientId, now))) return
    await notifySender(tx, payment, { kind: 'declined', recipientId })
  })
}

/** Notifies the sender. The share stays open until its time is over or the sender cancels it. */
async function noteBounce(ctx: EmailContext, payment: EmailPayment, recipient: Recipient): Promise<void> {
  await inTx(ctx.store, async (tx) => {
    if (!(await markBounced(tx.db, recipient.id, tx.clock.now()))) return
    await notifySender(tx, payment, { kind: 'bounced', recipientId: recipient.id })
  })
}

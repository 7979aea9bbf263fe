import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { PutOff, enqueue } from '../../../kernel/job.ts'
import { MailRefused } from '../../../kernel/mail-job.ts'
import type { Mailer } from '../../../kernel/ports.ts'
import { type FreeUse, giveBackFree, takeFree } from '../../accounts/index.ts'
import { findPayment } from '../../wallets/index.ts'
import { type Receipt, receiptMail } from '../mails.ts'
import { findRecipient, listRecipients, listSuppressed } from '../recipients-store.ts'
import { type EmailContext, fingerprintOf } from '../context.ts'
import { receiptContext, recipientContext } from '../tables.ts'
import { type EmailPayment, findEmailPayment } from '../store.ts'

/** Name of the job that mails a receipt. */
export const NOTIFY = 'email.tell'
const METER = 'email-receipts'
/** The sender's address is not verified, so it gets at most this many receipts of all payments in 24 hours. */
const RECEIPTS_MAX = 200
const DAY = 86_400_000

export type AskedReceipt = Receipt & { paymentId: string }

/** Makes the open pages of a payment's owner reload. */
export function notifyPages(
  { notifyAccount }: Pick<StoreCtx, 'notifyAccount'>,
  { accountId }: Pick<EmailPayment, 'accountId'>,
): void {
  notifyAccount(accountId, ['email'])
}

/** Queues a receipt in the transaction of the change it reports. The job contains no names or addresses. */
export async function notifySender(tx: StoreCtx, payment: EmailPayment, what: Receipt): Promise<void> {
  const { id, receipt } = payment
  notifyPages(tx, payment)
  if (receipt === null) return
  const payload: AskedReceipt = { ...what, paymentId: id }
  await enqueue(tx, { kind: NOTIFY, payload })
}

/** Mails one receipt. If it is sent twice, mailboxes recognise the duplicate by its message id. */
export async function mailReceipt(ctx: EmailContext, mailer: Mailer, asked: AskedReceipt): Promise<void> {
  const { db } = ctx.store
  const payment = await findEmailPayment(db, asked.paymentId)
  if (!payment || payment.receipt === null) return
  const to = ctx.ports.secrets.open(receiptContext(payment.id), payment.receipt)
  const recipient = 'recipientId' in asked ? await findRecipient(db, asked.recipientId) : undefined
  if ('recipientId' in asked && !recipient?.email) return
  const email = recipient && ctx.ports.secrets.open(recipientContext(recipient.id), recipient.email!)
  const paid = asked.kind === 'claimed' ? await findPayment(db, claimReference(asked.recipientId)) : undefined
  const emailHash = fingerprintOf(ctx, to)
  if ((await listSuppressed(db, [emailHash])).size > 0) return
  const counted = await countReceipt(ctx, emailHash)
  const mail = receiptMail(ctx, payment, {
    kind: asked.kind,
    share: recipient && { id: recipient.id, email: email!, amount: recipient.amount, hash: paid?.hash ?? undefined },
    recipients: await listRecipients(db, payment.id),
  })
  try {
    await mailer.send({ ...mail, recipient: to })
  } catch (error) {
    // A refused receipt concerns only the sender, so it is not reported as a failure.
    if (error instanceof MailRefused) return
    if (counted) await giveBackFree(db, counted)
    throw error
  }
}

/** Counts a receipt against the daily limit; at the limit it waits for the next day. */
async function countReceipt({ store, ports }: EmailContext, emailHash: string): Promise<FreeUse | undefined> {
  if (ports.rules.mailsPerAddressMax === 0) return undefined
  const allowance = { max: RECEIPTS_MAX, windowMilliseconds: DAY }
  const asked = { caller: `email:${emailHash}`, meter: METER, now: store.clock.now() }
  const use = await takeFree(store.db, asked, allowance)
  if ('freeAt' in use) throw new PutOff(use.freeAt, 'This address has reached its daily limit of receipts.')
  return use.taken
}

/** The payment reference of a recipient's share, which makes it the only payment for that share. */
export const claimReference = (recipientId: string) => `email-claim:${recipientId}`

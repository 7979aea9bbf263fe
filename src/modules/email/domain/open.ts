import { type Actor } from '../../../kernel/actor.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import type { KeyRights } from '../../../kernel/rights.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { RAW_MAX, type Raw, formatNano, toRaw } from '../../../kernel/money.ts'
import { bytesToHex } from '../../../kernel/nano/hex.ts'
import type { Db } from '../../../kernel/db.ts'
import { findFreeUse, insertAudit, lockAccount, pledgeTo, reserveSpend } from '../../accounts/index.ts'
import { alongWallet, splitShares } from '../../wallets/index.ts'
import { type EmailContext, fingerprintOf } from '../context.ts'
import { receiptContext, recipientContext } from '../tables.ts'
import { addressBusy, addressUnwilling, badField, tooManyRecipients } from '../errors.ts'
import { insertRecipient, listSuppressed } from '../recipients-store.ts'
import { type EmailPayment, countRecipientsSince, findEmailPayment, insertPayment } from '../store.ts'
import type { EmailRequest } from '../wire-fields.ts'
import { MAIL_METER, mailCallerOf } from './invite.ts'
import { notifyPages } from './notify.ts'

const DAY = 86_400_000
/** How long the sender has to pay. */
const FUNDING = DAY

/**
 * Makes an email payment with a wallet that waits for its funding; no mail is sent before that. The wallet can pay only to recipients, to the
 * treasury as the fee, or to the refund address.
 */
export async function openEmailPayment(
  ctx: EmailContext,
  { accountId, rights, actor }: { accountId: string; rights: KeyRights | undefined; actor: Actor },
  request: EmailRequest,
  idempotency?: Idempotency,
): Promise<EmailPayment> {
  const { store, ports } = ctx
  const made = idempotency?.made as { id: string } | undefined
  if (made) return (await findEmailPayment(store.db, made.id))!
  const { refundAddress, emails, receipt } = request
  const hashes = emails.map((email) => fingerprintOf(ctx, email))
  await refuseUnwanted(ctx, hashes, receipt)
  const total = request.amount + ports.rules.feeEach * BigInt(emails.length - 1)
  if (total > RAW_MAX) throw badField('amount', 'Invalid amount number', 'invalid_amount')
  const fee = toRaw(total - request.amount)
  await checkDay(ctx, store.db, accountId, emails.length)
  const id = bytesToHex(store.random.bytes(8)).toLowerCase()
  const terms = { accountId: undefined, purpose: 'email', refundAddress, metadata: { reference: id } }
  const createdAt = store.clock.now()
  await alongWallet(ctx, terms, (wallet) =>
    inTx(store, async (tx) => {
      const { db, ids } = tx
      // Locked, so that concurrent requests cannot exceed the limit.
      await lockAccount(db, accountId)
      await checkDay(ctx, db, accountId, emails.length)
      // Released if the payment is not funded; the send that funds it replaces the reservation.
      const pledge = { rights, amount: toRaw(total), reference: pledgeTo(wallet.address), now: createdAt }
      await reserveSpend(db, pledge)
      await wallet.keep(db)
      await insertPayment(db, {
        id,
        accountId,
        walletId: wallet.id,
        address: wallet.address,
        refundAddress,
        subtotal: request.amount,
        fee,
        recipients: emails.length,
        sender: request.sender,
        message: request.message,
        receipt: receipt === null ? null : ports.secrets.encrypt(receiptContext(id), receipt),
        lifetimeMilliseconds: request.lifetimeMilliseconds,
        createdAt,
        fundBy: createdAt + FUNDING,
        dueAt: createdAt,
      })
      for (const [position, amount] of sharesOf(request.amount, emails).entries()) {
        const recipientId = ids.next('emr')
        const email = ports.secrets.encrypt(recipientContext(recipientId), emails[position]!)
        const emailHash = hashes[position]!
        await insertRecipient(db, { id: recipientId, paymentId: id, position, email, emailHash, amount })
      }
      const detail = { id, amount: formatNano(total), recipients: emails.length }
      await insertAudit(tx, { actor, accountId, what: 'email.made', detail })
      await idempotency?.record(db, { id })
    }),
  )
  notifyPages(store, { accountId })
  return (await findEmailPayment(store.db, id))!
}

/** Equal shares, with the remainder on the last; none is zero, because the minimum was checked. */
function sharesOf(total: Raw, emails: readonly string[]): Raw[] {
  return splitShares(total, emails).map(({ amount }) => amount)
}

/** Refuses early what the mailing itself would refuse or delay. */
async function refuseUnwanted(ctx: EmailContext, hashes: readonly string[], receipt: string | null): Promise<void> {
  const { store, ports } = ctx
  const receiptHash = receipt === null ? [] : [fingerprintOf(ctx, receipt)]
  const suppressed = await listSuppressed(store.db, [...hashes, ...receiptHash])
  if (receiptHash.some((hash) => suppressed.has(hash))) throw addressUnwilling('email_receipt')
  const now = store.clock.now()
  const { mailsPerAddressMax: max } = ports.rules
  for (const [at, hash] of hashes.entries()) {
    if (suppressed.has(hash)) throw addressUnwilling(`emails[${at}]`)
    const use = await findFreeUse(store.db, { caller: mailCallerOf(hash), meter: MAIL_METER, now })
    const isFull = max > 0 && use !== undefined && use.taken >= max
    if (isFull) throw addressBusy(`emails[${at}]`, Math.ceil((use.endsAt - now) / 1000))
  }
}

async function checkDay({ store, ports }: EmailContext, db: Db, accountId: string, more: number): Promise<void> {
  const { recipientsPerDayMax: max } = ports.rules
  if (max === 0) return
  const now = store.clock.now()
  const { count, first = now } = await countRecipientsSince(db, accountId, now - DAY)
  if (count + more > max) throw tooManyRecipients(max, Math.max(1, Math.ceil((first + DAY - now) / 1000)))
}

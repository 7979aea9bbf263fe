import { createHash, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../../kernel/db.ts'
import { badField } from '../../../kernel/errors.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { type Raw, formatNano } from '../../../kernel/money.ts'
import { bytesToHex } from '../../../kernel/nano/hex.ts'
import type { Random } from '../../../kernel/ports.ts'
import { type NewWallet, alongWallet } from '../../wallets/index.ts'
import { type TokenHash, insertRecipient, insertToken, listRecipients, markSent } from '../recipients-store.ts'
import type { EmailContext } from '../context.ts'
import { findEmailPayment, insertPayment, markCancelled } from '../store.ts'

const DAY = 86_400_000
/** How long the money may take to reach its wallet, and how long it can be claimed after that. */
const FUNDING = DAY
const LIFETIME = 30 * DAY

interface PreparedLink {
  id: string
  address: string
  wallet: NewWallet
  returnTo: string
}

interface LinkTerms {
  returnTo: string
  amount: Raw
}

/**
 * Makes the wallet that holds money for the person who opens a link, together with what `run` stores. It works like an email payment without the mail:
 * the sender passes the link on.
 */
export async function alongLink<T>(
  ctx: EmailContext,
  { returnTo, amount }: LinkTerms,
  run: (link: PreparedLink) => Promise<T>,
): Promise<T> {
  const { receiveMin } = ctx.rules
  if (amount < receiveMin) throw badField('amount', `A claim link must be for at least ${formatNano(receiveMin)} nano.`)
  const id = bytesToHex(ctx.store.random.bytes(8)).toLowerCase()
  const terms = { accountId: undefined, purpose: 'email', refundAddress: returnTo, metadata: { reference: id } }
  return alongWallet(ctx, terms, (wallet) => run({ id, address: wallet.address, wallet, returnTo }))
}

interface LinkFor {
  refundId: string
  accountId: string
  amount: Raw
  title: string | null
}

/** Stores the link, in the transaction that queues the money's send. */
export async function recordLink(
  ctx: EmailContext,
  tx: StoreCtx,
  { id, address, wallet, returnTo }: PreparedLink,
  { refundId, accountId, amount, title }: LinkFor,
): Promise<void> {
  const { db, clock, ids } = tx
  const now = clock.now()
  await wallet.keep(db)
  await insertPayment(db, {
    id,
    accountId,
    walletId: wallet.id,
    address,
    refundAddress: returnTo,
    subtotal: amount,
    fee: 0n as Raw,
    recipients: 1,
    sender: null,
    message: title === null ? 'Refund' : `Refund: ${title}`,
    receipt: null,
    lifetimeMilliseconds: LIFETIME,
    createdAt: now,
    fundBy: now + FUNDING,
    dueAt: now,
    linkFor: refundId,
  })
  const recipientId = ids.next('emr')
  await insertRecipient(db, { id: recipientId, paymentId: id, position: 0, email: null, emailHash: null, amount })
  // There is no mail to send.
  await markSent(db, recipientId, now)
  await insertToken(db, hashToken(tokenOf(ctx, refundId)), { recipientId, now })
}

/** The link. Its token is derived from the refund, so it can be shown again to the sender, who may know it. */
export const linkOf = (ctx: EmailContext, refundId: string): string => ctx.ports.links.claim(tokenOf(ctx, refundId))

/** 256 bits that can be computed only with this gateway's secret key. */
const tokenOf = ({ ports }: EmailContext, refundId: string): string =>
  Buffer.from(ports.secrets.fingerprint('refund-link', refundId), 'hex').toString('base64url')

/** The status of a link's money. */
export async function findLink(
  db: Db,
  id: string,
): Promise<{ status: 'open' | 'claimed' | 'returned'; address: string | null } | undefined> {
  const payment = await findEmailPayment(db, id)
  const [recipient] = payment ? await listRecipients(db, id) : []
  if (!payment || !recipient) return undefined
  if (recipient.status === 'claimed') return { status: 'claimed', address: recipient.claimAddress }
  const isOver = payment.status === 'expired' || recipient.status === 'refunded'
  return { status: isOver ? 'returned' : 'open', address: null }
}

/** Returns unclaimed money; does nothing when the link is over. */
export async function cancelLink(tx: StoreCtx, id: string): Promise<void> {
  const payment = await findEmailPayment(tx.db, id)
  if (payment) await markCancelled(tx.db, { id, accountId: payment.accountId, now: tx.clock.now() })
}

const BYTES = 32
const SELECTOR_LENGTH = 32
const FORM = /^[A-Za-z0-9_-]{43}$/

/** 256 random bits that open a share. Their holder counts as its recipient. */
export function createToken(random: Random): string {
  return Buffer.from(random.bytes(BYTES)).toString('base64url')
}

/** Half of a token's hash finds the row; the other half is compared in constant time, so that timing reveals nothing. */
export function hashToken(token: string): TokenHash {
  const hash = createHash('sha256').update(token).digest('hex')
  return { selector: hash.slice(0, SELECTOR_LENGTH), verifier: hash.slice(SELECTOR_LENGTH) }
}

/** Reads a token as people paste it; undefined when it cannot be one. */
export function readToken(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  // Many people paste the whole link.
  const token = text.slice(text.indexOf('#') + 1)
  return FORM.test(token) ? token : undefined
}

export function fits(given: TokenHash, kept: Pick<TokenHash, 'verifier'>): boolean {
  return timingSafeEqual(Buffer.from(given.verifier), Buffer.from(kept.verifier))
}

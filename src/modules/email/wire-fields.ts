import { domainToASCII } from 'node:url'
import { type Raw, parseNano } from '../../kernel/money.ts'
import { BURN_ADDRESS } from '../../kernel/nano/address.ts'
import { given } from '../../kernel/shown-fields.ts'
import { badField } from './errors.ts'

/** A validated request for an email payment. */
export interface EmailRequest {
  refundAddress: string
  amount: Raw
  emails: string[]
  sender: string | null
  message: string | null
  receipt: string | null
  lifetimeMilliseconds: number
}

type Body = Readonly<Record<string, unknown>>

const HOUR = 3_600_000
const DAY = 24 * HOUR
const LIFETIME_MIN = HOUR
const LIFETIME_MAX = 90 * DAY
const LIFETIME_DEFAULT = 30 * DAY
export const EMAILS_MAX = 50
export const SENDER_MAX = 60
export const MESSAGE_MAX = 280
/** Many wallets do not receive less than this, and the work would cost more than the share. */
const SHARE_MIN = parseNano('0.000001')!
/** No quotes, comments or routes: only what every mail server reads in the same way. */
const LOCAL_PART = /^(?=.{1,64}$)[A-Za-z0-9_+=&'*~^$#-]+(?:\.[A-Za-z0-9_+=&'*~^$#-]+)*$/
const DOMAIN = /^(?=.{4,190}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/
const CONTROL = /\p{Cc}/u
const CONTROL_BUT_LINES = /(?!\n)\p{Cc}/u
/** Zero-width and direction characters can make one text look like another. */
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}]/gu
/** Texts that mail programs turn into links, or that people would type into a browser. */
const LINK =
  /:\/\/|\bwww[.。]|\b(?:mailto|tel|sms|nano|xno|javascript|data|file):|[\p{L}\p{N}_-][.。]\p{L}{2,}|\d+\.\d+\.\d+\.\d+|\S@\S/iu

/** Reads the fields of `nano_email` and names the first wrong one (contract 4.4). */
export function readEmailRequest(
  fields: Body & { refund_address: string; amount: Raw; expiration?: number },
): EmailRequest {
  const { refund_address: refundAddress, amount, expiration: lifetimeMilliseconds = LIFETIME_DEFAULT } = fields
  if (refundAddress === BURN_ADDRESS) {
    throw badField('refund_address', 'Funds sent to the burn account are lost.', 'invalid_account')
  }
  const emails = readEmails(fields.emails)
  if (amount / BigInt(emails.length) < SHARE_MIN) {
    throw badField('amount', 'Each recipient must get at least 0.000001 nano.', 'invalid_amount')
  }
  if (lifetimeMilliseconds < LIFETIME_MIN || lifetimeMilliseconds > LIFETIME_MAX) {
    throw badField('expiration', 'expiration must be from 1 hour to 90 days.', 'invalid_duration')
  }
  const receipt = given(fields.email_receipt)
  return {
    refundAddress,
    amount,
    emails,
    sender: readSender('from', fields.from),
    message: readMessage('message', fields.message),
    receipt: receipt === undefined ? null : readEmail('email_receipt', receipt),
    lifetimeMilliseconds,
  }
}

function readEmails(value: unknown): string[] {
  const list: unknown[] | undefined = Array.isArray(value) ? value : typeof value === 'string' ? [value] : undefined
  if (!list || list.length === 0 || list.length > EMAILS_MAX) {
    throw badField('emails', `emails must be a list of 1 to ${EMAILS_MAX} addresses.`, 'invalid_list')
  }
  const emails = list.map((email, at) => readEmail(`emails[${at}]`, email))
  const seen = new Set<string>()
  for (const [at, email] of emails.entries()) {
    if (seen.has(email.toLowerCase()))
      throw badField(`emails[${at}]`, 'Each address can be listed only once.', 'invalid_email')
    seen.add(email.toLowerCase())
  }
  return emails
}

/** One plain address: nothing that a mail program could read as a list, a name, a route or a line of its own. */
export function readEmail(field: string, value: unknown): string {
  const bad = () => badField(field, 'Invalid email', 'invalid_email')
  if (typeof value !== 'string' || value.length > 255) throw bad()
  const [local = '', given = '', ...more] = value.split('@')
  const domain = domainToASCII(given).toLowerCase()
  // Only domains in other scripts may change by normalisation; another address that changes is meant to deceive.
  const isSame = domain === given.toLowerCase() || domain.includes('xn--')
  if (more.length > 0 || !LOCAL_PART.test(local) || !DOMAIN.test(domain) || !isSame) throw bad()
  return `${local}@${domain}`
}

export const readSender = (field: string, value: unknown) => readText(field, value, SENDER_MAX, CONTROL)
export const readMessage = (field: string, value: unknown) => readText(field, value, MESSAGE_MAX, CONTROL_BUT_LINES)

function readText(field: string, value: unknown, max: number, forbidden: RegExp): string | null {
  const text = given(value)
  if (text === undefined) return null
  if (typeof text !== 'string') throw badField(field, `${field} must be a text.`)
  const lines = text.replaceAll('\r\n', forbidden === CONTROL ? '\r\n' : '\n')
  if (forbidden.test(lines)) throw badField(field, `${field} cannot contain control characters.`)
  const shown = lines.toWellFormed().replace(INVISIBLE, '').trim()
  if ([...shown].length > max) throw badField(field, `${field} has at most ${max} characters.`)
  if (LINK.test(shown.normalize('NFKC').replace(INVISIBLE, ''))) {
    throw badField(field, `${field} cannot contain links or email addresses. Put a space after each dot.`)
  }
  return shown === '' ? null : shown
}

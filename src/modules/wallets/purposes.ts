/** Purposes of sends. Every send in the outbox has one before its block is broadcast. */
export const SEND_PURPOSES = [
  /** The owner of a cloud wallet sends. */
  'send',
  /** A recipient claims an email payment, or a refund by link, to an address of their choice. */
  'claim',
  /** A customer's exchange is paid to the address they gave. */
  'swap',
  /** A merchant refunds a checkout, to the payer or into the wallet of a link. */
  'refund',
  /** The wallet of a checkout forwards its payment to the merchant. */
  'forward',
  /** An ended cloud wallet pays out its balance. */
  'sweep',
  /** An unclaimed payment, or one that could not be exchanged, returns to its sender. */
  'return',
  /** The service could not deliver a sale, so the price is refunded. */
  'sale_refund',
  /** The service's fee for an email payment. */
  'fee',
  'faucet',
  /** The deposit of an exchange is collected. */
  'swap_deposit',
] as const

export type SendPurpose = (typeof SEND_PURPOSES)[number]

/**
 * A person decided on these sends and their recipients, so they can pay checkouts like sends from outside. All other sends are internal
 * transfers of the service, which pay no checkout.
 */
const PERSONAL: ReadonlySet<string> = new Set<SendPurpose>(['send', 'claim', 'swap'])

/** Whom a send of ours may pay. */
export type Payees = 'everybody' | 'nobody' | { everybodyBut: string }

/** The columns of a send that give its purpose. */
interface NamedSend {
  purpose: SendPurpose | null
  account_id: string | null
  plan_id: string | null
  reference: string | null
}

export function payeesOf(send: NamedSend): Payees {
  const purpose = send.purpose ?? unnamedPurpose(send)
  if (purpose === 'refund' && send.account_id !== null) return { everybodyBut: send.account_id }
  return PERSONAL.has(purpose) ? 'everybody' : 'nobody'
}

/** Sends of 0.2, and of gateways of that version still running beside this one, have no purpose; it follows from their references. */
function unnamedPurpose({ account_id: accountId, plan_id: planId, reference }: NamedSend): SendPurpose {
  if (planId !== null) return 'sweep'
  if (reference?.startsWith('payment:email-claim:')) return 'claim'
  if (accountId === null) return 'return'
  return reference?.startsWith('refund:') ? 'refund' : 'send'
}

/** The purpose of a wallet's final payout, by what the wallet was made for. */
const ENDINGS: Readonly<Record<string, SendPurpose>> = { checkout: 'forward', email: 'return', swap: 'return' }

export const endingPurpose = (wallet: { purpose: string }): SendPurpose => ENDINGS[wallet.purpose] ?? 'sweep'

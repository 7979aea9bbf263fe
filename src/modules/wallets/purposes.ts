/** What a send of a wallet can be for. Every send in the outbox names one before its block leaves. */
export const SEND_PURPOSES = [
  /** The owner of a cloud wallet sends. */
  'send',
  /** A recipient takes a payment by email, or a refund by link, to an address of their choice. */
  'claim',
  /** A customer's exchange is paid out to the address that they named. */
  'swap',
  /** A merchant refunds a checkout: to the payer, or into the wallet of a link. */
  'refund',
  /** The wallet of a checkout passes on what it was paid. */
  'forward',
  /** An ended cloud wallet gives away what it held. */
  'sweep',
  /** What was not claimed, or could not be exchanged, goes back to who put it there. */
  'return',
  /** What the service sold could not be given: the price goes back. */
  'sale_refund',
  /** The service's fee for a payment by email. */
  'fee',
  'faucet',
  /** What a customer exchanges is collected. */
  'swap_deposit',
] as const

export type SendPurpose = (typeof SEND_PURPOSES)[number]

/**
 * A person decided on these sends and where they go: they pay like any send from outside. Whatever is not listed here is an errand of
 * the service, which pays nobody.
 */
const PERSONAL: ReadonlySet<string> = new Set<SendPurpose>(['send', 'claim', 'swap'])

/** Whom a send of ours may pay. */
export type Payees = 'everybody' | 'nobody' | { everybodyBut: string }

/** As its row has it. */
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

/** Sends of 0.2, and of its gateways that are still running beside ours, name no purpose; their references tell. */
function unnamedPurpose({ account_id: accountId, plan_id: planId, reference }: NamedSend): SendPurpose {
  if (planId !== null) return 'sweep'
  if (reference?.startsWith('payment:email-claim:')) return 'claim'
  if (accountId === null) return 'return'
  return reference?.startsWith('refund:') ? 'refund' : 'send'
}

/** Why a wallet gives away everything when it ends, by what it was made for. */
const ENDINGS: Readonly<Record<string, SendPurpose>> = { checkout: 'forward', email: 'return', swap: 'return' }

export const endingPurpose = (wallet: { purpose: string }): SendPurpose => ENDINGS[wallet.purpose] ?? 'sweep'

import { optionError } from './errors.ts'

/** The options of this provider in `medusa-config.ts`. */
export interface NanoOptions {
  /** URL of the gateway. */
  url: string
  /** A secret key of its account, with the scopes `checkout` and `refunds`. */
  key: string
  /** The address that is paid, or an `@username`. If it is a cloud wallet of the account, refunds are paid from it. */
  address: string
  /** The secret that webhooks are signed with. */
  webhookSecret: string
  /** Where this shop receives webhooks; leave it out if the account has an endpoint at the gateway. */
  webhookUrl?: string
  /** Where the payer goes after a payment, or without one; `{session_id}` is replaced. */
  successUrl?: string
  cancelUrl?: string
  /** Title on the payment page. */
  title?: string
  /** How payments are distinguished; by default the gateway decides. */
  mode?: 'unique_amount' | 'unique_address' | 'generated_wallet'
  /** How much time a payer has, for instance `30 minutes`. */
  expire?: string
  /** The cloud wallet that pays refunds, if it is not `address`. */
  refundFrom?: string
  /** The exchange rate of refunds: that of the payment, or the current one. */
  refundRate?: 'paid' | 'now'
}

const MODES: readonly unknown[] = ['unique_amount', 'unique_address', 'generated_wallet']
const isUrl = (value: string) => /^https?:\/\//.test(value) && URL.canParse(value)
/** The key is sent there, so it must be encrypted, except on this machine. */
const isSafeUrl = (value: string) =>
  isUrl(value) && (value.startsWith('https:') || /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(value).hostname))
const addressOf = (value: string) => /^(?:@\S+|(?:nano|xrb)_[13]\S{59})$/.test(value)

type Rule = { needed?: boolean; is: (value: string) => boolean; otherwise: string }

const url: Rule = { is: isUrl, otherwise: 'it must begin with https:// or http://.' }
const text: Rule = { is: (value) => value.trim() !== '', otherwise: 'it must be a text.' }

const RULES: Record<keyof NanoOptions, Rule> = {
  url: { is: isSafeUrl, otherwise: 'it must begin with https://, or with http:// on this machine.', needed: true },
  key: {
    needed: true,
    is: (value) => /^rpc_sk_\w+$/.test(value),
    otherwise: 'it must be a secret key, which begins with rpc_sk_.',
  },
  address: { needed: true, is: addressOf, otherwise: 'it must be a nano address or a @username.' },
  webhookSecret: {
    needed: true,
    is: (value) => /^[\x20-\x7e]{8,256}$/.test(value),
    otherwise: 'it must have 8 to 256 printable characters.',
  },
  webhookUrl: url,
  successUrl: url,
  cancelUrl: url,
  title: text,
  mode: { is: (value) => MODES.includes(value), otherwise: `it must be one of ${MODES.join(', ')}.` },
  expire: text,
  refundFrom: { is: addressOf, otherwise: 'it must be the address of a cloud wallet.' },
  refundRate: { is: (value) => value === 'paid' || value === 'now', otherwise: 'it must be paid or now.' },
}

/** Refuses invalid options when the shop starts. Messages repeat no values, because some are secrets. */
export function readOptions(given: unknown): NanoOptions {
  const options = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(RULES, name))
  if (unknown !== undefined)
    throw optionError(unknown, `there is none of that name, but ${Object.keys(RULES).join(', ')}.`)
  for (const [name, { needed, is, otherwise }] of Object.entries(RULES)) {
    const value = options[name]
    if (value === undefined || value === '') {
      if (needed) throw optionError(name, 'it is missing.')
    } else if (typeof value !== 'string' || !is(value)) throw optionError(name, otherwise)
  }
  const set = Object.entries(options).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(set) as unknown as NanoOptions
}

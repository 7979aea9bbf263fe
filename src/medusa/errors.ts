import { GatewayError } from '../client/index.ts'

/** Medusa's kinds of errors; each has a status. */
type ErrorType = 'invalid_data' | 'not_allowed' | 'not_found' | 'unexpected_state'

/** An error in the form that Medusa's workflows and routes expect. */
export class NanoPaymentError extends Error {
  override readonly name = 'NanoPaymentError'
  readonly __isMedusaError = true
  readonly type: ErrorType
  readonly code: string | undefined
  readonly date = new Date()

  constructor(type: ErrorType, message: string, { code, cause }: { code?: string; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.type = type
    this.code = code
  }
}

export const optionError = (option: string, message: string, cause?: unknown) =>
  new NanoPaymentError('invalid_data', `Option \`${option}\` of @nano-gateway/medusa: ${message}`, {
    code: 'invalid_option',
    cause,
  })

/** The fields of a request whose values come from options. */
const OPTION_OF: Record<string, string> = {
  address: 'address',
  webhook_url: 'webhookUrl',
  webhook_secret: 'webhookSecret',
  success_url: 'successUrl',
  cancel_url: 'cancelUrl',
  title: 'title',
  mode: 'mode',
  expire: 'expire',
  from: 'refundFrom',
}

/**
 * Converts an error of the gateway to Medusa's form, and names the option that caused it. Leaves out the gateway's
 * address, because shoppers may see the message.
 */
export function toMedusaError(error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error
  const { code, status, message, field = '', body } = error
  const unexpected = (text: string) => new NanoPaymentError('unexpected_state', text, { code, cause: error })
  const option = (name: string, text: string) => `Option \`${name}\` of @nano-gateway/medusa: ${text}`
  if (code === 'network_error') return unexpected(option('url', 'no gateway responded.'))
  if (code === 'timeout') return unexpected(option('url', 'the gateway took too long to respond.'))
  if (code === 'unexpected_answer') return unexpected(option('url', 'the server there is not a gateway.'))
  if (status === 401) return unexpected(option('key', message))
  if (code === 'missing_scope') {
    const { scope } = (body ?? {}) as { scope?: unknown }
    return unexpected(option('key', `it lacks the scope ${String(scope)}.`))
  }
  if (code === 'refund_source_required') {
    return unexpected(option('refundFrom', `${message} Use a cloud wallet of the account.`))
  }
  const named = OPTION_OF[field]
  if (named !== undefined) return unexpected(option(named, message))
  if (status === 404) return new NanoPaymentError('not_found', message, { code, cause: error })
  if (status >= 400 && status < 500 && status !== 429) {
    return new NanoPaymentError('not_allowed', message, { code, cause: error })
  }
  return unexpected(message)
}

import { formatNano } from '../kernel/money.ts'
import { ASSET, SCHEME, X402_VERSION, toMembers } from '../kernel/x402/wire.ts'
import { raw } from './amounts.ts'
import { type ExactNanoPayload, type ExactNanoRequirements, type WalletOptions, exactNano } from './exact-nano.ts'
import { GatewayError } from './gateway-error.ts'
import type { Fetch } from './ledger-rpc.ts'

type NetworkName = `${string}:${string}`

/** What is to be paid: one entry of `accepts`, in the format of the standard packages. */
export interface Requirements extends ExactNanoRequirements {
  scheme: string
  network: NetworkName
  maxTimeoutSeconds: number
  extra: Record<string, unknown>
}

/** The outcome of a settlement, as the protocol defines it. */
export interface Settlement {
  success: boolean
  /** Hash of the block; empty if the block is certainly not on the ledger. */
  transaction: string
  network: NetworkName
  payer?: string
  errorReason?: string
  errorMessage?: string
}

export interface Verification {
  isValid: boolean
  payer?: string
  invalidReason?: string
}

export interface ExactNanoOptions extends Partial<WalletOptions> {
  /** The facilitator of a gateway, for instance `https://rpc.example/facilitator`. It verifies and settles payments. */
  facilitator?: string | undefined
  fetch?: Fetch | undefined
}

/**
 * The scheme `exact` on Nano, for all three roles of the standard packages: `register('nano:mainnet', new
 * ExactNanoScheme({ … }))`. A client needs `privateKey` and `rpcUrl`, a facilitator `facilitator`, a resource server
 * nothing.
 */
export class ExactNanoScheme {
  readonly scheme = SCHEME
  readonly caipFamily = 'nano:*'
  readonly defaultAssetTransferMethod = 'default'
  /** A payment is settled before anything is served, because a payer could spend a merely verified block elsewhere. */
  readonly paymentFlows = { default: { supported: ['upfront'], default: 'upfront' } } as const
  readonly #options: ExactNanoOptions
  #payer: ReturnType<typeof exactNano> | undefined

  constructor(options: ExactNanoOptions = {}) {
    this.#options = options
  }

  /** For a client: signs the block that pays. */
  createPaymentPayload(x402Version: number, requirements: ExactNanoRequirements): Promise<ExactNanoPayload> {
    this.#payer ??= exactNano(this.#wallet())
    return this.#payer.createPaymentPayload(x402Version, requirements)
  }

  #wallet(): WalletOptions {
    const { privateKey, rpcUrl, findWork } = this.#options
    if (privateKey === undefined || rpcUrl === undefined)
      throw new TypeError('To pay, privateKey and rpcUrl are needed.')
    return { privateKey, rpcUrl, ...(findWork && { findWork }) }
  }

  /** For a server: a price in nano (`'0.01'`, `'0.01 nano'`), or in raw as `{ amount, asset: 'XNO' }`. */
  async parsePrice(
    price: string | number | { amount: string; asset: string },
    _network?: string,
  ): Promise<{ amount: string; asset: string }> {
    if (typeof price === 'object') return price
    const text = String(price).trim()
    const [, nano] = /^([0-9.]+(?:e-?[0-9]+)?)(?:\s*(?:nano|xno))?$/i.exec(text) ?? []
    if (nano !== undefined && raw(nano, 'price') > 0n) return { amount: raw(nano, 'price').toString(), asset: ASSET }
    const message = `“${text}” is not a price in nano. Write for instance '0.01 nano'.`
    throw new GatewayError(message, { code: 'invalid_amount', field: 'price' })
  }

  getAssetDecimals(asset: string, _network?: string): number | undefined {
    return asset === ASSET ? 30 : undefined
  }

  async enhancePaymentRequirements<Given extends Requirements>(requirements: Given): Promise<Given> {
    return requirements
  }

  /** For a facilitator. */
  getExtra(_network?: string): undefined {
    return undefined
  }

  getSigners(_network?: string): string[] {
    return []
  }

  async verify(payload: object, requirements: Requirements): Promise<Verification> {
    const answer = await askFacilitator(this.#options, 'verify', { payload, requirements })
    if (typeof answer?.isValid === 'boolean') return answer as unknown as Verification
    throw unavailable()
  }

  /** Throws if the outcome is unknown: the payment may be on the ledger. */
  settle(payload: object, requirements: Requirements): Promise<Settlement> {
    return settle(this.#options, { payload, requirements })
  }
}

interface Facilitated {
  payload: object
  requirements: Requirements
  /** Identifies one settlement. For the same key the facilitator repeats its answer. */
  key?: string
}

type FacilitatorOptions = Pick<ExactNanoOptions, 'facilitator' | 'fetch'>

/** Throws if the outcome is unknown: the payment may be on the ledger. */
export async function settle(options: FacilitatorOptions, what: Facilitated): Promise<Settlement> {
  const answer = await askFacilitator(options, 'settle', what)
  if (typeof answer?.success === 'boolean') return answer as unknown as Settlement
  throw unavailable()
}

async function askFacilitator(
  { facilitator, fetch = (url, init) => globalThis.fetch(url, init) }: FacilitatorOptions,
  path: 'verify' | 'settle',
  { payload: paymentPayload, requirements: paymentRequirements, key }: Facilitated,
) {
  if (facilitator === undefined) throw new TypeError('To verify and settle, facilitator is needed.')
  const { maxTimeoutSeconds } = paymentRequirements
  const response = await fetch(`${facilitator.replace(/\/+$/, '')}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    body: JSON.stringify({ x402Version: X402_VERSION, paymentPayload, paymentRequirements }),
    signal: AbortSignal.timeout((maxTimeoutSeconds + 10) * 1_000),
  })
  // An outcome may come with any status.
  return toMembers(await response.json())
}

const unavailable = () => new GatewayError('The facilitator gave no outcome.', { code: 'unexpected_answer' })

/** As text for people: `0.01 nano`. */
export const priceText = (amount: string): string => `${formatNano(BigInt(amount))} nano`

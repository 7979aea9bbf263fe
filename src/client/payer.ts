import { fromAddress } from '../kernel/nano/address.ts'
import { hashBlock, toBlockJson } from '../kernel/nano/block.ts'
import { readAmount } from '../kernel/x402/payment-block.ts'
import { ASSET, SCHEME, X402_VERSION, decodeHeader, encodeHeader, toMembers } from '../kernel/x402/wire.ts'
import { type AccountSigner, resolvePending } from './account-signer.ts'
import type { Budget, Entry } from './budget.ts'
import { GatewayError } from './gateway-error.ts'
import type { Fetch } from './ledger-rpc.ts'
import { backOff, rest } from './call.ts'

interface Terms {
  /** The entry of `accepts` as it arrived, because it must be sent back unchanged. */
  accepted: Record<string, unknown>
  link: string
  payTo: string
  amount: bigint
  resource: Record<string, unknown> | undefined
}

const REPEATS_MAX = 5
const WAIT_SECONDS_MAX = 10

/** Pays for requests that cost something (x402), within a budget. */
export class Payer {
  readonly budget: Budget
  readonly #signer: AccountSigner
  readonly #network: string | undefined
  readonly #fetch: Fetch
  readonly #paid = new WeakSet<Response>()

  constructor(
    signer: AccountSigner,
    budget: Budget,
    { network, fetch }: { network: string | undefined; fetch: Fetch },
  ) {
    this.#signer = signer
    this.budget = budget
    this.#network = network
    this.#fetch = fetch
  }

  get address(): string {
    return this.#signer.chain.address
  }

  /** Whether a payment was sent for this answer. */
  wasPaid(response: Response): boolean {
    return this.#paid.has(response)
  }

  /** Sends a request; if the answer is a price within the budget, pays it and sends the request again. */
  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init)
    const { method, redirect, signal } = request
    const body = method === 'GET' || method === 'HEAD' ? undefined : await request.arrayBuffer()
    const send = (payment?: string) => {
      const headers = new Headers(request.headers)
      if (payment !== undefined) headers.set('payment-signature', payment)
      return this.#fetch(request.url, { method, headers, redirect, signal, ...(body && { body }) })
    }
    const asked = await send()
    const terms = asked.status === 402 ? this.#readTerms(asked) : undefined
    if (!terms) return asked
    await asked.body?.cancel()
    const entry = await this.#sign(terms, request.url)
    const payment = encodeHeader({
      x402Version: X402_VERSION,
      payload: { block: toBlockJson(entry.block) },
      ...(terms.resource && { resource: terms.resource }),
      accepted: terms.accepted,
    })
    return this.#present(entry, () => send(payment), signal)
  }

  /** The first offer that this account can pay. */
  #readTerms(response: Response): Terms | undefined {
    const required = decodeHeader(response.headers.get('payment-required') ?? '')
    const offers = Array.isArray(required?.accepts) ? required.accepts : []
    for (const offer of offers) {
      const accepted = toMembers(offer)
      const { scheme, network, asset, payTo } = accepted ?? {}
      const amount = readAmount(accepted?.amount)
      const link = typeof payTo === 'string' ? fromAddress(payTo) : undefined
      if (scheme !== SCHEME || asset !== ASSET || !this.#isOurs(network)) continue
      if (accepted && amount !== undefined && link !== undefined) {
        return { accepted, amount, link, payTo: payTo as string, resource: toMembers(required?.resource) }
      }
    }
    return undefined
  }

  /** A block is valid on one ledger only, so without a configured network any Nano network is accepted. */
  #isOurs(network: unknown): boolean {
    return this.#network === undefined ? String(network).startsWith('nano:') : network === this.#network
  }

  #sign({ amount, link, payTo, resource }: Terms, url: string): Promise<Entry> {
    return this.#signer.inTurn(async () => {
      const head = await this.#signer.nextHead(amount)
      await resolvePending(this.#signer.chain, this.budget, head)
      this.budget.require(amount, head.previous)
      const block = await this.#signer.signSend(head, link, amount)
      const description = typeof resource?.description === 'string' ? resource.description : undefined
      const entry = this.budget.enter({ what: url, description, to: payTo, amount, hash: hashBlock(block), block })
      this.#signer.handOver(block)
      return entry
    })
  }

  /** Presents one payment until its outcome is known; a second payment would pay twice. */
  async #present(entry: Entry, send: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
    for (let repeats = 0; ; repeats++) {
      const response = await this.#try(send, signal, repeats)
      if (!response) continue
      const receipt = decodeHeader(response.headers.get('payment-response') ?? '')
      if (receipt?.success === true) entry.state = 'settled'
      else if (response.status === 402) this.#signer.takeBack(entry.block)
      else if (response.status === 503 && repeats < REPEATS_MAX) {
        await response.body?.cancel()
        await rest(waitAfter(response, repeats), signal)
        continue
      }
      this.#paid.add(response)
      return response
    }
  }

  /** Undefined if no reply came and another try is useful. */
  async #try(send: () => Promise<Response>, signal: AbortSignal, repeats: number): Promise<Response | undefined> {
    try {
      return await send()
    } catch (error) {
      if (repeats < REPEATS_MAX && !signal.aborted) {
        await rest(backOff(repeats), signal)
        return undefined
      }
      const message = 'A paid request gets no answer.'
      throw new GatewayError(message, { code: 'network_error', paid: true, cause: error })
    }
  }
}

const waitAfter = (response: Response, repeats: number): number => {
  const seconds = Number(response.headers.get('retry-after') ?? 0)
  return Math.max(Math.min(seconds, WAIT_SECONDS_MAX) * 1_000, backOff(repeats))
}

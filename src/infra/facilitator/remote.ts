import { Pool } from 'undici'
import { toBlockJson } from '../../kernel/nano/block.ts'
import type { Clock } from '../../kernel/ports.ts'
import {
  type Facilitator,
  type PaymentPayload,
  type PaymentTerms,
  type SettleResponse,
  type SupportedResponse,
  type VerifyResponse,
  toMembers,
} from '../../kernel/x402/wire.ts'
import { readPaymentBlock } from '../../kernel/x402/payment-block.ts'

const VERIFY_MILLISECONDS = 10_000
const SETTLE_GRACE_MILLISECONDS = 5_000
const SUPPORTED_KEPT = 10 * 60_000
const CONNECT_MILLISECONDS = 5_000
const ANSWER_BYTES_MAX = 64 * 1024
const TEXT_MAX = 200

interface RemoteOptions {
  url: string
  clock: Clock
}

/** The facilitator did not answer, or its answer names no outcome. */
class NoOutcome extends Error {}

/**
 * A facilitator at another address. Redirects are not followed, and answers are limited in size and time. Its answer is
 * only a hint; the ledger decides.
 */
export class RemoteFacilitator implements Facilitator {
  readonly #clock: Clock
  readonly #pool: Pool
  readonly #path: string
  readonly #headers: Record<string, string>
  #supported: { at: number; answer: SupportedResponse } | undefined

  constructor({ url, clock }: RemoteOptions) {
    const { origin, pathname, username, password } = new URL(url)
    this.#clock = clock
    this.#path = pathname.replace(/\/+$/, '')
    const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(username !== '' && { authorization: `Basic ${login}` }),
    }
    this.#pool = new Pool(origin, {
      connections: 64,
      pipelining: 1,
      connect: { timeout: CONNECT_MILLISECONDS },
      maxResponseSize: ANSWER_BYTES_MAX,
    })
  }

  async verify(payment: PaymentPayload, terms: PaymentTerms): Promise<VerifyResponse> {
    const answer = await this.#call('POST', '/verify', VERIFY_MILLISECONDS, toRequest(payment, terms))
    if (typeof answer.isValid !== 'boolean') throw new NoOutcome('no verdict')
    return { isValid: answer.isValid, ...texts(answer, ['invalidReason']) }
  }

  /** Not repeated here: the caller first checks the ledger. */
  async settle(payment: PaymentPayload, terms: PaymentTerms): Promise<SettleResponse> {
    const milliseconds = terms.maxTimeoutSeconds * 1000 + SETTLE_GRACE_MILLISECONDS
    const answer = await this.#call('POST', '/settle', milliseconds, toRequest(payment, terms))
    if (typeof answer.success !== 'boolean') throw new NoOutcome('no outcome')
    const transaction = typeof answer.transaction === 'string' ? answer.transaction.slice(0, TEXT_MAX) : ''
    return { success: answer.success, transaction, network: terms.network, ...texts(answer, ['errorReason']) }
  }

  /** What the facilitator can settle, asked again from time to time because it may change. */
  async getSupported(): Promise<SupportedResponse> {
    const now = this.#clock.now()
    if (this.#supported && now - this.#supported.at < SUPPORTED_KEPT) return this.#supported.answer
    const { kinds } = await this.#call('GET', '/supported', VERIFY_MILLISECONDS)
    if (!Array.isArray(kinds)) throw new NoOutcome('no list of kinds')
    const answer = { kinds: kinds as SupportedResponse['kinds'], extensions: [], signers: {} }
    this.#supported = { at: now, answer }
    return answer
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  /** The protocol does not define statuses, so an object in the body is an answer whatever the status. */
  async #call(method: 'GET' | 'POST', path: string, milliseconds: number, request?: object) {
    const controller = new AbortController()
    const cancelTimer = this.#clock.after(milliseconds, () => controller.abort())
    try {
      const { body } = await this.#pool.request({
        method,
        path: `${this.#path}${path}`,
        headers: this.#headers,
        ...(request && { body: JSON.stringify(request) }),
        signal: controller.signal,
        // Our own clock limits the time instead.
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      const answer = toMembers(JSON.parse(await body.text()))
      if (!answer) throw new NoOutcome('not an object')
      return answer
    } catch (error) {
      if (error instanceof NoOutcome) throw error
      throw new NoOutcome(controller.signal.aborted ? 'no answer in time' : 'no answer', { cause: error })
    } finally {
      cancelTimer()
    }
  }
}

/** The block in one fixed form: some facilitators have strict schemas and require `link_as_account`. */
function toRequest({ x402Version, payload }: PaymentPayload, terms: PaymentTerms): object {
  const { block } = readPaymentBlock(payload.block)!
  const requirements = { ...terms, extra: {} }
  return {
    x402Version,
    paymentPayload: { x402Version, accepted: requirements, payload: { block: toBlockJson(block) } },
    paymentRequirements: requirements,
  }
}

function texts(answer: Record<string, unknown>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = answer[name]
      return typeof text === 'string' ? [[name, text.slice(0, TEXT_MAX)]] : []
    }),
  )
}

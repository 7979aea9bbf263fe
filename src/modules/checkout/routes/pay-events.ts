import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { extractCredential } from '../guard/credential.ts'
import { AppError } from '../kernel/errors.ts'
import type { BurstLimits, KeyRing } from '../kernel/ports.ts'
import type { JsonObject } from '../kernel/shape.ts'
import { OPEN_STATUSES, getCheckout, showCheck, showRecord, toCheckoutId } from '../modules/checkout/index.ts'
import { CORS_HEADERS } from './cors.ts'
import { type PayPagesOptions, mountPayPages } from './pay-pages.tsx'
import { answerErrors, readBodies } from './rest.ts'

const STREAMS_PER_CHECKOUT_MAX = 20
const STREAMS_PER_IP_MAX = 10
const HEARTBEAT_EVERY = 15_000
/** Checkouts whose last status is remembered, for those who ask too often. */
const TOLD_MAX = 10_000
const STREAM_HEADERS = {
  ...CORS_HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

export interface PayRoutesOptions extends PayPagesOptions {
  burst: BurstLimits
  keys: KeyRing
  /** Requests a minute of one address, and of an account with a secret key; 0 is no limit. */
  perMinute: { address: number; account: number }
  nudge(address: string): void
  onChange(listener: (checkoutId: string) => void): () => void
}

interface Stream {
  ip: string
  response: ServerResponse
  /** The last entry of the timeline that was told. */
  seq: number
  cancelHeartbeat: () => void
}

/** What payers and shops ask about a checkout, without any key: check, record, page and events (contract 4.6). */
export class PayRoutes {
  readonly #options: PayRoutesOptions
  readonly #streams = new Map<string, Set<Stream>>()
  /** What was last told of a checkout. */
  readonly #told = new Map<string, string>()
  readonly #stopListening: () => void

  constructor(options: PayRoutesOptions) {
    this.#options = options
    this.#stopListening = options.onChange((id) => void this.#tell(id))
  }

  mount(server: FastifyInstance): void {
    const { ctx } = this.#options
    void server.register((pages, _options, done) => {
      readBodies(pages)
      answerErrors(pages, this.#options)
      pages.addHook('onRequest', async (request, reply) => {
        void reply.header('cache-control', 'no-store')
        await this.#limit(request, reply)
      })
      const check = async (request: FastifyRequest) => {
        const checkout = await getCheckout(ctx, idOf(request))
        if (OPEN_STATUSES.some((status) => status === checkout.status)) this.#options.nudge(checkout.address)
        return this.#note(await showCheck(ctx, checkout))
      }
      const record = async (request: FastifyRequest) => showRecord(ctx, await getCheckout(ctx, idOf(request)))
      for (const url of ['/check/:id', '/confirm/:id', '/checkout/:id/check']) {
        pages.route({ method: ['GET', 'POST'], url, handler: check })
      }
      pages.route({ method: 'GET', url: '/checkout/:id', handler: record })
      mountPayPages(pages, this.#options)
      // A stream has no head of its own: who asked for it would wait for ever.
      pages.get('/pay/:id/events', { exposeHeadRoute: false }, (request, reply) => this.#open(request, reply))
      done()
    })
  }

  /** Ends every stream, so that the server can close. */
  close(): void {
    this.#stopListening()
    for (const [id, streams] of this.#streams) for (const stream of streams) this.#end(id, stream)
  }

  /** A shop's server asks for many payers: with its secret key it is counted by its account, without by its address. */
  async #limit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { burst, keys, perMinute, ipOf } = this.#options
    const accountId = await findAccountId(keys, request)
    const max = accountId === undefined ? perMinute.address : perMinute.account
    if (max === 0) return
    const decision = await burst.take(
      accountId === undefined ? `pay:${ipOf(request.raw)}` : `pay:acc:${accountId}`,
      max,
    )
    const { allowed, limit, remaining, resetSeconds, retryAfterSeconds } = decision
    void reply.headers({ 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'ratelimit-reset': resetSeconds })
    if (allowed) return
    const detail =
      accountId === undefined
        ? `${max} requests a minute about checkouts from one address. With a secret key they count by account, which has more.`
        : `${max} requests a minute about checkouts of one account. Its webhooks and event streams tell without being asked.`
    throw new AppError('too_many_requests', 'Too many requests.', {
      retryAfterSeconds,
      body: { detail, ...this.#recall(request) },
    })
  }

  /** Remembers what was told, so that the status does not vanish from the sight of a poller that asks too often. */
  #note(shown: JsonObject): JsonObject {
    const { id, status } = shown
    this.#told.delete(id as string)
    this.#told.set(id as string, status as string)
    if (this.#told.size > TOLD_MAX) this.#told.delete(this.#told.keys().next().value!)
    return shown
  }

  #recall(request: FastifyRequest): JsonObject {
    const id = toCheckoutId(idOf(request))
    const status = id === undefined ? undefined : this.#told.get(id)
    return id === undefined || status === undefined ? {} : { id, status }
  }

  async #open(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { ctx, nudge, ipOf } = this.#options
    const checkout = await getCheckout(ctx, idOf(request))
    const { id } = checkout
    const ip = ipOf(request.raw)
    const streams = this.#streams.get(id) ?? new Set<Stream>()
    const ofIp = [...this.#streams.values()].reduce((sum, all) => sum + count(all, ip), 0)
    if (streams.size >= STREAMS_PER_CHECKOUT_MAX || ofIp >= STREAMS_PER_IP_MAX) {
      const detail = `${STREAMS_PER_IP_MAX} event streams for one address, ${STREAMS_PER_CHECKOUT_MAX} for one checkout. Close one, or ask /check.`
      throw new AppError('too_many_requests', 'Too many requests.', { retryAfterSeconds: 5, body: { detail } })
    }
    void reply.hijack()
    const { raw: response } = reply
    const stream: Stream = { ip, response, seq: 0, cancelHeartbeat: () => undefined }
    this.#streams.set(id, streams.add(stream))
    response.on('close', () => this.#end(id, stream))
    response.writeHead(200, { ...STREAM_HEADERS, 'x-request-id': request.id })
    response.write('retry: 3000\n\n')
    this.#beat(stream)
    nudge(checkout.address)
    // Read again: what happened since the first look was told before anybody listened.
    await this.#tell(id)
    return reply
  }

  #beat(stream: Stream): void {
    stream.cancelHeartbeat = this.#options.clock.after(HEARTBEAT_EVERY, () => {
      stream.response.write(': still here\n\n')
      this.#beat(stream)
    })
  }

  /** Tells everybody who watches a checkout how it stands; after the end of the story the stream ends. */
  async #tell(id: string): Promise<void> {
    const streams = this.#streams.get(id)
    if (!streams) return
    try {
      const { ctx } = this.#options
      const checkout = await getCheckout(ctx, id)
      const data = JSON.stringify(await showCheck(ctx, checkout))
      for (const stream of streams) {
        if (checkout.seq <= stream.seq) continue
        stream.seq = checkout.seq
        stream.response.write(`id: ${checkout.seq}\nevent: status\ndata: ${data}\n\n`)
        if (checkout.status === 'complete' || checkout.status === 'cancelled') this.#end(id, stream)
      }
    } catch (error) {
      this.#options.ctx.failures.failed('checkout.stream')(error)
    }
  }

  #end(id: string, stream: Stream): void {
    const streams = this.#streams.get(id)
    if (!streams?.delete(stream)) return
    if (streams.size === 0) this.#streams.delete(id)
    stream.cancelHeartbeat()
    stream.response.end()
  }
}

const count = (streams: Set<Stream>, ip: string) => [...streams].filter((stream) => stream.ip === ip).length

function idOf({ params }: FastifyRequest): string {
  return (params as { id: string }).id
}

/** The account of a secret key that came along. A wrong one is none: who asks about a payment is answered in any case. */
async function findAccountId(keys: KeyRing, { headers, url }: FastifyRequest): Promise<string | undefined> {
  const credential = readCredential(headers, url)
  const owner = credential === undefined ? undefined : await keys.find(credential)
  return owner?.kind === 'secret' ? owner.accountId : undefined
}

/** Two that differ are none, as wrong ones are. */
function readCredential(headers: FastifyRequest['headers'], url: string): string | undefined {
  try {
    return extractCredential({ headers, url, body: undefined, action: undefined })
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

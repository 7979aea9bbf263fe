import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import type { BurstLimits } from '../kernel/ports.ts'
import { OPEN_STATUSES, getCheckout, showCheck, showRecord } from '../modules/checkout/index.ts'
import { CORS_HEADERS } from './cors.ts'
import { type PayPagesOptions, mountPayPages } from './pay-pages.tsx'
import { answerErrors, readBodies } from './rest.ts'

const STREAMS_PER_CHECKOUT_MAX = 20
const STREAMS_PER_IP_MAX = 10
const HEARTBEAT_EVERY = 15_000
/** Ten pages of one address that ask once in two seconds, twice over. */
const REQUESTS_PER_MINUTE_MAX = 600
const STREAM_HEADERS = {
  ...CORS_HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

export interface PayRoutesOptions extends PayPagesOptions {
  burst: BurstLimits
  nudge(address: string): void
  onChange(listener: (checkoutId: string) => void): () => void
  ipOf(request: IncomingMessage): string
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
        await this.#limit(request.raw)
      })
      const check = async (request: FastifyRequest) => {
        const checkout = await getCheckout(ctx, idOf(request))
        if (OPEN_STATUSES.some((status) => status === checkout.status)) this.#options.nudge(checkout.address)
        return showCheck(ctx, checkout)
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

  async #limit(request: IncomingMessage): Promise<void> {
    const decision = await this.#options.burst.take(`pay:${this.#options.ipOf(request)}`, REQUESTS_PER_MINUTE_MAX)
    if (decision.allowed) return
    const { retryAfterSeconds } = decision
    throw new AppError('too_many_requests', 'Too many requests.', { retryAfterSeconds })
  }

  async #open(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { ctx, nudge, ipOf } = this.#options
    const checkout = await getCheckout(ctx, idOf(request))
    const { id } = checkout
    const ip = ipOf(request.raw)
    const streams = this.#streams.get(id) ?? new Set<Stream>()
    const ofIp = [...this.#streams.values()].reduce((sum, all) => sum + count(all, ip), 0)
    if (streams.size >= STREAMS_PER_CHECKOUT_MAX || ofIp >= STREAMS_PER_IP_MAX) {
      throw new AppError('too_many_requests', 'Too many requests.', { retryAfterSeconds: 5 })
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

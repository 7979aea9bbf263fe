import { answer } from '../../../kernel/answers.ts'
import { overLimit } from '../../../kernel/errors.ts'
import { type OpenRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import type { EventStream, StreamEnd } from '../../../kernel/route.ts'
import type { CheckoutContext } from '../context.ts'
import { getCheckout, showCheck } from '../domain/show.ts'

const STREAMS_PER_CHECKOUT_MAX = 20
const STREAMS_PER_IP_MAX = 10

interface PayEventPorts {
  ctx: CheckoutContext
  nudge(address: string): void
  /** Calls the listener when something about a checkout has changed, on any instance. */
  onChange(listener: (checkoutId: string) => void): () => void
}

interface Stream {
  ip: string
  out: StreamEnd
  /** The last timeline entry that was sent. */
  seq: number
}

interface Streaming extends Pick<PayEventPorts, 'ctx' | 'nudge'> {
  streams: CheckoutStreams
}

const routes: readonly OpenRoute<Streaming>[] = [
  {
    tag: 'checkout',
    who: 'anybody',
    access: 'open',
    stream: true,
    method: 'get',
    path: '/pay/{id}/events',
    id: 'followPayment',
    summary:
      'Server-sent events named `status`: the data of each is what `/check/{id}` answers. Ends with the payment.',
    type: 'text/event-stream',
    answer: answer.text,
    async run({ ctx, nudge, streams }, { params, ip }) {
      const { id, address } = await getCheckout(ctx, params.id!)
      const open = (out: StreamEnd) => {
        const stop = streams.add(id, ip, out)
        nudge(address)
        // Read again, because a change between the first read and the subscription was not sent.
        void streams.announce(id)
        return stop
      }
      return { events: { open } }
    },
  },
]

/** Streams the changes of a checkout to its payer's page as they happen (contract 4.6). */
export function payEventRoutes({ ctx, nudge, onChange }: PayEventPorts) {
  const streams = new CheckoutStreams(ctx)
  onChange((id) => void streams.announce(id))
  return routesOf(routes, { ctx, nudge, streams })
}
export const describedPayEventRoutes = describedOf(routes)

/** The open event streams by checkout. */
class CheckoutStreams {
  readonly #ctx: CheckoutContext
  readonly #streams = new Map<string, Set<Stream>>()

  constructor(ctx: CheckoutContext) {
    this.#ctx = ctx
  }

  /** Adds a stream and returns the function that removes it. */
  add(id: string, ip: string, out: StreamEnd): ReturnType<EventStream['open']> {
    const streams = this.#streams.get(id) ?? new Set<Stream>()
    const ofIp = [...this.#streams.values()].reduce((sum, all) => sum + count(all, ip), 0)
    if (streams.size >= STREAMS_PER_CHECKOUT_MAX || ofIp >= STREAMS_PER_IP_MAX) {
      const detail = `${STREAMS_PER_IP_MAX} event streams for one address, ${STREAMS_PER_CHECKOUT_MAX} for one checkout. Close one, or ask /check.`
      throw overLimit(detail, 5)
    }
    const stream: Stream = { ip, out, seq: 0 }
    this.#streams.set(id, streams.add(stream))
    return () => {
      streams.delete(stream)
      if (streams.size === 0) this.#streams.delete(id)
    }
  }

  /** Sends a checkout's status to all its streams; once the status is final, the streams end. */
  async announce(id: string): Promise<void> {
    const streams = this.#streams.get(id)
    if (!streams) return
    try {
      const checkout = await getCheckout(this.#ctx, id)
      const data = JSON.stringify(await showCheck(this.#ctx, checkout))
      for (const stream of streams) {
        if (checkout.seq <= stream.seq) continue
        stream.seq = checkout.seq
        stream.out.send({ id: String(checkout.seq), name: 'status', data })
        if (checkout.status === 'complete' || checkout.status === 'cancelled') stream.out.end()
      }
    } catch (error) {
      this.#ctx.failures.failed('checkout.stream')(error)
    }
  }
}

const count = (streams: Set<Stream>, ip: string) => [...streams].filter((stream) => stream.ip === ip).length

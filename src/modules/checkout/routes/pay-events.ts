import { overLimit } from '../../../kernel/errors.ts'
import type { EventStream, Route, RouteLimit, StreamEnd } from '../../../kernel/route.ts'
import type { CheckoutRoom } from '../room.ts'
import { getCheckout, showCheck } from '../domain/show.ts'

const STREAMS_PER_CHECKOUT_MAX = 20
const STREAMS_PER_IP_MAX = 10

interface PayEventPorts {
  ctx: CheckoutRoom
  limit: RouteLimit
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

/** Streams the changes of a checkout to its payer's page as they happen (contract 4.6). */
export function payEventRoutes(ports: PayEventPorts): readonly Route[] {
  const { ctx, limit, nudge, onChange } = ports
  const streams = new CheckoutStreams(ctx)
  onChange((id) => void streams.tell(id))
  return [
    {
      method: 'GET',
      path: '/pay/:id/events',
      door: 'open',
      limit,
      stream: true,
      async run({ params, ip }) {
        const { id, address } = await getCheckout(ctx, params.id!)
        return { events: { open: (out) => begin(out, { id, address, ip }) } }
      },
    },
  ]

  function begin(out: StreamEnd, { id, address, ip }: { id: string; address: string; ip: string }) {
    const stop = streams.add(id, ip, out)
    nudge(address)
    // Read again, because a change between the first read and the subscription was sent to nobody.
    void streams.tell(id)
    return stop
  }
}

/** The open event streams by checkout. */
class CheckoutStreams {
  readonly #ctx: CheckoutRoom
  readonly #streams = new Map<string, Set<Stream>>()

  constructor(ctx: CheckoutRoom) {
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
  async tell(id: string): Promise<void> {
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

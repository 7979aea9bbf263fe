import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../kernel/ports.ts'
import type { EventStream } from '../kernel/route.ts'
import { CORS_HEADERS } from './page-headers.ts'

const HEARTBEAT_EVERY = 15_000
/** A client that does not read is disconnected when this much waits for it. */
const WAITING_BYTES_MAX = 64 * 1024
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** Keeps responses open and sends events in them (server-sent events). */
export class EventStreams {
  readonly #clock: Clock
  readonly #open = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Answers with a stream; throws if the stream is refused. Pages of any origin may read it, unless a cookie identified
   * the caller.
   */
  answer(reply: FastifyReply, stream: EventStream, { byCookie = false } = {}): FastifyReply {
    const { raw: response, request } = reply
    let cancelHeartbeat = () => {}
    let stop = () => {}
    const end = () => {
      if (!this.#open.delete(end)) return
      cancelHeartbeat()
      stop()
      response.end()
    }
    const write = (text: string) => {
      response.write(text)
      if (response.writableLength > WAITING_BYTES_MAX) response.destroy()
    }
    const beat = () => {
      cancelHeartbeat = this.#clock.after(HEARTBEAT_EVERY, () => {
        beat()
        write(': still here\n\n')
      })
    }
    stop = stream.open({
      send: ({ id, name, data }) => write(`id: ${id}\nevent: ${name}\ndata: ${data}\n\n`),
      end,
    })
    void reply.hijack()
    this.#open.add(end)
    begin(response, { ...HEADERS, ...(!byCookie && CORS_HEADERS), 'x-request-id': request.id })
    beat()
    response.on('close', end)
    // If the client left while the stream was being opened, its `close` event has passed already.
    if (response.closed) end()
    return reply
  }

  /** Ends every stream; otherwise the server could not close. */
  closeAll(): void {
    for (const end of this.#open) end()
  }
}

function begin(response: ServerResponse, headers: Record<string, string>): void {
  response.writeHead(200, headers)
  response.write('retry: 3000\n\n')
}

import { type Socket, connect } from 'node:net'
import { systemClock } from '../../src/infra/clock.ts'
import type { Clock } from '../../src/kernel/ports.ts'

/**
 * An answer. Status 0: the connection closed without one. -1: nothing came for very long. -2: the bytes are not an answer, so a client on a shared
 * connection could take them for its own.
 */
export interface Answer {
  status: number
  headers: string
  body: string
}

interface Waiting {
  method: string
  resolve(answer: Answer): void
}

const NOTHING: Answer = { status: 0, headers: '', body: '' }
const HEAD_END = Buffer.from('\r\n\r\n')
const HEARD_OUT = 20_000
const PATIENCE = 60_000

/**
 * A connection that sends requests without waiting for the answers, which come in order. A client library would refuse to send most of these requests, and
 * would be too slow.
 */
export class Wire {
  readonly #socket: Socket
  readonly #waiting: Waiting[] = []
  #buffer: Buffer = Buffer.alloc(0)
  #open = true
  readonly #clock: Clock
  #cancelTimer: () => void = () => undefined

  constructor(port: number, clock: Clock = systemClock) {
    this.#clock = clock
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.setNoDelay(true)
    this.#socket.on('data', (chunk: Buffer) => {
      this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk])
      this.#read()
    })
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => this.#end())
  }

  get open(): boolean {
    return this.#open
  }

  /** Sends bytes as they are; never rejects. */
  send(bytes: Buffer | string, method = 'POST'): Promise<Answer> {
    if (!this.#open) return Promise.resolve(NOTHING)
    return new Promise((resolve) => {
      this.#waiting.push({ method, resolve })
      if (this.#waiting.length === 1) this.#wait()
      this.#socket.write(bytes)
    })
  }

  /** Ends our side of the connection. */
  finish(): void {
    this.#socket.end()
  }

  close(): void {
    this.#socket.destroy()
    this.#end()
  }

  /** Answers come in order, so only the first pending one can be late. */
  #wait(): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#clock.after(PATIENCE, () => {
      this.#waiting.shift()?.resolve({ ...NOTHING, status: -1 })
      this.close()
    })
  }

  #end(): void {
    this.#open = false
    this.#cancelTimer()
    for (const { resolve } of this.#waiting.splice(0)) resolve(NOTHING)
  }

  #read(): void {
    while (this.#waiting.length > 0) {
      const answer = readAnswer(this.#buffer, this.#waiting[0]!.method)
      if (answer === undefined) return
      this.#buffer = this.#buffer.subarray(answer.length)
      if (answer.status < 200 && answer.status !== 101) continue
      this.#waiting.shift()!.resolve(answer)
      if (this.#waiting.length > 0) this.#wait()
      else this.#cancelTimer()
      // A stream has no end, and after an upgrade the bytes are not HTTP.
      if (answer.endless) {
        this.close()
        return
      }
      if (/^connection: close/im.test(answer.headers)) this.#open = false
    }
  }
}

interface Parsed extends Answer {
  length: number
  endless: boolean
}

function readAnswer(buffer: Buffer, method: string): Parsed | undefined {
  const headEnd = buffer.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const headers = buffer.toString('latin1', 0, headEnd)
  const status = /^HTTP\/1\.1 \d{3} /.test(headers) ? Number(headers.slice(9, 12)) : -2
  const bodyAt = headEnd + HEAD_END.length
  const whole = (body: string, length: number, endless = false) => ({ status, headers, body, length, endless })
  if (status < 0) return whole(headers, bodyAt, true)
  if (status === 101 || /^content-type: text\/event-stream/im.test(headers)) return whole('', bodyAt, true)
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return whole('', bodyAt)
  if (/^transfer-encoding: chunked/im.test(headers)) return readChunks(buffer, bodyAt, whole)
  const length = Number(/^content-length: (\d+)/im.exec(headers)?.[1] ?? 0)
  if (buffer.length < bodyAt + length) return undefined
  return whole(buffer.toString('utf8', bodyAt, bodyAt + Math.min(length, HEARD_OUT)), bodyAt + length)
}

function readChunks(
  buffer: Buffer,
  start: number,
  whole: (body: string, length: number, endless?: boolean) => Parsed,
): Parsed | undefined {
  const parts: Buffer[] = []
  for (let at = start; ;) {
    const lineEnd = buffer.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(buffer.toString('latin1', at, lineEnd), 16)
    if (Number.isNaN(size)) return { ...whole(buffer.toString('latin1', at, at + 200), lineEnd, true), status: -2 }
    const next = lineEnd + 2 + size + 2
    if (buffer.length < next) return undefined
    if (size === 0) return whole(Buffer.concat(parts).toString('utf8').slice(0, HEARD_OUT), next)
    parts.push(buffer.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = next
  }
}

/** One request on its own connection, which is then closed. Bytes that are not a request may get no answer. */
export async function once(
  port: number,
  bytes: Buffer | string,
  { method = 'POST', isWhole = true, clock = systemClock }: { method?: string; isWhole?: boolean; clock?: Clock } = {},
): Promise<Answer> {
  const wire = new Wire(port, clock)
  const answer = wire.send(bytes, method)
  if (!isWhole) wire.finish()
  const result = await answer
  wire.close()
  return result
}

import { type Server, STATUS_CODES, validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestHeaders } from '../guard/credential.ts'
import { movePathKey } from './path-key.ts'

/*
 * Nearly every request is a short POST that arrives in one piece, and node:http takes longer to read it than we take to
 * answer it. This file reads such a request in one pass and answers it in one write. Anything else goes to node:http,
 * with the connection and all bytes: requests in several parts or followed by another request, headers that change how
 * the rest is read, unusual bytes. So no request is ever half read here, nothing can time out here, and both parsers
 * need to agree only about this one form of request.
 */

/** A completely read request, with the means to answer it. */
export class UsualRequest {
  readonly headers: RequestHeaders
  readonly url: string
  readonly socket: Socket
  readonly #connection: UsualConnection
  #head = ''
  #isLast = false
  writableFinished = false
  left: (() => void) | undefined

  constructor(connection: UsualConnection, { headers, url }: Head) {
    this.#connection = connection
    this.headers = headers
    this.url = url
    this.socket = connection.socket
  }

  on(_event: 'close', left: () => void): void {
    this.left = left
  }

  /** Names and values in turn, written like node:http writes them. */
  writeHead(status: number, headers: readonly string[]): void {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at]!
      const value = headers[at + 1]!
      validateHeaderValue(name, value)
      head += `${name}: ${value}\r\n`
      if (name === 'connection' && value === 'close') this.#isLast = true
    }
    this.#head = head
  }

  end(text: string): void {
    this.writableFinished = true
    this.#connection.answer(this.#head, text, this.#isLast)
  }

  /** Gives the request to node:http, which reads it again and answers it. */
  giveBack(): void {
    this.writableFinished = true
    this.#connection.giveBack()
  }
}

/** The handler of a path; undefined if node:http must read the request. */
export type FindUsual = (url: string) => ((request: UsualRequest, body: Buffer) => void) | undefined

interface Limits {
  bodyBytesMax: number
  /** How long the first request of a connection may take. */
  requestTimeoutMilliseconds: number
}

/** Reads common requests of all connections before the server sees them. */
export function readUsualRequests(server: Server, find: FindUsual, limits: Limits): void {
  const [readByHttp] = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  server.off('connection', readByHttp!)
  const connections = new Set<UsualConnection>()
  server.prependListener('connection', (socket: Socket) => {
    const connection = new UsualConnection(socket, { server, find, limits, leave })
    connections.add(connection)
    function leave(rest: Buffer | undefined): void {
      connections.delete(connection)
      if (rest === undefined) return
      socket.pause()
      if (rest.length > 0) socket.unshift(rest)
      readByHttp!.call(server, socket)
      socket.resume()
    }
  })
  // The server does not know these connections, but must close them when it closes idle ones.
  const closeIdle = server.closeIdleConnections.bind(server)
  const closeAll = server.closeAllConnections.bind(server)
  server.closeIdleConnections = () => {
    closeIdle()
    for (const { socket, isIdle } of connections) if (isIdle) socket.destroy()
  }
  server.closeAllConnections = () => {
    closeAll()
    for (const { socket } of connections) socket.destroy()
  }
}

interface Surroundings {
  server: Server
  find: FindUsual
  limits: Limits
  /** Called when the connection has ended, or when it goes to node:http with the unread bytes. */
  leave(rest: Buffer | undefined): void
}

class UsualConnection {
  readonly socket: Socket
  readonly #around: Surroundings
  #head: Head | undefined
  #running: UsualRequest | undefined
  /** The bytes of the current request, kept until it is certain that node:http is not needed. */
  #read: Buffer | undefined
  /** Bytes that arrived before the answer was written. */
  #early: Buffer | undefined
  #hasAsked = false

  constructor(socket: Socket, around: Surroundings) {
    this.socket = socket
    this.#around = around
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose)
    socket.on('error', this.#onError).on('timeout', this.#onTimeout)
    socket.setTimeout?.(around.limits.requestTimeoutMilliseconds)
  }

  get isIdle(): boolean {
    return this.#hasAsked && this.#running === undefined
  }

  answer(head: string, text: string, isLast: boolean): void {
    const { socket } = this
    this.#running = undefined
    this.#read = undefined
    if (!socket.writable) return
    const { keepAliveTimeout } = this.#around.server
    const ending = isLast ? '\r\n' : `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveTimeout / 1_000}\r\n\r\n`
    const isTaken = socket.write(`${head}Date: ${dateNow()}\r\n${ending}${text}`)
    if (isLast) socket.destroySoon()
    else if (!isTaken) {
      // Like node:http, stops reading requests of a client that does not read its answers.
      this.#giveTo(this.#early ?? Buffer.alloc(0))
    } else if (this.#early) this.#giveTo(this.#early)
    else if (!this.#hasAsked) {
      this.#hasAsked = true
      socket.setTimeout?.(keepAliveTimeout)
    }
  }

  giveBack(): void {
    const read = this.#read!
    this.#running = undefined
    this.#read = undefined
    if (!this.socket.destroyed) this.#giveTo(this.#early ? Buffer.concat([read, this.#early]) : read)
  }

  #giveTo(rest: Buffer): void {
    const { socket } = this
    this.#early = undefined
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
    socket.off('error', this.#onError).off('timeout', this.#onTimeout)
    socket.setTimeout?.(0)
    this.#around.leave(rest)
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#running) {
      this.#early = this.#early ? Buffer.concat([this.#early, chunk]) : chunk
      this.socket.pause()
      return
    }
    const { find, limits } = this.#around
    const head = this.#head && isSame(this.#head, chunk) ? this.#head : readHead(chunk, find)
    const bodyStart = head ? head.bytes.length + 4 : 0
    if (!head || head.length > limits.bodyBytesMax || chunk.length !== bodyStart + head.length) {
      this.#giveTo(chunk)
      return
    }
    this.#head = head
    this.#read = chunk
    const request = new UsualRequest(this, head)
    this.#running = request
    head.run(request, chunk.subarray(bodyStart))
  }

  /** Connections are half open. Like node:http, close this one when the client has ended its half. */
  readonly #onEnd = (): void => {
    this.socket.end()
  }

  readonly #onError = (): void => {
    this.socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#around.leave(undefined)
    if (this.#running && !this.#running.writableFinished) this.#running.left?.()
  }

  readonly #onTimeout = (): void => {
    if (this.#running) return
    if (this.#hasAsked) this.socket.destroy()
    else this.#around.server.emit('clientError', Object.assign(new Error('Request timeout'), SILENT), this.socket)
  }
}

/** The error that node:http reports for a connection on which no request arrives in time. */
const SILENT = { code: 'ERR_HTTP_REQUEST_TIMEOUT' }

interface Head {
  url: string
  headers: RequestHeaders
  run(request: UsualRequest, body: Buffer): void
  /** Length of the body. */
  length: number
  /** The head as it arrived, without the blank line. Clients send the same head again and again. */
  bytes: Buffer
}

const HEAD_MAX = 8 * 1024
const HEADERS_MAX = 100
const FIRST_LINE = /^POST (\/[\w/-]*) HTTP\/1\.1$/
const NAME = /^[!#$%&'*+\-.^`|~\w]+$/
const VALUE = /^[\t\x20-\x7e]*$/
/** Headers that change how the rest is read, or how the connection continues. */
const UNUSUAL = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'te',
  'trailer',
  'proxy-connection',
  'set-cookie',
  '__proto__',
])

function isSame({ bytes }: Head, chunk: Buffer): boolean {
  const { length } = bytes
  return chunk.length >= length + 4 && chunk.compare(bytes, 0, length, 0, length) === 0 && isBlankLine(chunk, length)
}

const isBlankLine = (chunk: Buffer, at: number) =>
  chunk[at] === 13 && chunk[at + 1] === 10 && chunk[at + 2] === 13 && chunk[at + 3] === 10

function readHead(chunk: Buffer, find: FindUsual): Head | undefined {
  const end = chunk.indexOf('\r\n\r\n', 0, 'latin1')
  if (end < 0 || end > HEAD_MAX) return undefined
  const [first, ...lines] = chunk.toString('latin1', 0, end).split('\r\n')
  const path = FIRST_LINE.exec(first!)?.[1]
  if (path === undefined || lines.length > HEADERS_MAX) return undefined
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase()
    const value = line.slice(colon + 1)
    if (!NAME.test(name) || !VALUE.test(value) || UNUSUAL.has(name) || name in headers) return undefined
    headers[name] = value.replace(/^[\t ]+|[\t ]+$/g, '')
  }
  const { host, connection = 'keep-alive', 'content-length': length } = headers
  if (host === undefined || length === undefined || !/^[0-9]{1,9}$/.test(length)) return undefined
  if (connection.toLowerCase() !== 'keep-alive') return undefined
  const request = { url: path, headers, rawHeaders: [] }
  movePathKey(request)
  const { url } = request
  const run = find(url)
  return run && { url, headers, run, length: Number(length), bytes: Buffer.from(chunk.subarray(0, end)) }
}

let date = ''
let dateSecond = 0

/** The header `Date` as node:http writes it, made once a second. */
function dateNow(): string {
  const now = new Date()
  const second = Math.floor(now.getTime() / 1_000)
  if (second !== dateSecond) {
    dateSecond = second
    date = now.toUTCString()
  }
  return date
}

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { parseBody } from '../guard/json-body.ts'
import { Registry } from '../guard/registry.ts'
import type { Ctx } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import { Leaving } from '../kernel/leaving.ts'
import type { WorkThresholds } from '../kernel/nano/work.ts'
import { type Clock, type ClientNodePort } from '../kernel/ports.ts'
import { type FoundWork, type WorkPort, type WorkRequest } from '../kernel/work-port.ts'
import type { Json } from '../kernel/shape.ts'
import { openWorkActions } from '../modules/work/index.ts'
import { toErrorReply } from './errors.ts'
import { CORS_HEADERS, PREFLIGHT_HEADERS } from './page-headers.ts'

const BODY_BYTES_MAX = 64 * 1024
const CONNECTIONS_MAX = 1_000

interface WorkServerOptions {
  clock: Clock
  thresholds: WorkThresholds
  onError(error: unknown): void
  /** The keys that may use the server; without them, everybody who can reach it may use it. */
  payers?: WorkKeys
  searches: {
    search(request: WorkRequest): Promise<FoundWork>
    cancel(root: string, payer: string): boolean
    readonly load: { jobs: number; hashes: number; seconds: number }
    readonly engines: readonly { name: string; rate: number }[]
  }
}

/**
 * A work server: speaks the protocol that nodes (`work_peers`) and gateways use. It runs the gateway's own work
 * actions, without a ledger, a store or prices.
 */
export function createWorkServer(options: WorkServerOptions): Server {
  const registry = new Registry([openWorkActions({ work: workOf(options.searches), thresholds: options.thresholds })])
  const server = createServer((request, response) => {
    if (request.method === 'OPTIONS') {
      request.resume()
      response.writeHead(204, PREFLIGHT_HEADERS).end()
      return
    }
    if (request.method !== 'POST') {
      request.resume()
      send(response, 405, { error: 'Can only POST requests' })
      return
    }
    const leaving = new Leaving()
    response.on('close', () => {
      if (!response.writableFinished) leaving.leave()
    })
    const payer = options.payers
      ? options.payers.payerOf(request.headers.authorization)
      : (request.socket.remoteAddress ?? '')
    readBody(request)
      .then((text) => {
        if (payer === undefined) throw new AppError('key_required', 'This work server requires a valid key.')
        return answer(registry, options, { text, leaving, payer })
      })
      .then(
        (result) => send(response, 200, result),
        (error: unknown) => {
          const { status, body } = toErrorReply(error)
          if (status === 500) options.onError(error)
          send(response, status, body)
        },
      )
  })
  server.maxConnections = CONNECTIONS_MAX
  return server
}

/** There is no store, so only running searches can be found. */
const workOf = (searches: WorkServerOptions['searches']): WorkPort => ({
  offered: true,
  find: () => undefined,
  generate: (request) => searches.search(request),
  cancel: (root, owner) => searches.cancel(root, owner),
  prepare: () => undefined,
  markAsked: () => Promise.resolve(),
})

async function answer(
  registry: Registry,
  { clock, searches }: WorkServerOptions,
  { text, leaving, payer }: { text: string; leaving: Leaving; payer: string },
): Promise<Json> {
  const body = parseBody(text)
  if (body.action === 'status') return statusOf(searches)
  const registered = typeof body.action === 'string' ? registry.find(body.action) : undefined
  if (!registered) throw new AppError('invalid_action', 'Bad action provided.')
  const ctx: WorkCtx = {
    caller: { kind: 'anonymous' },
    leaving,
    payer,
    node: NO_LEDGER,
    store: { clock },
    charged: (_, run) => run(0),
    counted: (_, run) => run(),
  }
  const { action, context, parse } = registered
  return action.run(ctx as Ctx, parse(body), context)
}

/** The only parts of a request that the work actions use. A test of this server calls each of those actions. */
type WorkCtx = Pick<Ctx, 'caller' | 'leaving' | 'payer' | 'node' | 'charged' | 'counted'> & { store: { clock: Clock } }

/** The server has no ledger to look a block up, so requests must name the difficulty or the subtype. */
const noLedger = () => new AppError('invalid_request', 'This server has no ledger. Give difficulty or subtype.')
const NO_LEDGER: ClientNodePort = {
  pass: () => Promise.reject(noLedger()),
  read: () => Promise.reject(noLedger()),
  readBlocks: () => Promise.reject(noLedger()),
  readSends: () => Promise.reject(noLedger()),
  readAgreed: () => Promise.reject(noLedger()),
  publish: () => Promise.reject(noLedger()),
}

function statusOf({ load, engines }: WorkServerOptions['searches']): Json {
  const rate = engines.reduce((sum, engine) => sum + engine.rate, 0)
  return {
    generating: load.jobs > 0 ? '1' : '0',
    queue_size: String(load.jobs),
    queue_seconds: load.seconds.toFixed(3),
    hashes_per_second: String(Math.round(rate)),
  }
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= BODY_BYTES_MAX) chunks.push(chunk)
      else reject(new AppError('body_too_large', `The body is larger than ${BODY_BYTES_MAX} bytes.`))
    })
    request.on('end', () => resolve(Buffer.concat(chunks).toString()))
    request.on('error', reject)
  })
}

function send(response: ServerResponse, status: number, body: Json): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    ...CORS_HEADERS,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

/** The clients of a work server. */
interface WorkKeys {
  /**
   * The name of the caller in an Authorization header: with a bearer key, or with name and key as a URL contains them.
   */
  payerOf(authorization: string | undefined): string | undefined
}

const KEY_LENGTH_MIN = 16

/** Keys are looked up by digest, so that the time of a look-up reveals nothing about them. */
const digest = (key: string) => createHash('sha256').update(key).digest('hex')

export function readWorkKeys(file: string): WorkKeys {
  const payers = new Map<string, string>()
  for (const [index, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    const line = text.trim()
    if (line === '' || line.startsWith('#')) continue
    const [name, key = '', ...rest] = line.split(/\s+/)
    if (key.length < KEY_LENGTH_MIN || rest.length > 0) {
      throw new Error(`${file}, line ${index + 1}: a name and a key of at least ${KEY_LENGTH_MIN} characters.`)
    }
    payers.set(digest(key), name!)
  }
  if (payers.size === 0) throw new Error(`${file} lists no callers who may use the work server.`)
  return {
    payerOf(authorization) {
      const key = keyIn(authorization)
      return key === undefined ? undefined : payers.get(digest(key))
    },
  }
}

function keyIn(authorization = ''): string | undefined {
  const [, scheme, credentials] = /^(Bearer|Basic) (\S+)$/i.exec(authorization) ?? []
  if (scheme === undefined || credentials === undefined) return undefined
  if (scheme.toLowerCase() === 'bearer') return credentials
  const [, key] = /^[^:]*:(.*)$/s.exec(Buffer.from(credentials, 'base64').toString()) ?? []
  return key
}

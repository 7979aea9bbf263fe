import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { extractCredential } from '../../guard/credential.ts'
import { countUnread } from '../../guard/dispatch.ts'
import { parseJson } from '../../guard/json-body.ts'
import type { Caller } from '../../kernel/ctx.ts'
import { AppError } from '../../kernel/errors.ts'
import { Leaving } from '../../kernel/leaving.ts'
import { isLoopback } from '../../kernel/loopback.ts'
import { identify } from '../../modules/accounts/index.ts'
import { type Ask, type Asking, createAsk } from '../ask.ts'
import { readBodies } from '../route-request.ts'
import { fromFastify, toErrorReply } from '../errors.ts'
import { McpDocuments } from './documents.ts'
import { readSets } from './sets.ts'

interface McpOptions extends Asking {
  ipOf(request: FastifyRequest['raw']): string
  baseUrl(): string
  version: string
  isLocal: boolean
  onError(error: unknown, requestId: string): void
}

/**
 * Serves `POST /mcp`: tools for agents by Streamable HTTP, without sessions. The protocol library is loaded with the
 * first message, because most gateways never get one.
 */
export function mountMcp(server: FastifyInstance, options: McpOptions): void {
  const { gateway, ipOf, baseUrl, version, isLocal, onError } = options
  const documents = new McpDocuments(new URL('../../../docs/', import.meta.url), baseUrl)
  const context = { gateway, documents, version }
  const ask = createAsk(options)

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { id: requestId, raw, headers, url } = request
    const ip = ipOf(raw)
    const leaving = new Leaving()
    reply.raw.on('close', () => {
      if (!reply.raw.writableFinished) leaving.leave()
    })
    const { message, caller, sets } = await counted(ip, () => readRequest(request))
    // A message that runs a tool is counted as that call; other messages are counted here.
    let isAsked = false
    const askOnce: Ask = (...asked) => {
      isAsked = true
      return ask(...asked)
    }
    const entry = isCall(message) ? undefined : await gateway.throttle.enter(caller, ip, isPrepaid(caller))
    try {
      const { answerMcp } = await import('./answer.ts')
      const asked = { requestId, headers, url, ip, leaving }
      const answering = () => answerMcp({ ...context, ask: askOnce }, { message, caller, sets, request: asked })
      const { status, text } = await (entry ? answering() : counted(ip, answering))
      if (!entry && !isAsked) await countUnread(gateway, ip)
      if (text !== '') void reply.type('application/json; charset=utf-8')
      void reply.code(status).header('cache-control', 'no-store').send(text)
    } finally {
      entry?.leave()
    }
  }

  /** Counts unreadable messages and refused callers against the address they came from. */
  const counted = async <T>(ip: string, read: () => Promise<T>): Promise<T> => {
    try {
      return await read()
    } catch (error) {
      await countUnread(gateway, ip)
      throw error
    }
  }

  const readRequest = async ({ headers, url, query, body }: FastifyRequest) => {
    const { origin } = headers
    const credential = extractCredential({ headers, url, body: undefined, action: undefined })
    const caller = await identify(gateway.keys, credential, origin)
    // A public key lists the origins that may use it. Without one, a page of another site may not act for its visitor.
    const isNamed = caller.kind === 'account' && caller.access === 'public-key'
    if (origin !== undefined && !isNamed && !isOwn(origin, { isLocal, baseUrl: baseUrl() })) {
      throw new AppError('origin_not_allowed', 'Pages of other origins cannot use MCP here.')
    }
    const message = parseJson(typeof body === 'string' ? body : '', 2)
    if (Array.isArray(message)) {
      throw new AppError('invalid_request', 'MCP takes one message at a time.')
    }
    return { message, caller, sets: readSets((query as { tools?: unknown }).tools) }
  }

  void server.register((scope, _options, done) => {
    readBodies(scope)
    scope.setErrorHandler((error: Error, request, reply) => {
      const known = fromFastify(error)
      if (!(known instanceof AppError)) onError(error, request.id)
      refuse(reply, known)
    })
    scope.post('/mcp', async (request, reply) => {
      await answer(request, reply)
      return reply
    })
    done()
  })
}

const isPrepaid = (caller: Caller) => caller.kind === 'account' && caller.prepaid
const isCall = (message: unknown) => (message as { method?: unknown } | null)?.method === 'tools/call'

/** Our own page; on a local gateway also any page of this machine, such as the MCP inspector. */
function isOwn(origin: string, { isLocal, baseUrl }: { isLocal: boolean; baseUrl: string }): boolean {
  const url = URL.parse(origin)
  if (!url) return false
  return url.origin === new URL(baseUrl).origin || (isLocal && isLoopback(url.hostname))
}

function refuse(reply: FastifyReply, error: Error): void {
  const { status, body, retryAfterSeconds } = toErrorReply(error)
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds))
  void reply.code(status).header('cache-control', 'no-store').send(body)
}

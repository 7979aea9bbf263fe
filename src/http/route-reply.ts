import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Reply } from '../kernel/route.ts'
import { renderPage } from '../web/layout.tsx'
import type { EventStreams } from './event-stream.ts'
import { PAGE_HEADERS, contentPolicy } from './page-headers.ts'
import { Prepared, sendPrepared } from './prepared.ts'
import { endedCookie, sessionCookie } from './session.ts'

export function sendReply(
  { baseUrl, streams }: { baseUrl(): string; streams: EventStreams },
  reply: FastifyReply,
  answer: Reply,
): FastifyReply {
  const { status = 200, headers = {} } = answer
  if ('events' in answer) return streams.answer(reply, answer.events)
  if ('goTo' in answer) {
    return reply.headers({ ...(answer.asPage && PAGE_HEADERS), ...headers }).redirect(answer.goTo, 303)
  }
  if ('page' in answer) {
    const policy = { 'content-security-policy': contentPolicy(answer.frame) }
    void reply.code(status).headers({ ...PAGE_HEADERS, ...policy, ...headers })
    return answer.isShared
      ? sendPrepared(
          reply.request,
          reply,
          prepare(answer, () => renderPage(answer.page), HTML),
        )
      : reply.send(renderPage(answer.page))
  }
  void reply.code(status).headers(headers)
  if ('bytes' in answer) return reply.type(answer.type).send(Buffer.from(answer.bytes))
  if ('rows' in answer) return reply.type(answer.type).send(Readable.from(answer.rows))
  if (answer.isShared)
    return sendPrepared(
      reply.request,
      reply,
      prepare(answer, () => JSON.stringify(answer.json), JSON_TYPE),
    )
  const { json, session } = answer
  if (session !== undefined) {
    void reply.header('set-cookie', session === null ? endedCookie(baseUrl()) : sessionCookie(baseUrl(), session))
  }
  return reply.send(json)
}

const HTML = PAGE_HEADERS['content-type']
const JSON_TYPE = 'application/json; charset=utf-8'
const prepared = new WeakMap<Reply, Prepared>()

/** Prepared once for a reply object that a module returns more than once. */
function prepare(answer: Reply, make: () => string, type: string): Prepared {
  const known = prepared.get(answer) ?? new Prepared(make(), type)
  prepared.set(answer, known)
  return known
}

import type { FastifyInstance } from 'fastify'
import type { Registry } from '../../guard/registry.ts'
import { AppError } from '../../kernel/errors.ts'
import { toErrorReply } from '../errors.ts'
import { type PreparedPages, sendPrepared } from '../prepared.ts'
import type { Action } from '../../kernel/action.ts'
import { publicSchema } from '../../kernel/public-schema.ts'

/** What an action takes and answers, at the path it is called by. Calls themselves do not pass the router. */
export function mountActions(
  server: FastifyInstance,
  { registry }: { registry: Registry },
  pages: PreparedPages,
): void {
  server.get('/actions/:name', (request, reply) => {
    const action = registry.find((request.params as { name: string }).name)?.action
    if (!action) {
      const { status, body } = toErrorReply(new AppError('not_found', 'Not found.'))
      return reply.code(status).send(body)
    }
    if (request.headers.accept?.includes('text/html')) {
      return reply.header('vary', 'accept').redirect(`/docs/actions/${action.name}`)
    }
    const describe = () => JSON.stringify(toDescription(action))
    return sendPrepared(request, reply, pages.get(`action ${action.name}`, JSON_TYPE, describe), 'accept')
  })
}

const JSON_TYPE = 'application/json; charset=utf-8'

function toDescription({ name, synonyms = [], summary, example, input, output }: Action): object {
  return { name, synonyms, summary, request: publicSchema(input), answer: publicSchema(output), example }
}

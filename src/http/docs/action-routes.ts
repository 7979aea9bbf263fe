import type { FastifyInstance } from 'fastify'
import type { Registry } from '../../guard/registry.ts'
import { AppError } from '../../kernel/errors.ts'
import { toErrorReply } from '../errors.ts'
import { publicSchema } from '../../kernel/public-schema.ts'

/** What an action takes and answers, at the path it is called by. Calls themselves do not pass the router. */
export function mountActions(server: FastifyInstance, { registry }: { registry: Registry }): void {
  server.get('/actions/:name', (request, reply) => {
    const action = registry.find((request.params as { name: string }).name)?.action
    if (!action) {
      const { status, body } = toErrorReply(new AppError('not_found', 'Not found.'))
      return reply.code(status).send(body)
    }
    void reply.header('vary', 'accept')
    if (request.headers.accept?.includes('text/html')) return reply.redirect(`/docs/actions/${action.name}`)
    const { name, synonyms = [], summary, example, input, output } = action
    return reply.send({
      name,
      synonyms,
      summary,
      request: publicSchema(input),
      answer: publicSchema(output),
      example,
    })
  })
}

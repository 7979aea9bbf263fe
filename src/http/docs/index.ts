import type { FastifyInstance } from 'fastify'
import type { Registry } from '../../guard/registry.ts'
import type { Action } from '../../kernel/action.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Offered } from '../../kernel/module.ts'
import { publicSchema } from '../../kernel/public-schema.ts'
import type { RouteLimit } from '../../kernel/route.ts'
import { toErrorReply } from '../errors.ts'
import { toOpenApi } from '../openapi/index.ts'
import { PreparedPages, sendPrepared } from '../prepared.ts'
import { refuse } from '../routes.ts'
import { type DocsOptions, mountDocs } from './pages.tsx'

export function mountDocuments(server: FastifyInstance, options: DocumentsOptions): void {
  const { gateway, baseUrl, version, modules, limits, openLimit } = options
  const pages = new PreparedPages()
  void server.register((scope, _options, done) => {
    scope.addHook('onRequest', (request, reply) => limits.take(openLimit, request, reply))
    scope.setErrorHandler((error: Error, request, reply) => void refuse(options, {}, error, { request, reply }))
    scope.get('/openapi.json', (request, reply) => {
      const url = baseUrl()
      const describe = () => JSON.stringify(toOpenApi(modules, { baseUrl: url, version }))
      return sendPrepared(request, reply, pages.get(`openapi ${url}`, JSON_TYPE, describe))
    })
    mountActions(scope, gateway, pages)
    mountDocs(scope, { ...options, pages })
    done()
  })
}

interface DocumentsOptions extends Omit<DocsOptions, 'pages'> {
  modules: readonly Offered[]
  openLimit: RouteLimit
  onError(error: unknown, requestId: string): void
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Documents each action at its own path. Calls are answered elsewhere and do not pass this router. */
function mountActions(server: FastifyInstance, { registry }: { registry: Registry }, pages: PreparedPages): void {
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

function toDescription({ name, synonyms = [], summary, example, input, output }: Action): object {
  return { name, synonyms, summary, request: publicSchema(input), answer: publicSchema(output), example }
}

import type { FastifyInstance } from 'fastify'
import type { Offered } from '../../kernel/module.ts'
import type { RouteLimit } from '../../kernel/route.ts'
import { mountActions } from './action-routes.ts'
import { type DocsOptions, mountDocs } from './pages.tsx'
import { toOpenApi } from '../openapi/index.ts'
import { PreparedPages, sendPrepared } from '../prepared.ts'
import { refuse } from '../routes.ts'

/** Pages for people, and the machine-readable description of the API. */
export function mountDocuments(server: FastifyInstance, options: DocumentsOptions): void {
  const { gateway, baseUrl, version, rooms, limits, openLimit } = options
  const pages = new PreparedPages()
  void server.register((scope, _options, done) => {
    scope.addHook('onRequest', (request, reply) => limits.take(openLimit, request, reply))
    scope.setErrorHandler((error: Error, request, reply) => void refuse(options, {}, error, { request, reply }))
    scope.get('/openapi.json', (request, reply) => {
      const url = baseUrl()
      const describe = () => JSON.stringify(toOpenApi(rooms, { baseUrl: url, version }))
      return sendPrepared(request, reply, pages.get(`openapi ${url}`, JSON_TYPE, describe))
    })
    mountActions(scope, gateway, pages)
    mountDocs(scope, { ...options, pages })
    done()
  })
}

interface DocumentsOptions extends Omit<DocsOptions, 'pages'> {
  rooms: readonly Offered[]
  openLimit: RouteLimit
  onError(error: unknown, requestId: string): void
}

const JSON_TYPE = 'application/json; charset=utf-8'

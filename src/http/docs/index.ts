import type { FastifyInstance } from 'fastify'
import type { Offered } from '../../kernel/module.ts'
import { mountActions } from './action-routes.ts'
import { type DocsOptions, mountDocs } from './pages.tsx'
import { toOpenApi } from '../openapi/index.ts'

/** Pages for people, and the machine-readable description of the API. */
export function mountDocuments(server: FastifyInstance, options: DocsOptions & { rooms: readonly Offered[] }): void {
  const { gateway, baseUrl, version, rooms } = options
  // Made once: it is large, and anybody may ask for it.
  let described: { url: string; text: string } | undefined
  server.get('/openapi.json', (_request, reply) => {
    const url = baseUrl()
    if (described?.url !== url) described = { url, text: JSON.stringify(toOpenApi(rooms, { baseUrl: url, version })) }
    return reply.type('application/json; charset=utf-8').send(described.text)
  })
  mountActions(server, gateway)
  mountDocs(server, options)
}

import type { FastifyInstance } from 'fastify'
import type { Names, Representatives } from '../kernel/ports.ts'
import type { SwapProvider } from '../kernel/swap.ts'
import { lookUpNames, showName } from '../modules/names/index.ts'
import { mountAssets } from './assets.ts'
import { type DocsOptions, mountDocs } from './docs-routes.tsx'
import { mountActions } from './action-routes.ts'
import { toOpenApi } from './openapi/index.ts'

interface PagesOptions extends DocsOptions {
  names: Names
  reps: Representatives
  currencies: readonly string[]
  swaps: SwapProvider | undefined
}

/** Pages for people, and the machine-readable description of the API. */
export function mountPages(server: FastifyInstance, { names, reps, currencies, swaps, ...docs }: PagesOptions): void {
  const { gateway, baseUrl, version } = docs
  const { modules } = gateway.registry
  const failed = gateway.base.store.failures.failed('swap.provider')

  server.get('/reps.json', async (_request, reply) => reply.send(await reps.list()))
  server.get('/known.json', (_request, reply) => reply.send(names.known().map(showName)))
  server.get('/aliases.json', (_request, reply) => reply.send(names.aliases()))
  server.get('/.well-known/nano-currency.json', async (request, reply) => {
    const { names: asked } = request.query as Record<string, unknown>
    // Without names, all of them: that is what the document is where it lies in a folder.
    if (asked === undefined) return reply.send({ names: names.known().map(showName) })
    return reply.send(await lookUpNames(names, [asked].flat().join(',')))
  })
  server.get('/currencies.json', async (_request, reply) =>
    // A swap provider that is away takes its own currencies with it and nobody else's.
    reply.send({ fiat: currencies, swap: (await swaps?.currencies().catch(failed)) ?? [] }),
  )
  // Made once: it is large, and anybody may ask for it.
  let described: { url: string; text: string } | undefined
  server.get('/openapi.json', (_request, reply) => {
    const url = baseUrl()
    if (described?.url !== url) described = { url, text: JSON.stringify(toOpenApi(modules, { baseUrl: url, version })) }
    return reply.type('application/json; charset=utf-8').send(described.text)
  })
  mountActions(server, gateway)
  mountDocs(server, docs)
  mountAssets(server)
}

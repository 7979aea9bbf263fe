import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Action } from '../kernel/action.ts'
import type { Representatives, SwapProvider } from '../kernel/ports.ts'
import { renderPage } from '../web/layout.tsx'
import { ReferencePage } from '../web/reference-page.tsx'
import { type GatewayStatus, StatusPage } from '../web/status-page.tsx'
import { mountAssets } from './assets.ts'
import { toOpenApi } from './openapi.ts'
import { PAGE_HEADERS } from './page-headers.ts'

export interface PagesOptions {
  actions: readonly Action[]
  baseUrl: () => string
  version: string
  devnet: boolean
  reps: Representatives
  currencies: readonly string[]
  swaps: SwapProvider | undefined
  status(): GatewayStatus
}

/** Pages for people, and the machine-readable description of the API. */
export function mountPages(
  server: FastifyInstance,
  { actions, baseUrl, version, devnet, reps, currencies, swaps, status }: PagesOptions,
): void {
  const sendPage = (reply: FastifyReply, html: string) => reply.headers(PAGE_HEADERS).send(html)

  server.get('/', (request, reply) => {
    if (request.headers.accept?.includes('text/html')) {
      return sendPage(reply, renderPage(<ReferencePage actions={actions} baseUrl={baseUrl()} devnet={devnet} />))
    }
    const docs = `${baseUrl()}/openapi.json`
    return reply.send({ service: 'nano-gateway', version, rpc: `POST ${baseUrl()}`, docs })
  })
  server.get('/dashboard', (_request, reply) =>
    sendPage(reply, renderPage(<StatusPage status={status()} devnet={devnet} />)),
  )
  server.get('/reps.json', async (_request, reply) => reply.send(await reps.list()))
  server.get('/currencies.json', async (_request, reply) =>
    reply.send({ fiat: currencies, swap: (await swaps?.currencies()) ?? [] }),
  )
  server.get('/openapi.json', (_request, reply) => reply.send(toOpenApi(actions, { baseUrl: baseUrl(), version })))
  mountAssets(server)
}

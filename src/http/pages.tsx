import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Action } from '../kernel/action.ts'
import type { Representatives, SwapProvider } from '../kernel/ports.ts'
import { renderPage } from '../web/layout.tsx'
import { ReferencePage } from '../web/reference-page.tsx'
import { toOpenApi } from './openapi.ts'

export interface PagesOptions {
  actions: readonly Action[]
  baseUrl: () => string
  version: string
  devnet: boolean
  reps: Representatives
  currencies: readonly string[]
  swaps: SwapProvider | undefined
}

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** Pages for people, and the machine-readable description of the API. */
export function mountPages(
  server: FastifyInstance,
  { actions, baseUrl, version, devnet, reps, currencies, swaps }: PagesOptions,
): void {
  const css = readFileSync(new URL('../web/assets/gateway.css', import.meta.url), 'utf8')
  const sendPage = (reply: FastifyReply, html: string) => reply.headers(PAGE_HEADERS).send(html)

  server.get('/', (request, reply) => {
    if (request.headers.accept?.includes('text/html')) {
      return sendPage(reply, renderPage(<ReferencePage actions={actions} baseUrl={baseUrl()} devnet={devnet} />))
    }
    const docs = `${baseUrl()}/openapi.json`
    return reply.send({ service: 'nano-gateway', version, rpc: `POST ${baseUrl()}`, docs })
  })
  server.get('/reps.json', async (_request, reply) => reply.send(await reps.list()))
  server.get('/currencies.json', async (_request, reply) =>
    reply.send({ fiat: currencies, swap: (await swaps?.currencies()) ?? [] }),
  )
  server.get('/openapi.json', (_request, reply) => reply.send(toOpenApi(actions, { baseUrl: baseUrl(), version })))
  server.get('/assets/gateway.css', (_request, reply) =>
    reply.headers({ 'content-type': 'text/css; charset=utf-8', 'cache-control': 'public, max-age=300' }).send(css),
  )
}

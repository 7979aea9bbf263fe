import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { LedgerNames, LedgerView } from '../kernel/ledger-view.ts'
import { listAssets } from '../web/assets.ts'
import { ExplorerPage } from '../web/explorer/explorer-page.tsx'
import type { Explorer } from '../web/explorer/parts.tsx'
import { type ExplorerPlace, showPlace } from '../web/explorer/show-place.tsx'
import { renderPage } from '../web/layout.tsx'
import { PAGE_HEADERS } from './page-headers.ts'

/** Enough for a few people with a few tabs each. */
const CONNECTIONS_MAX = 200
const EVENTS = '/events'

interface ExplorerServerOptions {
  view: LedgerView
  names: LedgerNames
  /** Shown on every page. */
  rpcUrl: string
  onError(error: unknown): void
}

/** Serves the explorer of a development ledger as a site of its own, read-only. */
export function createExplorerServer({ view, names, rpcUrl, onError }: ExplorerServerOptions): Server {
  const explorer: Explorer = { view, names, base: '', events: EVENTS }
  const server = createServer((request, response) => {
    request.resume()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { allow: 'GET, HEAD', 'content-type': 'text/plain' }).end('Only GET.\n')
    }
    // Anybody can send any URL, and some cannot be parsed, such as `//`. An uncaught error here would end the ledger.
    const url = URL.parse(request.url ?? '/', 'http://explorer')
    if (!url) return sendNoPage(response)
    if (url.pathname === EVENTS) return follow(view, request, response)
    if (url.pathname.startsWith('/assets/')) return sendAsset(url, response)
    const place = toPlace(url)
    if (!place) return sendNoPage(response)
    showPlace(explorer, place).then(
      (shown) =>
        sendPage(request, response, shown.status, renderPage(<ExplorerPage place={shown} rpcUrl={rpcUrl} base="" />)),
      (error: unknown) => {
        onError(error)
        response.writeHead(500, { 'content-type': 'text/plain' }).end('This page cannot be shown.\n')
      },
    )
  })
  server.maxConnections = CONNECTIONS_MAX
  return server
}

function toPlace({ pathname, searchParams }: URL): ExplorerPlace | undefined {
  const query = Object.fromEntries(searchParams)
  if (pathname === '/') return { kind: 'blocks', query }
  const [, kind, name = ''] = /^\/(blocks|accounts)\/(\w{1,100})$/.exec(pathname) ?? []
  if (kind === 'blocks') return { kind: 'block', hash: name }
  return kind === 'accounts' ? { kind: 'account', address: name, query } : undefined
}

function sendNoPage(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.\n')
}

function sendPage({ headers }: IncomingMessage, response: ServerResponse, status: number, html: string): void {
  const zips = /\bgzip\b/.test(headers['accept-encoding'] ?? '')
  const encoding = zips && { 'content-encoding': 'gzip' }
  response.writeHead(status, { ...PAGE_HEADERS, 'cache-control': 'no-store', vary: 'accept-encoding', ...encoding })
  response.end(zips ? gzipSync(html) : html)
}

function sendAsset({ pathname }: URL, response: ServerResponse): void {
  const asset = listAssets().find(({ name }) => pathname === `/assets/${name}`)
  if (!asset) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such file.\n')
  const headers = { 'content-type': asset.type, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
  response.writeHead(200, headers).end(asset.plain)
}

/** Sends an event after every change of the ledger until the page disconnects. */
function follow(view: LedgerView, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' })
  if (request.method === 'HEAD') return void response.end()
  response.write('retry: 1000\n\n')
  const stop = view.listen(() => response.write('event: changed\ndata:\n\n'))
  response.on('close', stop)
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Action } from '../../kernel/action.ts'
import type { Meter } from '../../kernel/ctx.ts'
import { AppError } from '../../kernel/errors.ts'
import type { RateLimiter } from '../../kernel/ports.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { DocsSite } from '../../web/docs-shell.tsx'
import { DocsOverview } from '../../web/docs-overview.tsx'
import { DocsSearchPage } from '../../web/docs-search-page.tsx'
import { GuidePage } from '../../web/docs-guide-page.tsx'
import { llmsText } from '../../web/llms-text.ts'
import { LandingPage } from '../../web/landing-page.tsx'
import { renderPage } from '../../web/layout.tsx'
import { toRequest } from '../../web/reference-fields.ts'
import { referenceMarkdown } from '../../web/reference-markdown.ts'
import { ReferencePage } from '../../web/reference-page.tsx'
import type { RunResult } from '../../web/reference-form.tsx'
import { describeCost } from './describe-cost.ts'
import { toErrorReply } from '../errors.ts'
import { Guides } from './guides.ts'
import { PAGE_HEADERS } from '../page-headers.ts'
import { toProblemPage, wantsPage } from '../problem.tsx'
import { remoteAddressOf } from '../remote-address.ts'
import { DocsSearch } from './search.ts'
import { type PageCall, runFromPage } from './run-from-page.ts'

export interface DocsOptions extends PageCall {
  baseUrl(): string
  version: string
  devnet: boolean
  /** Counts in this process alone. */
  openLimiter(): RateLimiter
}

const QUERY_MAX = 100
/** Each goes through everything that is written. */
const SEARCHES_PER_MINUTE = 60
/** What people call a thing that is metered. */
const COUNTED: Record<Meter, string> = { work: 'works', wallet_send: 'sends' }

/** Landing page, guides, and the reference with a form for each action. */
export function mountDocs(server: FastifyInstance, options: DocsOptions): void {
  const { gateway, baseUrl, version, devnet } = options
  const { registry, seller, tariffs } = gateway
  const guides = new Guides(new URL('../../../docs/', import.meta.url))
  const site = (): DocsSite => ({
    modules: registry.modules.filter(({ actions }) => actions.length > 0),
    guides: guides.list(),
    baseUrl: baseUrl(),
    devnet,
  })
  const describe = (action: Action) => {
    const price = seller?.goods.get(action.name)?.price
    const costs = describeCost(action.meter && tariffs[action.meter], price, COUNTED[action.meter ?? 'work'])
    return { action, costs, hasPrice: price !== undefined }
  }
  const actionPage = (action: Action, request: JsonObject, result?: RunResult) =>
    renderPage(<ReferencePage site={site()} {...describe(action)} request={request} result={result} />)

  server.get('/', (request, reply) => {
    if (request.headers.accept?.includes('text/html')) {
      return sendPage(reply, renderPage(<LandingPage site={site()} />))
    }
    const docs = `${baseUrl()}/openapi.json`
    return reply.send({ service: 'nano-gateway', version, rpc: `POST ${baseUrl()}`, docs })
  })
  server.get('/llms.txt', (_request, reply) => reply.type(TEXT).send(llmsText(site())))
  server.get('/docs.md', (_request, reply) => sendMarkdown(reply, llmsText(site())))
  mountSearch(server, options, { guides, site, describe })
  server.get('/docs/actions', (_request, reply) => reply.redirect('/docs#actions'))
  server.get('/docs/actions/:name', async (request, reply) => {
    const { name, isMarkdown } = readPath(nameOf(request), request)
    const action = registry.find(name)?.action
    if (!action) return notFound(reply)
    if (isMarkdown) return sendMarkdown(reply, referenceMarkdown({ baseUrl: baseUrl(), ...describe(action) }))
    if (action.name !== name) return reply.redirect(`/docs/actions/${action.name}`)
    const asked = readQuestion(action, request.query as Record<string, unknown>)
    if (!asked) return sendPage(reply, actionPage(action, action.example.request))
    const result = await runFromPage(options, request, { action: name, ...asked }, '')
    return sendPage(reply.header('cache-control', 'no-store'), actionPage(action, asked, result))
  })
  mountGuides(server, guides, site)
  void server.register((forms, _options, done) => {
    takeForms(forms)
    forms.post('/docs/actions/:name', async (request, reply) => {
      const action = registry.find(nameOf(request))?.action
      if (!action) return notFound(reply)
      const { authorization = '', only, ...given } = request.body as Record<string, string>
      const asked = toRequest(action, given)
      const question = { ...unknownTo(action, given), action: action.name, ...asked }
      const result = only === 'code' ? undefined : await runFromPage(options, request, question, authorization.trim())
      return sendPage(reply.header('cache-control', 'no-store'), actionPage(action, asked, result))
    })
    done()
  })
}

interface Searched {
  guides: Guides
  site(): DocsSite
  describe(action: Action): Omit<Parameters<typeof referenceMarkdown>[0], 'baseUrl'>
}

/** The overview, and what is found in all that is written. */
function mountSearch(server: FastifyInstance, options: DocsOptions, { guides, site, describe }: Searched): void {
  const { gateway, baseUrl, devnet } = options
  const search = new DocsSearch(() => [
    ...gateway.registry.actions.map((action) => ({
      href: `/docs/actions/${action.name}`,
      title: action.name,
      synonyms: action.synonyms ?? [],
      group: 'Actions',
      weight: 1,
      markdown: referenceMarkdown({ baseUrl: baseUrl(), ...describe(action) }),
    })),
    ...guides.searchable(),
  ])
  const limiter = options.openLimiter()
  const countSearch = ({ raw }: FastifyRequest) =>
    limiter.take(options.clientIp(remoteAddressOf(raw), raw.headers['x-forwarded-for']), SEARCHES_PER_MINUTE)
  server.get('/docs', async (request, reply) => {
    if (wantsMarkdown(request)) return sendMarkdown(reply, llmsText(site()))
    const { q } = request.query as { q?: unknown }
    const query = typeof q === 'string' ? q.trim().slice(0, QUERY_MAX) : ''
    if (query === '') return sendPage(reply, renderPage(<DocsOverview site={site()} />))
    const { allowed, retryAfterSeconds } = await countSearch(request)
    if (!allowed) return refuseSearch(request, reply, { retryAfterSeconds, devnet })
    const found = search.find(query)
    // Anybody can write such an address: what it says is nothing to be found by a machine.
    return sendPage(
      reply.header('x-robots-tag', 'noindex'),
      renderPage(<DocsSearchPage site={site()} query={query} {...found} />),
    )
  })
}

const sendPage = (reply: FastifyReply, html: string) => reply.headers(PAGE_HEADERS).header('vary', 'accept').send(html)

/** Guides, as pages or as they were written, and the pictures in them. */
function mountGuides(server: FastifyInstance, guides: Guides, site: () => DocsSite): void {
  server.get('/docs/*', (request, reply) => {
    const path = (request.params as { '*': string })['*']
    const { name, isMarkdown } = readPath(path, request)
    const text = isMarkdown ? guides.markdown(name.replace(/\/README$/, '')) : undefined
    if (text !== undefined) return sendMarkdown(reply, text)
    const guide = guides.find(path)
    if (guide) return sendPage(reply, renderPage(<GuidePage site={site()} {...guide} />))
    const file = guides.file(path)
    if (file === undefined) return notFound(reply)
    return reply
      .headers(FILE_HEADERS)
      .type(PICTURES[path.slice(path.lastIndexOf('.') + 1)] ?? TEXT)
      .send(file)
  })
}

/** Bodies are forms here, and nothing else. */
function takeForms(forms: FastifyInstance): void {
  forms.removeAllContentTypeParsers()
  forms.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, parsed) =>
    parsed(null, Object.fromEntries(new URLSearchParams(text as string))),
  )
}

/** A picture that is opened by itself is still closed to everything foreign. */
const FILE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}
const TEXT = 'text/plain; charset=utf-8'
const PICTURES: Record<string, string> = { svg: 'image/svg+xml', png: 'image/png' }

/** Who asks for text gets it at the address of the page; everybody gets it at an address that ends so. */
function readPath(path: string, request: FastifyRequest): { name: string; isMarkdown: boolean } {
  return path.endsWith('.md')
    ? { name: path.slice(0, -'.md'.length), isMarkdown: true }
    : { name: path, isMarkdown: wantsMarkdown(request) }
}

/** Browsers never name it; programs that take both name it first. */
function wantsMarkdown({ headers: { accept = '' } }: FastifyRequest): boolean {
  const at = accept.indexOf('text/markdown')
  const html = accept.indexOf('text/html')
  return at !== -1 && (html === -1 || at < html)
}

function sendMarkdown(reply: FastifyReply, text: string): FastifyReply {
  return reply.headers(FILE_HEADERS).header('vary', 'accept').type('text/markdown; charset=utf-8').send(text)
}

/** A link may ask what costs and changes nothing, as for a block; anything else waits for the button. */
function readQuestion(action: Action, query: Record<string, unknown>): JsonObject | undefined {
  const isPlain = action.auth === 'none' && action.readOnly && action.meter === undefined
  const texts = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const asked = toRequest(action, Object.fromEntries(texts))
  return isPlain && Object.keys(asked).length > 0 ? asked : undefined
}

/** Fields that the form does not have are sent along, so that the reader is told that nothing reads them. */
function unknownTo(action: Action, given: Record<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !(name in action.input.properties)))
}

function nameOf({ params }: FastifyRequest): string {
  return (params as { name: string }).name
}

function notFound(reply: FastifyReply): FastifyReply {
  const { status, body } = toErrorReply(new AppError('not_found', 'Not found.'))
  return reply.code(status).send(body)
}

function refuseSearch(
  request: FastifyRequest,
  reply: FastifyReply,
  { retryAfterSeconds, devnet }: { retryAfterSeconds: number; devnet: boolean },
): FastifyReply {
  const detail = `${SEARCHES_PER_MINUTE} searches a minute from one address.`
  const { status, body } = toErrorReply(new AppError('too_many_requests', 'Too many requests.', { body: { detail } }))
  void reply.code(status).header('retry-after', retryAfterSeconds)
  if (!wantsPage(request.method, request.url, request.headers)) return reply.send(body)
  const { headers, page } = toProblemPage({ status, text: detail, devnet })
  return reply.headers(headers).send(page)
}

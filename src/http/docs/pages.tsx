import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Action } from '../../kernel/action.ts'
import type { Meter } from '../../kernel/ctx.ts'
import { AppError, overLimit } from '../../kernel/errors.ts'
import type { RouteLimit } from '../../kernel/route.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { DocsSite } from '../../web/docs-shell.tsx'
import { DocsOverview } from '../../web/docs-overview.tsx'
import { LandingPage } from '../../web/landing-page.tsx'
import { DocsSearchPage, GuidePage, NoSuchPage } from '../../web/docs-pages.tsx'
import { llmsText, referenceMarkdown } from '../../web/reference-markdown.ts'
import { renderPage } from '../../web/layout.tsx'
import { toRequest } from '../../web/reference-fields.ts'
import { ReferencePage } from '../../web/reference-page.tsx'
import type { RunResult } from '../../web/reference-form.tsx'
import { toErrorReply } from '../errors.ts'
import { Guides } from './guides.ts'
import { PAGE_HEADERS } from '../page-headers.ts'
import { type Prepared, type PreparedPages, sendPrepared } from '../prepared.ts'
import { wantsPage } from '../problem.tsx'
import type { RouteLimits } from '../route-limits.ts'
import { DocsSearch } from './search.ts'
import { type PageCall, runFromPage } from './run-from-page.ts'
import type { Tariff } from '../../guard/charge.ts'
import { formatNano } from '../../kernel/money.ts'
import type { Price } from '../../kernel/x402/price.ts'
import type { Allowance } from '../../modules/accounts/index.ts'

/** What a call costs, in sentences for people. */
function describeCost(tariff: Tariff | undefined, price: Price | undefined, counted: string): string[] {
  if (!tariff && !price) return ['It costs nothing.']
  return [
    ...(price ? [`Without a key a call costs ${describePrice(price)}, paid with the request.`] : []),
    ...(tariff ? [describeTariff(tariff, counted, price !== undefined)] : []),
  ]
}

function describePrice(price: Price): string {
  return 'raw' in price ? `${formatNano(price.raw)} nano` : `${price.value} ${price.currency}`
}

function describeTariff({ credits, free, freeFirst }: Tariff, counted: string, isSold: boolean): string {
  const amount = `${credits} ${credits === 1 ? 'credit' : 'credits'}`
  const share = free.account && describeAllowance(free.account, counted)
  const withKey = freeFirst
    ? share === undefined
      ? 'With a key it is free.'
      : `With a key ${share} are free; after that each costs ${amount}.`
    : `With a key each costs ${amount}; for an account without credits, ${share ?? 'all'} are free.`
  // If calls are sold by request, callers without a key get none for free.
  if (isSold || !free.anonymous) return withKey
  return `${withKey} Without a key, ${describeAllowance(free.anonymous, counted)} are free.`
}

const SPANS: [string, number][] = [
  ['30 days', 30 * 24 * 3_600_000],
  ['an hour', 3_600_000],
  ['half an hour', 1_800_000],
  ['a minute', 60_000],
]

function describeAllowance({ max, windowMilliseconds }: Allowance, counted: string): string {
  const span = SPANS.find(([, length]) => length === windowMilliseconds)?.[0] ?? `${windowMilliseconds / 1000} seconds`
  return `${max} ${counted} in ${span}`
}

export interface DocsOptions extends PageCall {
  baseUrl(): string
  version: string
  devnet: boolean
  limits: RouteLimits
  pages: PreparedPages
}

const QUERY_MAX = 100
/** A search reads all documents, so searches have a limit of their own. */
const SEARCH: RouteLimit = {
  bucket: 'search',
  perMinute: 60,
  refuse: ({ perMinute, retryAfterSeconds }) =>
    overLimit(`${perMinute} searches a minute from one address.`, retryAfterSeconds),
}
/** What metered calls are called on pages. */
const COUNTED: Record<Meter, string> = { work: 'calls', wallet_send: 'sends' }

/** Serves the landing page, the guides, and the reference with a form for each action. */
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
  // Keeps pages that are the same for everybody. They are made when requested, because the base URL may contain a port
  // that is not known at the start.
  const keep: Keep = (name, type, make) => options.pages.get(`${type} ${name} ${baseUrl()}`, type, make)
  const page: Searched['page'] = (name, render) => keep(name, HTML, render)
  const overview = () => keep('overview', MARKDOWN, () => llmsText(site()))
  const actionPage = (action: Action, request: JsonObject, result?: RunResult) =>
    renderPage(<ReferencePage site={site()} {...describe(action)} request={request} result={result} />)

  server.get('/', (request, reply) => {
    if (request.headers.accept?.includes('text/html')) {
      return sendPage(
        request,
        reply,
        page('landing', () => renderPage(<LandingPage site={site()} />)),
      )
    }
    const docs = `${baseUrl()}/openapi.json`
    return reply.send({ service: 'nano-gateway', version, rpc: `POST ${baseUrl()}`, docs })
  })
  server.get('/llms.txt', (request, reply) =>
    sendPrepared(
      request,
      reply,
      keep('llms.txt', TEXT, () => llmsText(site())),
    ),
  )
  server.get('/docs.md', (request, reply) => sendMarkdown(request, reply, overview()))
  mountSearch(server, options, { guides, site, describe, page, overview })
  server.get('/docs/actions', (_request, reply) => reply.redirect('/docs#actions'))
  server.get('/docs/actions/:name', async (request, reply) => {
    const { name, isMarkdown } = readPath(nameOf(request), request)
    const action = registry.find(name)?.action
    if (!action) return notFound(request, reply, site())
    if (isMarkdown) {
      const write = () => referenceMarkdown({ baseUrl: baseUrl(), ...describe(action) })
      return sendMarkdown(request, reply, keep(`action ${action.name}`, MARKDOWN, write))
    }
    if (action.name !== name) return reply.redirect(`/docs/actions/${action.name}`)
    const asked = readQuestion(action, request.query as Record<string, unknown>)
    if (!asked) {
      const render = () => actionPage(action, action.example.request)
      return sendPage(request, reply, page(`action ${action.name}`, render))
    }
    const result = await runFromPage(options, request, { action: name, ...asked }, '')
    return sendOwnPage(reply, actionPage(action, asked, result))
  })
  mountGuides(server, { guides, site, keep, page })
  void server.register((forms, _options, done) => {
    takeForms(forms)
    forms.post('/docs/actions/:name', async (request, reply) => {
      const action = registry.find(nameOf(request))?.action
      if (!action) return notFound(request, reply, site())
      const { authorization = '', only, ...given } = request.body as Record<string, string>
      const asked = toRequest(action, given)
      const question = { ...unknownTo(action, given), action: action.name, ...asked }
      const result = only === 'code' ? undefined : await runFromPage(options, request, question, authorization.trim())
      return sendOwnPage(reply, actionPage(action, asked, result))
    })
    done()
  })
}

type Keep = PreparedPages['get']

interface Guided {
  guides: Guides
  site(): DocsSite
  keep: Keep
  page(name: string, render: () => string): Prepared
}

interface Searched extends Omit<Guided, 'keep'> {
  overview(): Prepared
  describe(action: Action): Omit<Parameters<typeof referenceMarkdown>[0], 'baseUrl'>
}

/** Serves the overview, and the search. */
function mountSearch(
  server: FastifyInstance,
  options: DocsOptions,
  { guides, site, describe, page, overview }: Searched,
): void {
  const { gateway, baseUrl, limits } = options
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
  server.get('/docs', async (request, reply) => {
    if (wantsMarkdown(request)) return sendMarkdown(request, reply, overview())
    const { q } = request.query as { q?: unknown }
    const query = typeof q === 'string' ? q.trim().slice(0, QUERY_MAX) : ''
    if (query === '')
      return sendPage(
        request,
        reply,
        page('docs', () => renderPage(<DocsOverview site={site()} />)),
      )
    await limits.take(SEARCH, request, reply)
    const found = search.find(query)
    // Search engines must not index this page: its contents come from its address, which anybody can write.
    void reply.headers({ ...PAGE_HEADERS, vary: 'accept', 'x-robots-tag': 'noindex' })
    return reply.send(renderPage(<DocsSearchPage site={site()} query={query} {...found} />))
  })
}

const sendPage = (request: FastifyRequest, reply: FastifyReply, page: Prepared) =>
  sendPrepared(request, reply.headers(PAGE_HEADERS), page, 'accept')

/** Sends a page that is made for one reader, with the answer to a request of theirs. */
const sendOwnPage = (reply: FastifyReply, html: string) =>
  reply.headers({ ...PAGE_HEADERS, vary: 'accept', 'cache-control': 'no-store' }).send(html)

/** Serves guides as pages and as Markdown, and their pictures. */
function mountGuides(server: FastifyInstance, { guides, site, keep, page }: Guided): void {
  server.get('/docs/*', (request, reply) => {
    const path = (request.params as { '*': string })['*']
    const { name, isMarkdown } = readPath(path, request)
    const text = isMarkdown ? guides.markdown(name.replace(/\/README$/, '')) : undefined
    if (text !== undefined)
      return sendMarkdown(
        request,
        reply,
        keep(`guide ${name}`, MARKDOWN, () => text),
      )
    const guide = guides.find(path)
    if (guide)
      return sendPage(
        request,
        reply,
        page(`guide ${path}`, () => renderPage(<GuidePage site={site()} {...guide} />)),
      )
    const file = guides.file(path)
    if (file === undefined) return notFound(request, reply, site())
    const type = PICTURES[path.slice(path.lastIndexOf('.') + 1)] ?? TEXT
    return sendPrepared(
      request,
      reply.headers(FILE_HEADERS),
      keep(path, type, () => file),
    )
  })
}

/** Accepts no other bodies than forms here. */
function takeForms(forms: FastifyInstance): void {
  forms.removeAllContentTypeParsers()
  forms.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, parsed) =>
    parsed(null, Object.fromEntries(new URLSearchParams(text as string))),
  )
}

/** A picture opened on its own (SVG can contain code) may load nothing from other sites. */
const FILE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}
const TEXT = 'text/plain; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const HTML = PAGE_HEADERS['content-type']
const PICTURES: Record<string, string> = { svg: 'image/svg+xml', png: 'image/png' }

/**
 * A client that prefers text gets Markdown at the address of a page; an address that ends in `.md` gives it to every
 * client.
 */
function readPath(path: string, request: FastifyRequest): { name: string; isMarkdown: boolean } {
  return path.endsWith('.md')
    ? { name: path.slice(0, -'.md'.length), isMarkdown: true }
    : { name: path, isMarkdown: wantsMarkdown(request) }
}

/** Browsers never name Markdown in their Accept header; programs that accept Markdown and HTML name Markdown first. */
function wantsMarkdown({ headers: { accept = '' } }: FastifyRequest): boolean {
  const at = accept.indexOf('text/markdown')
  const html = accept.indexOf('text/html')
  return at !== -1 && (html === -1 || at < html)
}

function sendMarkdown(request: FastifyRequest, reply: FastifyReply, text: Prepared): FastifyReply {
  return sendPrepared(request, reply.headers(FILE_HEADERS), text, 'accept')
}

/**
 * A link may run only what is free and changes nothing, such as looking up a block. Everything else needs a click on
 * the button.
 */
function readQuestion(action: Action, query: Record<string, unknown>): JsonObject | undefined {
  const isPlain = action.auth === 'none' && action.readOnly && action.meter === undefined
  const texts = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const asked = toRequest(action, Object.fromEntries(texts))
  return isPlain && Object.keys(asked).length > 0 ? asked : undefined
}

/** Fields that the form does not have are sent as well, so that the answer names them as ignored. */
function unknownTo(action: Action, given: Record<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !(name in action.input.properties)))
}

function nameOf({ params }: FastifyRequest): string {
  return (params as { name: string }).name
}

function notFound(request: FastifyRequest, reply: FastifyReply, site: DocsSite): FastifyReply {
  if (wantsPage(request.method, request.url, request.headers)) {
    void reply
      .code(404)
      .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store', vary: 'accept', 'x-robots-tag': 'noindex' })
    return reply.send(renderPage(<NoSuchPage site={site} />))
  }
  const { status, body } = toErrorReply(new AppError('not_found', 'Not found.'))
  return reply.code(status).send(body)
}

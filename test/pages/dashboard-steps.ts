import type { TestContext } from 'node:test'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import type { Role } from '../../src/kernel/rights.ts'
import { Sessions } from '../../src/modules/accounts/index.ts'
import { insertMember } from '../../src/modules/accounts/people/members-store.ts'
import { Signer } from '../support/blocks.ts'
import type { Customer } from '../support/customer.ts'
import { type Gateway, type Reply, ask, openGateway } from '../support/gateway.ts'
import { leaseName } from '../support/lease-name.ts'
import { testRandom } from '../support/random.ts'
import { until } from '../support/until.ts'
import { serveWhole } from '../support/serve.ts'

/** A shop's server that records what it receives and answers as the test wants. */
export interface Receiver {
  url: string
  status: number
  bodies: string[]
}

export async function openReceiver(t: TestContext): Promise<Receiver> {
  const receiver: Receiver = { url: '', status: 200, bodies: [] }
  const url = await serveWhole(t, (body, _request, response) => {
    receiver.bodies.push(body)
    response.writeHead(receiver.status).end('seen')
  })
  receiver.url = `${url}/hook`
  return receiver
}

export type Holder = Pick<Customer, 'accountId' | 'key' | 'keyId'>

export interface Dashboard {
  gateway: Gateway
  url: string
  ctx: StoreCtx
  adminKey: string
  join(email: string | null): Promise<Holder>
  /** Signs in with a key; returns the session's cookie. */
  enter(key: string): Promise<string>
  get(path: string, cookie?: string): Promise<Reply>
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Reply>
  /** Sends a form as the page at `from` would. */
  send(from: string, path: string, fields: Record<string, string>, cookie: string): Promise<Reply>
  rest<T>(method: string, path: string, key: string, body?: object): Promise<T>
}

export const shopAddress = new Signer(51).address

/** A gateway on its development ledger, and helpers to use its dashboard. */
export async function openDashboard(
  t: TestContext,
  env: Record<string, string> = {},
  clock?: Clock,
): Promise<Dashboard> {
  const gateway = await openGateway(t, { LIMIT_FREE_PER_MINUTE: '0', LIMIT_FREE_CONCURRENCY: '0', ...env }, clock)
  const { url, app, ctx } = gateway
  const get: Dashboard['get'] = (path, cookie) =>
    ask(`${url}${path}`, { method: 'GET', headers: { accept: 'text/html', ...(cookie !== undefined && { cookie }) } })
  const post: Dashboard['post'] = (path, fields, headers = {}) =>
    ask(`${url}${path}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: url, ...headers },
      body: new URLSearchParams(fields).toString(),
    })
  return {
    gateway,
    url,
    ctx,
    adminKey: app.createdKey!,
    join: (email) => gateway.join({ email, name: 'Web shop' }),
    async enter(key) {
      const reply = await post('/dashboard/sign-in/key', { key })
      if (reply.status !== 303) throw new Error(`Not signed in: ${reply.status}`)
      return reply.headers['set-cookie']![0]!.split(';')[0]!
    },
    get,
    post,
    async send(from, path, fields, cookie) {
      const { text } = await get(from, cookie)
      return post(path, { ...tokensOf(text), ...fields }, { cookie })
    },
    async rest(method, path, key, body) {
      const reply = await gateway.rest(method, path, key, body)
      if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
      return reply.json()
    },
  }
}

/** A dashboard with sessions made directly, for people of one account in any role. */
export async function openPeople(t: TestContext, { clock, role }: { clock?: Clock; role?: 'user' | 'admin' } = {}) {
  const secretKey = testRandom.bytes(32)
  const dashboard = await openDashboard(t, { SECRET_KEY: Buffer.from(secretKey).toString('base64') }, clock)
  const { ctx, gateway } = dashboard
  const { accountId, key } = await gateway.join({ email: 'owner@example.com', role: role ?? 'user' })
  const sessions = new Sessions({ ...ctx, secrets: openSecretBox(secretKey, testRandom) })
  /** A person with a session. A guest was invited as an owner and has not accepted. */
  const bring = async (as: Role | 'guest') => {
    const id = ctx.ids.next('mem')
    const person = { id, accountId, email: `${as}-here@example.com`, invitedBy: null }
    const times = { invitedAt: 1, expiresAt: ctx.clock.now() + 3_600_000, joinedAt: as === 'guest' ? null : 1 }
    await insertMember(ctx.db, { ...person, ...times, role: as === 'guest' ? 'owner' : as })
    return { id, token: await sessions.create(accountId, { memberId: id }) }
  }
  return { dashboard, accountId, key, sessions, bring }
}

/** The hidden fields of every form on a page. */
export function tokensOf(html: string): { csrf: string; form_token: string } {
  const valueOf = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1] ?? ''
  return { csrf: valueOf('csrf'), form_token: valueOf('form_token') }
}

interface MenuLink {
  href: string
  title: string
  isOpen: boolean
}

function linksIn(html: string): MenuLink[] {
  return [...html.matchAll(/<a href="([^"]+)"( aria-current="page")?>(.+?)<\/a>/gs)].map(
    ([, href, current, inside]) => ({
      href: href!,
      title: inside!.replaceAll(/<[^>]+>/g, ''),
      isOpen: current !== undefined,
    }),
  )
}

/** The groups of the menu on wide screens. */
export const groupsOf = (page: string): MenuLink[] =>
  linksIn(/<nav class="nav"[^>]*><ul>(.*?)<li class="more">/s.exec(page)![1]!)

/** The tabs of the open group; none if it has a single page. */
export const tabsOf = (page: string): MenuLink[] =>
  linksIn(/<nav class="tabs"[^>]*>(.*?)<\/nav>/s.exec(page)?.[1] ?? '')

export interface Stocked {
  /** Paid, and its webhook delivered. */
  paid: string
  open: string
  event: string
  wallet: string
  /** An email payment that is not paid yet. */
  email: string
  link: string
  /** A webhook endpoint of the account, paused. */
  endpoint: string
  /** Member id of the owner. */
  member: string
  pos: string
  /** A leased username. */
  name: string
}

/** Gives an account one of everything: open and paid checkouts, a delivered event, a wallet, and so on. */
export async function stock(dashboard: Dashboard, { key, accountId }: Holder, receiver: Receiver): Promise<Stocked> {
  const { rest, post, enter, get } = dashboard
  const cookie = await enter(key)
  const make = (fields: object) =>
    rest<{ id: string }>('POST', '/api/checkouts', key, { address: shopAddress, ...fields })
  const open = await make({ title: 'Blue mug', amount: '2', metadata: { order: 'A-17' } })
  const paid = await make({ title: 'Tea for two', amount: '1.5', webhook_url: receiver.url })
  const from = tokensOf((await get(`/dashboard/checkouts/${paid.id}`, cookie)).text)
  await post(`/dashboard/developer/checkouts/${paid.id}/exactly`, from, { cookie })
  type Own = { checkout: { status: string }; webhook_events: { id: string; delivered: boolean }[] }
  const look = () => rest<Own>('GET', `/api/checkouts/${paid.id}`, key)
  await until(async () => (await look()).webhook_events.some(({ delivered }) => delivered))
  const [event] = (await look()).webhook_events
  const savings = { expire: '30 days', metadata: { name: 'Savings' } }
  const wallet = (await dashboard.gateway.call('cloud_wallet', savings, { key })).json().address!
  const mailed = { emails: ['guest@example.com', 'friend@example.com'], amount: '1', refund_address: shopAddress }
  const email = (await dashboard.gateway.call('nano_email', mailed, { key })).json().id!
  const offer = { address: shopAddress, amount: '3', title: 'Green mug', slug: 'green-mug', sold_max: 5 }
  const link = await rest<{ id: string }>('POST', '/api/links', key, offer)
  const items = [{ title: 'Tea', price: '2' }]
  const till = { address: shopAddress, title: 'Counter', pin: '4711', items, tips: [10] }
  const { id: pos } = await rest<{ id: string }>('POST', '/api/pos', key, till)
  const members = dashboard.ctx.db.selectFrom('members').select('id').where('account_id', '=', accountId)
  const owner = await members.executeTakeFirst()
  const listening = { url: receiver.url, description: 'Till in Berlin', enabled: false }
  const { id: endpoint } = await rest<{ id: string }>('POST', '/api/webhook-endpoints', key, listening)
  const name = await leaseName(dashboard.ctx, accountId, shopAddress)
  const ids = { paid: paid.id, open: open.id, event: event!.id, link: link.id, member: owner?.id ?? '' }
  return { ...ids, endpoint, email, pos, name, wallet }
}

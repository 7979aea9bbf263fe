import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayAct } from '../../src/kernel/action.ts'
import { insertMember } from '../../src/modules/accounts/people/members-store.ts'
import { LOGGED_ELSEWHERE, UNLOGGED } from '../hostile/expectations.ts'
import { tokensOf } from '../pages/dashboard-steps.ts'
import { Signer } from '../support/blocks.ts'
import { forEachEngine } from '../support/engines.ts'
import { bare, enter, sendForm } from '../support/form-steps.ts'
import { type Reply, ask, bearer } from '../support/gateway.ts'
import { leaseName } from '../support/lease-name.ts'
import { openStaff } from '../support/people-steps.ts'
import { openRefundShop } from '../support/refund-steps.ts'
import { subscribe } from '../support/subscribe.ts'

/* Makes every kind of change, as a person and with a key, and reads the activity log: what it says, and who acted. */

const waysOf = (lists: Readonly<Record<string, string>>) =>
  Object.values(lists).flatMap((list) => list.split(',').map((way) => way.trim()))

const SHOP = new Signer(5).address

forEachEngine((engine) => {
  test('a till was changed by “Somebody with a key”, a manager: whatever changes something is in the activity log under the name of who did it (contract 5, rule 32)', async (t) => {
    const staff = await openStaff(t, engine, { WEBHOOK_ALLOW_PRIVATE: 'true' })
    const { gateway, ctx, accountId, key, sessions, bring } = staff
    const { url } = gateway
    const walked = new Set<string>()
    let count = 100

    type Told = { id: string; what: string; actor: string }
    const told = async (of: string): Promise<Told[]> =>
      ctx.db.selectFrom('audit_entries').select(['id', 'what', 'actor']).where('account_id', '=', of).execute()
    /** The entry that one request leaves in the log. */
    async function expect(way: string, what: string, actor: string, ask: () => Promise<Reply>, of = accountId) {
      const before = new Set((await told(of)).map(({ id }) => id))
      const { status, text } = await ask()
      const left = (await told(of)).filter(({ id }) => !before.has(id))
      const isThere = left.some((entry) => entry.what === what && entry.actor === actor)
      assert.ok(
        isThere,
        `${way}: ${status} ${bare(text).slice(0, 1_500)} left ${JSON.stringify(left)}, not ${what} of ${actor}`,
      )
      walked.add(way)
    }

    const made = async (path: string, body: object) => {
      const reply = await gateway.rest('POST', path, key, body)
      assert.equal(reply.status, 201, reply.text)
      return reply.json().id!
    }
    const mail = { emails: ['guest@example.com'], amount: '1', refund_address: SHOP }
    const member = async (joinedAt: number | null = 1) => {
      const id = ctx.ids.next('mem')
      const times = { invitedAt: 1, expiresAt: joinedAt === null ? 2 ** 42 : null, joinedAt }
      const person = { accountId, email: `${id.toLowerCase()}@example.com`, role: 'manager' as const, invitedBy: null }
      await insertMember(ctx.db, { id, ...person, ...times })
      return id
    }
    const checkout = async () =>
      (await gateway.rest('POST', '/api/checkouts', key, { address: SHOP, amount: '1' })).json().id!
    const make = {
      checkout,
      cancelled: async () => {
        const id = await checkout()
        await gateway.rest('DELETE', `/api/checkouts/${id}`, key)
        return id
      },
      link: () => made('/api/links', { address: SHOP, amount: '1' }),
      pos: () => made('/api/pos', { address: SHOP, title: 'Counter' }),
      endpoint: () => made('/api/webhook-endpoints', { url: 'http://127.0.0.1:9/' }),
      key: () => made('/api/keys', { name: 'Second' }),
      member: () => member(),
      email: async () => (await gateway.call('nano_email', mail, bearer(key))).json().id!,
      wallet: async () => (await gateway.call('cloud_wallet', {}, bearer(key))).json().address!,
      subscription: () => subscribe(ctx, accountId),
    }
    const endpoint = await make.endpoint()
    const name = await leaseName(ctx, accountId, SHOP)
    const address = () => new Signer(++count).address

    type Step = [way: string, what: string, id?: string, fields?: object]
    const toPath = (way: string, id: string) => way.split(' ')[1]!.replace(/:(id|name|address)/, id)
    const idOf = async (id = '') => (Object.hasOwn(make, id) ? make[id as keyof typeof make]() : id)
    const checkouts = (path: string): Step[] => [
      [`PUT ${path}/:id`, 'checkout.updated', 'checkout', { title: 'Changed' }],
      [`POST ${path}/:id/mark`, 'checkout.marked', 'cancelled'],
      [`DELETE ${path}/:id`, 'checkout.cancelled', 'checkout'],
    ]
    const routes = (): Step[] => [
      ...checkouts('/api/checkouts'),
      ...checkouts('/api/admin/checkouts'),
      ['PUT /api/account/profile', 'profile.changed', '', { name: `Shop ${++count}` }],
      ['PUT /api/account/payout', 'payout.changed', '', { address: address() }],
      ['POST /api/keys', 'key.issued', '', { name: 'Third' }],
      ['POST /api/keys/:id/rotate', 'key.rotated', 'key'],
      ['DELETE /api/keys/:id', 'key.revoked', 'key'],
      ['POST /api/members', 'member.invited', '', { email: `new${++count}@example.com`, role: 'reader' }],
      ['PUT /api/members/:id', 'member.role-changed', 'member', { role: 'developer' }],
      ['DELETE /api/members/:id', 'member.removed', 'member'],
      ['POST /api/webhooks/secret/rotate', 'webhook-secret.rotated'],
      ['POST /api/webhook-endpoints', 'endpoint.made', '', { url: 'http://127.0.0.1:9/' }],
      ['PUT /api/webhook-endpoints/:id', 'endpoint.changed', endpoint, { description: 'Changed' }],
      ['POST /api/webhook-endpoints/:id/rotate', 'endpoint.secret-rotated', endpoint],
      ['POST /api/webhook-endpoints/:id/replay', 'endpoint.replayed', 'endpoint', { from_unix: 1 }],
      ['DELETE /api/webhook-endpoints/:id', 'endpoint.deleted', 'endpoint'],
      ['POST /api/watches', 'endpoint.watched', '', { endpoint, addresses: [address()] }],
      ['DELETE /api/watches', 'endpoint.unwatched', '', { endpoint, addresses: [new Signer(count).address] }],
      ['POST /api/links', 'link.made', '', { address: SHOP, amount: '1' }],
      ['PUT /api/links/:id', 'link.changed', 'link', { title: 'Changed' }],
      ['DELETE /api/links/:id', 'link.deleted', 'link'],
      ['POST /api/subscriptions/:id/end', 'subscription.ended', 'subscription'],
      ['POST /api/pos', 'pos.made', '', { address: SHOP, title: 'Counter' }],
      ['PUT /api/pos/:id', 'pos.changed', 'pos', { title: 'Changed' }],
      ['POST /api/pos/:id/rotate', 'pos.rotated', 'pos'],
      ['DELETE /api/pos/:id', 'pos.deleted', 'pos'],
      ['PUT /api/names/:name', 'name.indexed', name, { indexed: true }],
      ['DELETE /api/emails/:id', 'email.cancelled', 'email'],
    ]
    const offer = { address: SHOP, amount: '1', currency: 'NANO', title: 'Mug', mode: 'unique_amount' }
    const till = { address: SHOP, title: 'Counter', currency: 'NANO', time_zone: 'UTC' }
    const hook = { url: 'http://127.0.0.1:9/', 'events-*': 'yes' }
    const forms = (): Step[] => [
      ['/profile', 'profile.changed', '', { name: `Shop ${++count}` }],
      ['/payout', 'payout.changed', '', { to: 'address', address: address() }],
      ['/people', 'member.invited', '', { email: `new${++count}@example.com`, role: 'reader' }],
      ['/people/:id/remove', 'member.removed', 'member'],
      ['/checkouts/:id/edit', 'checkout.updated', 'checkout', { title: 'Changed' }],
      ['/checkouts/:id/mark', 'checkout.marked', 'cancelled'],
      ['/checkouts/:id/cancel', 'checkout.cancelled', 'checkout'],
      ['/links', 'link.made', '', offer],
      ['/links/:id', 'link.changed', 'link', offer],
      ['/links/:id/pause', 'link.changed', 'link'],
      ['/links/:id/resume', 'link.changed', 'link'],
      ['/links/:id/delete', 'link.deleted', 'link'],
      ['/pos', 'pos.made', '', till],
      ['/pos/:id', 'pos.changed', 'pos', till],
      ['/pos/:id/pin', 'pos.changed', 'pos', { pin: '4711' }],
      ['/pos/:id/rotate', 'pos.rotated', 'pos'],
      ['/pos/:id/pause', 'pos.changed', 'pos'],
      ['/pos/:id/resume', 'pos.changed', 'pos'],
      ['/pos/:id/delete', 'pos.deleted', 'pos'],
      ['/wallets', 'wallet.made', '', { name: 'Savings', lifetime: '90' }],
      ['/wallets/:address/send', 'wallet.sent', 'wallet', { to: SHOP, amount: '1' }],
      ['/emails', 'email.made', '', { ...mail, 'emails[0]': 'guest@example.com' }],
      ['/emails/:id/cancel', 'email.cancelled', 'email'],
      ['/names/:name/indexing', 'name.indexed', name, { indexed: 'true' }],
      ['/webhooks/secret', 'webhook-secret.rotated'],
      ['/webhooks/endpoints', 'endpoint.made', '', hook],
      ['/webhooks/endpoints/:id', 'endpoint.changed', endpoint, { ...hook, description: 'Changed' }],
      ['/webhooks/endpoints/:id/pause', 'endpoint.changed', endpoint],
      ['/webhooks/endpoints/:id/resume', 'endpoint.changed', endpoint],
      ['/webhooks/endpoints/:id/rotate', 'endpoint.secret-rotated', endpoint],
      ['/webhooks/endpoints/:id/replay', 'endpoint.replayed', 'endpoint', { from_unix: '2001-01-01' }],
      ['/webhooks/endpoints/:id/delete', 'endpoint.deleted', 'endpoint'],
      ['/webhooks/endpoints/:id/watch', 'endpoint.watched', endpoint, { 'addresses[0]': address() }],
      ['/webhooks/endpoints/:id/unwatch', 'endpoint.unwatched', endpoint, { watched: new Signer(count).address }],
      ['/keys', 'key.issued', '', { name: 'Third', kind: 'secret' }],
      ['/keys/:id/rotate', 'key.rotated', 'key'],
      ['/keys/:id/revoke', 'key.revoked', 'key'],
    ]
    const post = async (token: string, path: string, fields: object = {}) => {
      const cookie = `nano-gateway=${token}`
      // An invited person sees no other page.
      const from = path.startsWith('/dashboard/accounts') ? 'accounts' : 'keys'
      const page = await ask(`${url}/dashboard/${from}`, { method: 'GET', headers: { cookie, accept: 'text/html' } })
      return sendForm(`${url}${path}`, { ...tokensOf(page.text), ...fields }, { cookie, origin: new URL(url).origin })
    }
    const walkForm = async (token: string, actor: string, [path, what, given, fields]: Step) => {
      const id = await idOf(given)
      const filled = path.endsWith('/role') ? { [`role-${id}`]: 'reader' } : fields
      const send = () => post(token, `/dashboard${path.replace(/:(id|name|address)/, id)}`, filled)
      await expect(`POST /dashboard${path}`, what, actor, send)
    }

    const olga = await bring('olga', 'owner')
    const robot = (await gateway.rest('POST', '/api/keys', key, { name: 'Robot' })).json<{ id: string; key: string }>()
    const asKey = await sessions.create(accountId, { keyId: robot.id })
    for (const [text, session, actor] of [
      [olga.token, olga.token, olga.id],
      [robot.key, asKey, robot.id],
    ] as const) {
      for (const [way, what, given, fields] of routes()) {
        const id = await idOf(given)
        const send = () => gateway.rest(way.split(' ')[0]!, toPath(way, id), text, fields ?? {})
        await expect(way, what, actor, send)
      }
      for (const step of forms()) await walkForm(session, actor, step)
      await walkForm(session, actor, ['/people/:id/role', 'member.role-changed', 'member'])
      const link = await make.link()
      const ended = await subscribe(ctx, accountId, { linkId: link })
      const path = '/dashboard/links/:id/subscriptions/:subscription/end'
      const send = () => post(session, path.replace(':id', link).replace(':subscription', ended))
      await expect(`POST ${path}`, 'subscription.ended', actor, send)
      const unmatched = { checkout: await make.cancelled() }
      await walkForm(session, actor, ['/checkouts/unmatched', 'checkout.marked', '', unmatched])
    }

    // Changes that only a key, or only a person, can make.
    const call = (action: string, what: string, fields: object) =>
      expect(action, what, robot.id, () => gateway.call(action, fields, bearer(robot.key)))
    const account = await make.wallet()
    await call('cloud_wallet', 'wallet.made', {})
    await call('cloud_wallet', 'wallet.changed', { update_metadata: true, account, metadata: { a: 1 } })
    await call('cloud_wallet', 'wallet.sent', { account, send: SHOP, amount: '1' })
    await call('cloud_wallet', 'wallet.ended', { account, delete: true })
    await call('payment_link', 'link.made', { address: SHOP, amount: '1' })
    await call('nano_email', 'email.made', mail)
    await call('watch', 'endpoint.watched', { endpoint, addresses: [address()] })
    const signIn = () => sendForm(`${url}/dashboard/sign-in/key`, { key: robot.key })
    await expect('POST /dashboard/sign-in/key', 'account.signed-in', robot.id, signIn)
    await walkForm(asKey, robot.id, ['/prove', 'account.proved', '', { key: robot.key }])
    await walkForm(olga.token, olga.id, ['/security/mail', 'account.mail-links-allowed', '', { allowed: 'yes' }])
    const guest = await member(null)
    const invited = await sessions.create(accountId, { memberId: guest })
    const asGuest = (path: string, what: string, token = invited) =>
      expect(`POST /dashboard${path}`, what, guest, () => post(token, `/dashboard${path.replace(':id', guest)}`))
    await asGuest('/accounts/:id/accept', 'member.joined')
    const [open, leave] = [1, 2].map(() => sessions.create(accountId, { memberId: guest }))
    await asGuest('/accounts/:id/open', 'account.signed-in', await open)
    await asGuest('/accounts/:id/leave', 'member.left', await leave)
    const own = await member()
    const alone = await sessions.create(accountId, { memberId: own })
    await post(alone, '/dashboard/accounts/new')
    const founded = await ctx.db
      .selectFrom('accounts')
      .select('id')
      .where('email', '=', `${own.toLowerCase()}@example.com`)
      .execute()
    const founder = (await told(founded[0]!.id)).map(({ what, actor }) => `${what} ${actor.slice(0, 4)}`)
    assert.deepEqual(founder.sort(), ['account.created sign', 'account.signed-in mem_'])
    walked.add('POST /dashboard/accounts/new')
    for (const [way, token, actor] of [
      ['POST /api/members/:id/owner', olga.token, olga.id],
      ['POST /dashboard/people/:id/owner', ...Object.values(await bring('otto', 'owner')).reverse()],
    ] as [string, string, string][]) {
      const id = await member()
      const path = toPath(way, id)
      const send = () => (path.startsWith('/api') ? gateway.rest('POST', path, token, {}) : post(token, path))
      await expect(way, 'member.role-changed', actor, send)
    }

    // The operator of the service, in another account.
    const admin = await gateway.join({ role: 'admin' })
    const cookie = (await enter(gateway, admin.key)).split('=')[1]!
    const join = async (email: string) => (await gateway.join({ email })).accountId
    const [one, other] = [await join('one@example.com'), await join('other@example.com')]
    const reason = 'Outage.'
    const operated: [string, string, string, object?, object?][] = [
      ['POST', 'suspend', 'account.suspended', { reason }],
      ['POST', 'resume', 'account.resumed', { reason }],
      ['POST', 'sign-out', 'account.signed-out'],
      ['PUT', 'standing', 'account.changed', { per_minute: 100 }],
      ['POST', 'credits', 'credits.granted', { amount: 1, reason }, { amount: '1', credit_reason: reason }],
      ['POST', 'erase', 'account.closed', {}, { confirm: other }],
    ]
    for (const [method, part, what, body = {}, fields = body] of operated) {
      const api = () => gateway.rest(method, `/api/accounts/${one}/${part}`, admin.key, body)
      await expect(`${method} /api/accounts/:id/${part}`, what, admin.keyId, api, one)
      const form = () => post(cookie, `/dashboard/admin/accounts/${other}/${part}`, fields)
      await expect(`POST /dashboard/admin/accounts/:id/${part}`, what, admin.keyId, form, other)
    }

    const { routes: mounted, actions } = gateway.app.endpoints
    const writing = mounted
      .filter(({ method }) => !/^(GET|HEAD|OPTIONS)$/.test(method))
      .map(({ method, path }) => `${method} ${path}`)
    const all = [
      ...new Set([...writing, ...actions.filter(mayAct).map((action) => action.name), 'process', 'work_generate']),
    ]
    const named = new Set([...walked, ...waysOf(UNLOGGED), ...waysOf(LOGGED_ELSEWHERE)])
    assert.deepEqual(
      all.filter((way) => !named.has(way)),
      [],
      'they change something: walk them, or say in test/hostile/expectations.ts why they leave no entry',
    )
    assert.deepEqual(
      // With another node there are no development controls.
      [...named].filter((way) => !all.includes(way) && !way.includes('/developer/')),
      [],
    )
    assert.deepEqual(
      [...walked].filter((way) => waysOf(UNLOGGED).includes(way)),
      [],
    )
    const { text } = await gateway.rest('GET', '/api/activity.csv', key)
    const lines = text.split('\r\n')
    for (const who of ['olga@example.com', `API key “Robot” (${robot.key.slice(0, 12)}…)`]) {
      for (const activity of [
        'made the point of sale',
        'made a new link of the point of sale',
        'changed the payment link',
      ])
        assert.ok(
          lines.some((line) => line.includes(who) && line.includes(activity)),
          `${activity} of ${who}`,
        )
    }
    assert.ok(!/Somebody with a key|An API key/.test(text))
  })

  test('a refund is in the activity log under the name of the key that asked for it (contract 5, rule 32)', async (t) => {
    const { shop, merchant, sell, refund, turning } = await openRefundShop(t, engine)
    const { id } = await sell()
    await refund(id, { amount: '0.1' })
    for (const path of ['/api/checkouts', '/api/admin/checkouts'])
      await turning(
        shop.rest('POST', `${path}/${id}/refunds`, merchant.key, { amount: path.length === 14 ? '0.2' : '0.3' }),
      )
    const cookie = await enter(shop, merchant.key)
    const page = await ask(`${shop.url}/dashboard/checkouts/${id}`, {
      method: 'GET',
      headers: { cookie, accept: 'text/html' },
    })
    const fields = { ...tokensOf(page.text), amount: '0.4' }
    await turning(sendForm(`${shop.url}/dashboard/checkouts/${id}/refund`, fields, { cookie, origin: shop.url }))
    const entries = shop.ctx.db
      .selectFrom('audit_entries')
      .select(['actor', 'detail'])
      .where('what', '=', 'checkout.refunded')
    const found = (await entries.execute()).map(({ actor, detail }) => [
      actor,
      (JSON.parse(detail) as { amount: string }).amount,
    ])
    assert.deepEqual(
      found.sort(),
      ['0.1', '0.2', '0.3', '0.4'].map((amount) => [merchant.keyId, amount]),
    )
  })
})

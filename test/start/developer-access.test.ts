import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { signHash } from '../../src/kernel/nano/keys.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { ROUTES } from '../hostile/expectations.ts'
import { Signer, nano } from '../support/blocks.ts'
import { type Gateway, ask, openGateway } from '../support/gateway.ts'

/* On a public gateway, test nano is only for administrators and for callers on the machine itself. */

type Headers = Record<string, string>

const PUBLIC = { BASE_URL: 'https://pay.shop.example', NODE_URLS: 'devnet:' }
/** Headers added by nginx. */
const PROXIED = { host: 'pay.shop.example', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
const SAME_PAGE = { 'sec-fetch-site': 'same-origin' }

async function openPublic(t: TestContext, env: Headers = {}) {
  const gateway = await openGateway(t, { ...PUBLIC, ...env })
  return { gateway, admin: gateway.app.createdKey!, user: (await gateway.join()).key }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const openCheckout = async ({ call }: Gateway) =>
  (await call('checkout', { address: new Signer(31).address, amount: '1' })).json().id!

const DOORS = Object.entries(ROUTES).flatMap(([route, { access }]) =>
  / \/developer\b/.test(route) && access !== 'public' ? [route] : [],
)

/** Calls a developer endpoint with the id of a missing object, so that an allowed call changes nothing. */
function knock({ url }: Gateway, route: string, headers: Headers) {
  const [method, path] = route.split(' ') as [string, string]
  const body = method === 'GET' ? {} : { body: '{}' }
  return ask(`${url}${path.replace(':id', 'none')}`, { method, headers, ...body })
}

for (const proxies of ['', 'loopback']) {
  const trust = proxies === '' ? 'a proxy that nobody named' : 'a trusted proxy'
  test(`an outsider behind ${trust} cannot use any developer endpoint, and an administrator’s key can`, async (t) => {
    const { gateway, admin, user } = await openPublic(t, { TRUSTED_PROXIES: proxies })
    assert.ok(DOORS.length >= 7)
    for (const route of DOORS) {
      const statusOf = async (headers: Headers) => (await knock(gateway, route, headers)).status
      assert.equal(await statusOf(PROXIED), 401, route)
      assert.equal(
        await statusOf({ ...PROXIED, 'x-forwarded-for': '127.0.0.1' }),
        401,
        `${route}, who claims to be here`,
      )
      assert.equal(await statusOf({ host: 'pay.shop.example' }), 401, `${route}, by the public name`)
      assert.equal(await statusOf({ ...PROXIED, ...bearer(user) }), 403, route)
      for (const open of [{}, { ...PROXIED, ...bearer(admin) }]) {
        assert.ok(![401, 403].includes(await statusOf(open)), route)
      }
    }
  })
}

test('checkouts of a public shop cannot be paid with self-made test nano', async (t) => {
  const { gateway, user } = await openPublic(t, { TRUSTED_PROXIES: 'loopback' })
  const id = await openCheckout(gateway)
  const attempt = (headers: Headers) => ask(`${gateway.url}/developer/checkouts/${id}/pay`, { headers, body: '{}' })
  assert.equal((await attempt(PROXIED)).status, 401)
  assert.equal((await attempt({ ...PROXIED, ...bearer(user) })).status, 403)
  const check = await ask(`${gateway.url}/check/${id}`, { method: 'GET', headers: PROXIED })
  assert.equal(check.json().amount_paid_raw, '0', check.text)
  // The owner tries it on the machine itself.
  assert.equal((await attempt({})).status, 200)
})

test('the key of the genesis account, which everybody knows, opens nothing on a public ledger', async (t) => {
  const { gateway } = await openPublic(t)
  const devnet = gateway.app.devnet!
  const { head, balance, representative } = devnet.node.ledger.store.findAccount(DEV_NETWORK.genesisAccount)!
  const draft = {
    type: 'state' as const,
    account: DEV_NETWORK.genesisAccount,
    previous: head,
    representative,
    balance: (balance - nano(5)) as typeof balance,
    link: new Signer(7).key,
    signature: '',
    work: (await devnet.node.work.find(head, DEV_NETWORK.thresholds.send))!,
  }
  const block = toBlockJson({ ...draft, signature: signHash(DEV_NETWORK.genesisPrivateKey, hashBlock(draft)) })
  for (const more of [{}, { subtype: 'send' }, { async: 'true' }]) {
    const { error } = (await gateway.call('process', { json_block: 'true', block, ...more }, PROXIED)).json()
    assert.equal(error, 'The genesis account of this ledger is closed', JSON.stringify(more))
  }
  assert.equal(devnet.node.ledger.store.findAccount(DEV_NETWORK.genesisAccount)!.head, head)
})

test('the swap that gives test nano away exists on a local gateway only', async (t) => {
  const [there, here] = [(await openPublic(t)).gateway, await openGateway(t)]
  const { request } = here.app.endpoints.actions.find(({ name }) => name === 'nano_swap')!.example
  assert.equal((await there.call('nano_swap', request)).json().code, 'feature_disabled')
  const agreed = await here.call('nano_swap', request)
  assert.equal(agreed.json().source, 'sandbox', agreed.text)
})

test('payment page and dashboard of a public gateway offer test nano only to administrators', async (t) => {
  const { gateway, admin, user } = await openPublic(t, { TRUSTED_PROXIES: 'loopback' })
  const id = await openCheckout(gateway)
  const page = async (path: string, headers: Headers) =>
    ask(`${gateway.url}${path}`, { method: 'GET', headers: { accept: 'text/html', ...headers } })
  const enter = async (key: string) => {
    const form = { ...PROXIED, ...SAME_PAGE, 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await ask(`${gateway.url}/dashboard/sign-in/key`, { headers: form, body: `key=${key}` })
    return { ...PROXIED, cookie: String(reply.headers['set-cookie']).split(';')[0]! }
  }
  const [boss, guest] = [await enter(admin), await enter(user)]
  const panel = `/developer/checkouts/${id}/pay`
  const offers = async (headers: Headers) => (await page(`/pay/${id}`, headers)).text.includes(panel)
  assert.deepEqual(
    [await offers(PROXIED), await offers(guest), await offers(boss), await offers({})],
    [false, false, true, true],
  )
  const menu = async (headers: Headers) =>
    (await page('/dashboard/keys', headers)).text.includes('/dashboard/developer')
  assert.deepEqual([await menu(guest), await menu(boss)], [false, true])
  assert.equal((await page('/dashboard/developer', guest)).status, 404)
  assert.equal((await page('/dashboard/developer', boss)).status, 200)
  for (const path of ['pay', 'fund', 'hold', 'confirm', `checkouts/${id}/exactly`]) {
    const form = { ...guest, ...SAME_PAGE, 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await ask(`${gateway.url}/dashboard/developer/${path}`, { headers: form, body: 'amount=1' })
    assert.equal(reply.status, 404, path)
  }
})

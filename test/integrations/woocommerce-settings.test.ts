import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { another } from '../support/another.ts'
import { ask } from '../support/gateway.ts'
import { PLUGIN, type WooShop, openWooShop } from './woo-shop.ts'

/* The WooCommerce plug-in as a merchant uses it: settings, connection test, both checkouts, removal. */

const AS_MERCHANT = { 'x-user': 'merchant' }

async function readNonce({ url }: WooShop): Promise<string> {
  const { html } = (await ask(`${url}/play/settings`, { body: '{}', headers: AS_MERCHANT })).json<{ html: string }>()
  return /data-nonce="(\w+)"/.exec(html)![1]!
}

/** Presses the button; returns the text shown below it. */
async function press(shop: WooShop, headers: Record<string, string> = AS_MERCHANT, nonce?: string) {
  const fields = { action: 'nano_gateway_test', _ajax_nonce: nonce ?? (await readNonce(shop)) }
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(fields).toString()
  return ask(`${shop.url}/wp-admin/admin-ajax.php`, { body, headers: form })
}

async function linesOf(shop: WooShop): Promise<string[]> {
  const { data } = (await press(shop)).json<{ data: { good: boolean; text: string }[] }>()
  return data.map(({ good, text }) => `${good ? '+' : '-'} ${text}`)
}

test('the test of the connection says what is wrong: unset, unreachable, key, scope, address, secret, or nothing', async (t) => {
  const shop = await openWooShop(t)
  assert.deepEqual(await linesOf(shop), ['- Not set yet: Gateway URL, Secret key, Webhook secret, Address.'])
  await shop.save({ gateway_url: 'http://127.0.0.1:9' })
  assert.match((await linesOf(shop)).join(), /^- The gateway cannot be reached at this URL: .*refused/i)
  await shop.save({ gateway_url: `${shop.url}/somewhere` })
  assert.match(
    (await linesOf(shop)).join(),
    /^- The gateway cannot be reached at this URL: The server there is not a nano gateway/,
  )
  await shop.save({ secret_key: 'rpc_sk_wrong' })
  assert.match((await linesOf(shop)).join(), /^- The secret key is wrong: /)
  const keyWith = async (...scopes: string[]) =>
    (await shop.gateway.rest('POST', '/api/keys', shop.merchant.key, { name: 'less', scopes })).json().key!
  await shop.save({ secret_key: await keyWith('read') })
  assert.deepEqual(await linesOf(shop), ['- The key lacks the scope checkout. Create a key that has it.'])
  await shop.save({ secret_key: await keyWith('checkout') })
  const [, refunds, , webhook] = await linesOf(shop)
  assert.match(refunds!, /^- Refunds from orders will not work\. The key lacks the scope refunds/)
  assert.match(webhook!, /^- The webhook could not be tested\. The key lacks the scope webhooks/)
  await shop.save({ webhook_secret: 'whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcm90' })
  assert.match((await linesOf(shop)).at(-1)!, /^- The webhook secret is wrong/)
  const { address = '' } = shop.settings
  await shop.save({ address: another(address) })
  assert.equal((await linesOf(shop))[2], '- No order can be paid. The gateway refused: Bad account number')
  await shop.save()
  const good = await linesOf(shop)
  assert.equal(good.length, 4)
  assert.ok(
    good.every((line) => line.startsWith('+')),
    good.join('\n'),
  )

  const stranger = await press(shop, {}, await readNonce(shop))
  assert.deepEqual([stranger.status, stranger.text], [403, '-1'], 'the nonce is of somebody else')
  const { html } = await shop.play<{ html: string }>('settings')
  const own = await press(shop, {}, /data-nonce="(\w+)"/.exec(html)![1])
  assert.deepEqual([own.status, own.json<object>()], [403, { success: false }], 'who may not change the shop')
})

test('secrets never come back to a browser, an empty field keeps them, and the key goes nowhere without https', async (t) => {
  const shop = await openWooShop(t)
  await shop.save({ title: '"><script>alert(1)</script>' })
  const { html, available } = await shop.play<{ html: string; available: boolean }>('settings')
  assert.equal(available, true)
  for (const secret of [shop.secret, shop.settings.secret_key!, '<script>']) assert.ok(!html.includes(secret), secret)
  assert.match(html, /Saved\. Leave it empty to keep it\./)
  assert.deepEqual(await shop.save({ secret_key: '', webhook_secret: '' }), [])
  await shop.toPay(await shop.order())
  const wrong = { gateway_url: 'http://pay.example.com', secret_key: 'two words', address: 'nano_1' }
  const errors = await shop.save(wrong)
  assert.deepEqual(
    errors.map((text) => text.split(':')[0]),
    ['Gateway URL', 'Secret key', 'Address'],
  )
  for (const url of ['ftp://pay.example.com', 'https://user:word@pay.example.com', 'https://pay.example.com?x=1'])
    assert.equal((await shop.save({ gateway_url: url })).length, 1, url)
  await shop.toPay(await shop.order())
  await shop.save({ enabled: '1', address: '' })
  assert.equal((await shop.play<{ available: boolean }>('settings')).available, false)
})

test('the block checkout gets a payment method without secrets, and orders in their own tables are declared', async (t) => {
  const shop = await openWooShop(t)
  assert.equal((await shop.play<{ active: boolean }>('blocks')).active, false)
  await shop.save({ title: 'Nano &amp; more' })
  const blocks = await shop.play<{ data: object; scripts: string[] }>('blocks')
  assert.deepEqual(blocks, {
    name: 'nano_gateway',
    active: true,
    data: {
      title: 'Nano &amp; more',
      description: '',
      supports: ['products', 'refunds'],
    },
    scripts: [`${shop.url}/wp-content/plugins/nano-gateway/assets/blocks.js`],
    declared: { custom_order_tables: true, cart_checkout_blocks: true },
  })
  let registered: { name: string; ariaLabel: string; label: unknown; canMakePayment(): boolean } | undefined
  const window = {
    wc: {
      wcBlocksRegistry: { registerPaymentMethod: (method: typeof registered) => void (registered = method) },
      wcSettings: { getSetting: (name: string) => (name === 'nano_gateway_data' ? blocks.data : undefined) },
    },
    wp: {
      element: { createElement: (...parts: unknown[]) => parts },
      htmlEntities: { decodeEntities: (text: string) => text.replaceAll('&amp;', '&') },
    },
  }
  runInNewContext(readFileSync(join(PLUGIN, 'assets/blocks.js'), 'utf8'), { window })
  assert.deepEqual([registered!.name, registered!.ariaLabel], ['nano_gateway', 'Nano & more'])
  assert.equal(registered!.canMakePayment(), true)
})

test('a lock that a dead request left is taken over after its time; deleting the plug-in leaves none of its options', async (t) => {
  const shop = await openWooShop(t)
  await shop.save()
  const id = await shop.order()
  const lock = (seconds: number) => {
    const value = `${Math.floor(Date.now() / 1_000) + seconds}:dead`
    return shop.play('lock', { name: `nano_gateway_lock_${id}`, value })
  }
  await lock(-1)
  const checkoutId = await shop.toPay(id)
  await lock(60)
  assert.equal(await shop.tell(JSON.stringify({ checkout_id: checkoutId, metadata: { order_id: String(id) } })), 503)
  assert.deepEqual(await shop.play('uninstall'), ['cron'], 'the list of tasks is of WordPress')
  assert.deepEqual(await shop.play('cron'), [])
})

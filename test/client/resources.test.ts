import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGateway, raw } from '../../src/client/index.ts'
import { Signer } from '../support/blocks.ts'
import { watchedFetch } from '../support/client-steps.ts'
import { ask, openGateway } from '../support/gateway.ts'

/* Manages an account's objects through the client. */

const shop = new Signer(63)
const HOOK = 'https://shop.example/hook'

async function listOf<One>(entries: AsyncIterable<One>): Promise<One[]> {
  const list: One[] = []
  for await (const one of entries) list.push(one)
  return list
}

async function openShop(t: Parameters<typeof openGateway>[0]) {
  const { url, join } = await openGateway(t)
  const { key } = await join()
  const watched = watchedFetch()
  return { url, gateway: createGateway({ url, key, fetch: watched.fetch }), watched }
}

test('a merchant with more checkouts and events than a page reads each once, and a page only when it is needed', async (t) => {
  const { url, gateway, watched } = await openShop(t)
  await gateway.webhooks.create({ url: HOOK, events: ['checkout.expired'] })
  const made: { id: string; amount: bigint | undefined }[] = []
  for (let count = 0; count < 5; count++) {
    const { id, amount_raw: amount } = await gateway.checkouts.create({ address: shop.address, amount: raw('1') })
    made.unshift({ id, amount })
    const ended = assert.rejects(gateway.checkouts.waitFor(id), { code: 'checkout_expired' })
    await ask(`${url}/developer/checkouts/${id}/expire`, { body: '{}' })
    await ended
  }
  const before = watched.count('/api/checkouts')
  for await (const { id } of gateway.checkouts.list({ limit: 2 })) if (id === made[1]!.id) break
  assert.equal(watched.count('/api/checkouts') - before, 1)
  const checkouts = await listOf(gateway.checkouts.list({ limit: 2, status: 'expired' }))
  assert.deepEqual(
    checkouts.map(({ id, amount_raw: amount }) => ({ id, amount })),
    made,
  )
  assert.equal(watched.count('/api/checkouts') - before, 4)

  const events = await listOf(gateway.events.list({ limit: 2 }))
  const expired = events.filter(({ type }) => type === 'checkout.expired')
  assert.deepEqual(
    expired.map(({ subject }) => subject),
    made.map(({ id }) => id).toReversed(),
  )
  const later = await listOf(gateway.events.list({ since: expired[2]!.id }))
  assert.deepEqual(
    later.map(({ id }) => id),
    expired.slice(3).map(({ id }) => id),
  )
  assert.equal((await gateway.events.read(expired[0]!.id)).type, 'checkout.expired')
})

test('a program makes, changes and removes links, endpoints and keys, and refunds a part of a payment', async (t) => {
  const { url, gateway } = await openShop(t)
  const link = await gateway.links.create({ address: shop.address, amount: '2', title: 'Tea', slug: 'tea-for-two' })
  assert.equal((await gateway.links.change(link.id, { title: 'Green tea' })).title, 'Green tea')
  assert.equal((await gateway.links.read(link.id)).revenue_raw, 0n)
  assert.deepEqual(
    (await listOf(gateway.links.list())).map(({ id }) => id),
    [link.id],
  )
  await gateway.links.remove(link.id)
  assert.deepEqual(await listOf(gateway.links.list()), [])

  const { id, secret } = await gateway.webhooks.create({ url: HOOK, events: ['payment.completed'] })
  assert.notEqual((await gateway.webhooks.rotate(id)).secret, secret)
  assert.equal((await gateway.webhooks.change(id, { enabled: false })).enabled, false)
  assert.deepEqual(
    (await listOf(gateway.webhooks.list())).map(({ url: to }) => to),
    [HOOK],
  )
  assert.deepEqual(await listOf(gateway.webhooks.deliveries(id)), [])
  await gateway.webhooks.remove(id)
  await assert.rejects(gateway.webhooks.read(id), { status: 404 })

  const order = await gateway.checkouts.create({ address: shop.address, amount: raw('1') })
  const paid = gateway.checkouts.waitFor(order.id)
  await ask(`${url}/developer/checkouts/${order.id}/pay`, { body: '{}' })
  await paid
  assert.deepEqual(await listOf(gateway.refunds.list(order.id)), [])
  await assert.rejects(gateway.refunds.create(order.id, { amount: raw('2') }), { status: 409 })
})

import { accountSecretContext } from './tables.ts'
import { OPERATOR } from '../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOutbound } from '../../infra/http/outbound.ts'
import { makeEndpoint } from './endpoints/change.ts'
import { endpoint as declared } from './endpoints/endpoint.ts'
import { readNew } from '../../kernel/resource/read.ts'
import { deliverWebhook } from './jobs.ts'
import { ping } from './domain/ping.ts'
import { until } from '../../../test/support/until.ts'
import { ACCOUNT, answerWith, openReceiver, openRunner, openWebhooks } from '../../../test/support/webhook-steps.ts'

/* Receivers that are slow, unavailable, numerous or hostile: no delivery waits for another receiver. */

const HOUR = 3_600_000
const SECRET = 'my shop secret 42'

test('of a huge reply two kilobytes are kept, and bytes that no text can hold are not', async (t) => {
  const world = await openWebhooks(t, 'postgres')
  const receiver = await openReceiver(t, answerWith(500, {}, `\0\x01${'x'.repeat(1_000_000)}`))
  await world.tell({ url: receiver.url })
  const { response } = (await world.about())[0]!.deliveries[0]!.attempts[0]!
  assert.equal(response, `\x01${'x'.repeat(2_046)}`)
})

test('a ping to a disabled address is tried, and enables it when it succeeds', async (t) => {
  const world = await openWebhooks(t)
  const receiver = await openReceiver(t, answerWith(410))
  await world.tell({ url: receiver.url })
  receiver.answer = answerWith(200)
  await ping(world.ctx, { accountId: ACCOUNT, to: { url: receiver.url } })
  await world.settle()
  await world.tell({ url: receiver.url })
  const outcomes = world.attempts.map(({ outcome }) => outcome)
  assert.deepEqual(outcomes, ['dead', 'delivered', 'delivered'])
})

test('without an account 410 disables the address for its own checkout alone, and nothing is sent unsigned (contract 6, rule 7)', async (t) => {
  const world = await openWebhooks(t)
  const receiver = await openReceiver(t, answerWith(410))
  const keyless = { accountId: null, url: receiver.url, secret: SECRET }
  await world.tell({ ...keyless, subject: 'first' })
  receiver.answer = answerWith(200)
  await world.record({ ...keyless, subject: 'first' })
  await world.record({ ...keyless, subject: 'second' })
  await world.settle()
  assert.deepEqual(world.attempts.map(({ code }) => code).sort(), ['gone', 'url_disabled', null].sort())
  await assert.rejects(world.record({ accountId: null, url: 'https://shop.example/' }), /nothing is sent unsigned/)
  await world.record({ accountId: null, url: null })
})

test('an address that fails for three hours delays no newer event, not even one of its own', async (t) => {
  const world = await openWebhooks(t)
  const bad = await openReceiver(t, answerWith(500))
  const good = await openReceiver(t)
  await world.tell({ url: bad.url })
  const start = world.clock.now()
  while (world.clock.now() - start < 3 * HOUR) await world.toNextAttempt()
  const failed = bad.requests.length
  await world.record({ url: good.url })
  await world.record({ url: bad.url })
  await world.settle()
  assert.equal(good.requests.length, 1)
  assert.equal(bad.requests.length, failed + 1)
  assert.equal((await world.about()).filter(({ deliveredAt }) => deliveredAt !== null).length, 1)
})

test('at most four requests at once of one account go to one host, and others wait for none of them', async (t) => {
  const world = await openWebhooks(t)
  let open = 0
  let most = 0
  const held: (() => void)[] = []
  const slow = await openReceiver(t, (response) => {
    most = Math.max(most, ++open)
    held.push(() => {
      open--
      response.writeHead(200).end()
    })
  })
  for (let events = 0; events < 10; events++) await world.record({ url: slow.url })
  // The same machine under another name counts as another host.
  const other = await openReceiver(t)
  await world.record({ url: other.url.replace('127.0.0.1', 'other.example') })
  await until(() => other.requests.length === 1 && world.attempts.length === 1)
  for (const [sent, sentAway, over] of [
    [4, 6, 5],
    [4, 2, 9],
    [2, 0, 11],
  ] as const) {
    await until(async () => {
      world.runner.wake()
      return held.length === sent && (await world.countPutOff()) === sentAway
    })
    for (const answer of held.splice(0)) answer()
    await until(() => world.attempts.length === over)
    world.clock.advance(2_500)
  }
  assert.equal(most, 4)
  const isFirst = world.attempts.every(({ attempt }) => attempt === 1)
  assert.ok(isFirst, 'waiting is no attempt')
})

// Somebody who made checkouts without a key, each with a slow host, used up every place.
test('a shop is notified of its payment at once, however many slow hosts others have registered', async (t) => {
  const world = await openWebhooks(t)
  const held: (() => void)[] = []
  const slow = await openReceiver(t, (response) => void held.push(() => response.writeHead(200).end()))
  for (let events = 0; events < 40; events++) {
    const url = slow.url.replace('127.0.0.1', `host-${events}.example`)
    await world.record({ accountId: null, subject: `checkout-${events}`, url, secret: 'a secret' })
  }
  await until(async () => held.length === 32 && (await world.countPutOff()) === 40 - 32)
  const shop = await openReceiver(t)
  await world.record({ url: shop.url.replace('127.0.0.1', 'shop.example') })
  await until(() => shop.requests.length === 1)
  assert.equal(held.length, 32, 'strangers have the places that they may have')

  // These arrive as well, one after another.
  slow.answer = answerWith(200)
  for (const answer of held) answer()
  await until(() => world.attempts.length === 33)
  while (world.attempts.length < 41) await world.toNextAttempt()
  assert.ok(world.attempts.every(({ outcome }) => outcome === 'delivered'))
})

// Strangers who knew one slow page of a shop's server named it in checkouts without a key, and paid them: Nano has no fees.
test('a shop learns of its payment at once, however many events strangers have sent to a slow page of its server', async (t) => {
  const world = await openWebhooks(t)
  const held: (() => void)[] = []
  const shop = await openReceiver(t, (response, { url }) => {
    if (url === '/hook/slow') held.push(() => response.writeHead(200).end())
    else response.writeHead(200).end()
  })
  for (let events = 0; events < 40; events++) {
    await world.record({ accountId: null, subject: `c-${events}`, url: `${shop.url}/slow`, secret: 'a secret' })
  }
  await until(async () => held.length === 4 && (await world.countPutOff()) === 40 - 4)
  await world.record({ url: shop.url })
  const arrived = until(() => world.attempts.length === 1)
  await arrived.finally(() => {
    shop.answer = answerWith(200)
    for (const answer of held) answer()
  })
  assert.equal(world.attempts[0]!.outcome, 'delivered')
})

// Four accounts with slow endpoints used up all places for endpoints, and everybody else had to wait.
test('an endpoint is notified at once, however many slow endpoints other accounts have', async (t) => {
  const world = await openWebhooks(t)
  const held: (() => void)[] = []
  const slow = await openReceiver(t, (response) => void held.push(() => response.writeHead(200).end()))
  const listen = (accountId: string, url: string) =>
    makeEndpoint(world.ctx, { accountId, actor: OPERATOR }, readNew(declared, world.ctx, { url }))
  const accounts = Array.from({ length: 5 }, (_, at) => `acc_slow${at}`)
  for (const accountId of accounts) {
    for (let at = 0; at < 8; at++) {
      await listen(accountId, slow.url.replace('127.0.0.1', `host-${at}.${accountId.slice(4)}.example`))
    }
    for (let events = 0; events < 4; events++) await world.record({ accountId, subject: `${accountId} ${events}` })
  }
  // So many that nothing else would find a place, if all of them had one.
  await until(async () => held.length >= 64 && held.length + (await world.countPutOff()) === 5 * 8 * 4)
  const shop = await openReceiver(t)
  await listen('acc_shop', shop.url.replace('127.0.0.1', 'shop.example'))
  await world.record({ accountId: 'acc_shop' })
  await until(() => shop.requests.length === 1)
  slow.answer = answerWith(200)
  for (const answer of held) answer()
})

test('an address that came to lead into a private network leaves nothing but a code', async (t) => {
  const world = await openWebhooks(t)
  await world.runner.stop()
  const resolve = () => Promise.resolve(['93.184.216.34', '10.0.0.7'])
  const outbound = openOutbound({ clock: world.clock, allowPrivate: false, resolve })
  const guarded = openRunner(t, world, deliverWebhook({ ...world.ctx, outbound }))
  await guarded.start()
  await world.record({ url: 'https://shop.example/hook?token=secret' })
  await until(() => world.attempts.length === 1)
  const [attempt] = (await world.about())[0]!.deliveries[0]!.attempts
  assert.deepEqual([attempt!.status, attempt!.error, attempt!.response], [null, 'address_refused', ''])
})

test('a secret that no longer opens is reported, and tried again', async (t) => {
  const world = await openWebhooks(t)
  const receiver = await openReceiver(t)
  const { secrets } = world.ctx
  const encrypt = secrets.encrypt.bind(secrets)
  secrets.encrypt = (_place, plain) => encrypt(accountSecretContext('elsewhere'), plain)
  await world.tell({ url: receiver.url, secret: SECRET })
  assert.deepEqual([world.attempts[0]!.outcome, world.attempts[0]!.code], ['retrying', 'secret_unreadable'])
  assert.equal(receiver.requests.length, 0)
})

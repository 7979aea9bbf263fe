import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { type PaymentProof, verifyProof } from '../../src/kernel/nano/payment-proof.ts'
import { give } from '../support/blocks.ts'
import {
  type EventBody,
  type Made,
  type Shop,
  bearer,
  merchant,
  openWorld,
  show,
  untilStatus,
} from '../support/checkout-steps.ts'
import { emptyUrl } from '../support/empty-store.ts'
import { ENGINES } from '../support/engines.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { idIn, sendForm } from '../support/form-steps.ts'
import { type Gateway, openGateway, sharedKeys } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { type Receiver, answerWith, openReceiver } from '../support/webhook-steps.ts'

/* Contract 6, rule 32: the proof of payment in an event. */

const { address } = merchant
const PAGE = 'https://shop.example'
const KEEPING_VOTES = { PROOF: 'votes', WEBHOOK_ALLOW_PRIVATE: 'true' }

type ProvedEvent = EventBody & { proof?: PaymentProof | null }
const eventOf = ({ body }: { body: string }) => JSON.parse(body) as ProvedEvent
const sentAbout = ({ requests }: Receiver, id: string) => requests.filter((one) => eventOf(one).checkout_id === id)

/** The first event about a checkout that its receiver gets. */
async function firstAbout(receiver: Receiver, id: string): Promise<ProvedEvent> {
  await until(() => sentAbout(receiver, id).length > 0)
  return eventOf(sentAbout(receiver, id)[0]!)
}

/** Orders the first piece of a link. */
const order = async ({ url }: Gateway, slug: string) => idIn(await sendForm(`${url}/buy/${slug}`, {}))

for (const engine of ENGINES) {
  test(`on ${engine} a completion has the proof of its payment in its event, in the same bytes each time it is sent, where the checkout or its link asks for that (contract 2, Checkout request fields: webhook_proof; 6, Body: proof; 6, rules 6 and 32)`, async (t) => {
    const store = { ...sharedKeys(), DATABASE_URL: await emptyUrl(t, engine) }
    const gateway = await openGateway(t, { ...store, ...KEEPING_VOTES, DEVNET_REPRESENTATIVES: '5' })
    const { key } = await gateway.join()
    const receiver = await openReceiver(t, answerWith(500))
    const sale = { address, amount: '1', webhook_url: receiver.url }
    const make = async (path: string, fields: object) => {
      const reply = await gateway.rest('POST', path, key, { ...sale, ...fields })
      assert.equal(reply.status, 201, reply.text)
      return reply.json<Made>()
    }
    const asked = await make('/api/checkouts', { webhook_proof: true })
    const copied = await make('/api/checkouts', { template: asked.id })
    const plain = await make('/api/checkouts', {})
    const link = await make('/api/links', { webhook_proof: true, slug: 'mug' })
    assert.equal(link.webhook_proof, true)
    const hashes = new Map<string, string>()
    for (const id of [asked.id, copied.id, await order(gateway, 'mug'), plain.id]) {
      const { amount_raw: raw } = (await gateway.rest('GET', `/check/${id}`)).json()
      hashes.set(id, await give(gateway.app.devnet!.node, fromAddress(address)!, toRaw(BigInt(raw!))))
    }
    for (const [id, hash] of hashes) {
      const { proof } = await firstAbout(receiver, id)
      if (id === plain.id) {
        assert.equal(proof, undefined)
        continue
      }
      const verdict = verifyProof(proof)
      assert.deepEqual([verdict.ok, verdict.ok && verdict.hash], [true, hash])
      assert.deepEqual(proof, (await gateway.rest('GET', `/checkout/${id}/proof`)).json<PaymentProof>())
    }
    receiver.answer = answerWith(200)
    const before = sentAbout(receiver, asked.id)
    const { id } = eventOf(before[0]!)
    assert.equal((await gateway.rest('POST', `/api/events/${id}/redeliver`, key, {})).status, 201)
    await until(() => sentAbout(receiver, asked.id).length > before.length)
    const sent = sentAbout(receiver, asked.id)
    assert.equal(new Set(sent.map(({ body, headers }) => `${String(headers['webhook-id'])} ${body}`)).size, 1)
  })

  test(`on ${engine} an event whose proof never comes is sent without it after five seconds, once, also by the gateway that starts after a crash (contract 6, rule 32)`, async (t) => {
    const world = await openWorld(t, engine)
    const node = await FaultyNode.start(t, { ledger: world.ledger })
    node.lie('representatives_online', () => ({ representatives: {} }))
    const env = { ...KEEPING_VOTES, NODE_URLS: node.url }
    const shop = await world.start(env)
    const { key } = await shop.join()
    const receiver = await openReceiver(t)
    const made = await shop.open({ address, amount: '1', webhook_url: receiver.url, webhook_proof: true }, bearer(key))
    const hash = await world.pay(address, made.amount_raw)
    await untilStatus(shop, made.id, 'complete')
    // The clock stands still, so the time limit for the proof is not reached.
    assert.deepEqual([receiver.requests, (await show(shop, made.id, key)).webhook_events], [[], []])
    await shop.close()
    world.clock.advance(5_000)
    const again = await world.start(env)
    const { id, block, payment, proof } = await firstAbout(receiver, made.id)
    assert.deepEqual([block?.hash, payment.amount_raw, proof], [hash, made.amount_raw, null])
    const told = (await show(again, made.id, key)).webhook_events.map((event) => event.id)
    assert.deepEqual([told, receiver.requests.length], [[id], 1])
  })
}

/** A checkout whose proof is stored before the payment is confirmed, and its event. */
async function tellProved(t: TestContext, proof: string) {
  const world = await openWorld(t)
  const shop = await world.start(KEEPING_VOTES)
  const receiver = await openReceiver(t)
  const made = await shop.open({ address, amount: '1', webhook_url: receiver.url, webhook_proof: true })
  const { node } = world.ledger
  node.hold()
  const hash = await world.pay(address, made.amount_raw)
  const row = { checkout_id: made.id, block_hash: hash, proof, created_at: world.clock.now() }
  await shop.ctx.db.insertInto('checkout_proofs').values(row).execute()
  await node.release()
  return firstAbout(receiver, made.id)
}

test('a proof that is there already is not waited for, and one of more than 64 KiB is left out, because receivers would refuse the event (contract 6, rule 32)', async (t) => {
  const [short, long] = [JSON.stringify({ version: 1 }), JSON.stringify({ votes: 'x'.repeat(65 * 1024) })]
  assert.deepEqual([(await tellProved(t, short)).proof, (await tellProved(t, long)).proof], [{ version: 1 }, null])
})

test('a gateway that makes no proofs refuses to send them; what asked for them before is sold as ever, and its events have none (contract 6, rule 32)', async (t) => {
  const world = await openWorld(t)
  const keeping = await world.start(KEEPING_VOTES)
  const { key, issue } = await keeping.join()
  const receiver = await openReceiver(t)
  const sale = { address, amount: '1', webhook_url: receiver.url }
  const proved = { ...sale, webhook_proof: true }
  const made = await keeping.open(proved, bearer(key))
  const { id: plain } = await keeping.open(sale, bearer(key))
  const link = (await keeping.rest('POST', '/api/links', key, { ...proved, slug: 'mug' })).json<Made>()
  const other = (await keeping.rest('POST', '/api/links', key, sale)).json<Made>()
  const wrong = async (shop: Shop, fields: object, headers: Record<string, string> = bearer(key)) => {
    const reply = await shop.call('checkout', fields, headers)
    return [reply.status, reply.json().field]
  }
  const ofPage = { address, amount: '1', webhook_proof: true, public_key: await issue('public', [PAGE]) }
  assert.deepEqual(await wrong(keeping, ofPage, { authorization: '', origin: PAGE }), [403, 'webhook_proof'])
  assert.deepEqual(await wrong(keeping, { template: made.id, webhook_proof: false }), [400, 'webhook_proof'])
  assert.deepEqual(await wrong(keeping, { ...sale, webhook_proof: 'maybe' }), [400, 'webhook_proof'])
  await keeping.close()

  const shop = await world.start({ ...KEEPING_VOTES, PROOF: 'off' })
  const refused = [
    await shop.call('checkout', proved, bearer(key)),
    await shop.call('payment_link', proved, bearer(key)),
    await shop.rest('POST', '/api/checkouts', key, proved),
    await shop.rest('POST', '/api/links', key, proved),
    await shop.rest('PUT', `/api/checkouts/${plain}`, key, { webhook_proof: true }),
    await shop.rest('PUT', `/api/links/${other.id}`, key, { webhook_proof: true }),
  ].map((reply) => [reply.status, reply.json().field])
  assert.deepEqual(new Set(refused.map(String)), new Set(['400,webhook_proof']))
  await shop.open({ ...sale, webhook_proof: false }, bearer(key))
  const repeated = { title: 'Blue mug', webhook_proof: true }
  for (const path of [`/api/links/${link.id}`, `/api/checkouts/${made.id}`])
    assert.equal((await shop.rest('PUT', path, key, repeated)).status, 200, path)
  for (const id of [made.id, await order(shop, 'mug')]) {
    await world.pay(address, (await shop.check(id)).amount_raw)
    await untilStatus(shop, id, 'complete')
    assert.equal((await firstAbout(receiver, id)).proof, null)
  }
})

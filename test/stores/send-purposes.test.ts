import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { hashBlock } from '../../src/kernel/nano/block.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { listClaims } from '../../src/modules/checkout/domain/claims.ts'
import { hastenScans } from '../../src/modules/checkout/scans-store.ts'
import { listWaiting, releasePayment } from '../../src/modules/billing/index.ts'
import { SEND_PURPOSES, type SendPurpose } from '../../src/modules/wallets/purposes.ts'
import { Signer, frontierOf, fundsOf, give, nano, openAccount, publish } from '../support/blocks.ts'
import { TestClock, turnPacedBy, turningWhenStuck } from '../support/clock.ts'
import type { Customer } from '../support/customer.ts'
import { emptyUrl } from '../support/empty-store.ts'
import { forEachEngine } from '../support/engines.ts'
import { type Reply, ask, openGateway } from '../support/gateway.ts'
import { openMailServer } from '../support/mail-server.ts'
import { newHash } from '../support/random.ts'
import type { Refund } from '../support/refund-steps.ts'
import { PRICE, encode, openPayer, payloadOf, paymentBlock } from '../support/x402-steps.ts'

/*
 * Decision 7: the outbox records the purpose of a block, and crediting checks it first. Whatever the service sends, two merchants await payments at the
 * destination, one of them the account on whose behalf it is sent.
 */

const BTC = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'

async function openWorld(t: TestContext, engine: StoreEngine) {
  const clock = new TestClock()
  const mails = await openMailServer(t)
  const gateway = await openGateway(
    t,
    {
      DATABASE_URL: await emptyUrl(t, engine),
      SMTP_URL: mails.url,
      MAIL_FROM: 'noreply@gateway.test',
      DEVNET_TREASURY_NANO: '100',
      CHECKOUT_GENERATED_WALLETS: 'all',
      X402_ACTIONS: 'work_generate',
      LIMIT_CHECK_PER_MINUTE: '0',
    },
    clock,
  )
  const { db } = gateway.app.store
  const { node } = gateway.app.devnet!
  const [maker, other] = [await gateway.join(), await gateway.join()]
  const turnUntil = (isSo: () => boolean | Promise<boolean>) => turnPacedBy({ clock, db }, isSo)
  const call = async (action: string, fields: object, { headers }: Pick<Customer, 'headers'> = maker) => {
    const reply = await turningWhenStuck(clock, gateway.call(action, fields, headers), 500)
    assert.equal(reply.status, 200, `${action}: ${reply.text}`)
    return reply
  }
  const status = async (id: string) => (await gateway.rest('GET', `/check/${id}`)).json<{ status: string }>().status
  const order = async (fields: object, who = maker) =>
    (await call('checkout', fields, who)).json<Record<'id' | 'address' | 'amount_raw', string>>()
  const pay = (address: string, amount: bigint | string) => give(node, fromAddress(address)!, nano1(amount))
  return {
    ...{ gateway, clock, db, node, maker, other, turnUntil, call, order, pay, mails },
    fundsOf: (address: string) => fundsOf(node, address),
    untilStatus: (id: string, wanted: string) => turnUntil(async () => (await status(id)) === wanted),
    status,
    treasury: async () =>
      (await db.selectFrom('wallets').select('address').where('purpose', '=', 'treasury').executeTakeFirstOrThrow())
        .address,
    /** A wallet of the maker with some nano. */
    async wallet(fields: object = {}) {
      const { address } = (await call('cloud_wallet', { wallet_action: 'create_wallet', ...fields })).json<{
        address: string
      }>()
      await pay(address, nano(5))
      await call('cloud_wallet', { account: address, receive: true })
      return address
    },
    /** Waits until all arrivals at an address have been processed. */
    async untilLookedAt(address: string) {
      const now = clock.now()
      const watched = db.selectFrom('watched_addresses').select('scanned_at').where('address', '=', address)
      await turnUntil(async () => {
        if ((await watched.executeTakeFirstOrThrow()).scanned_at > now) return true
        // A scan in progress delays the next one by hours at an address whose orders are all paid.
        await hastenScans(db, [address], clock.now())
        return false
      })
    },
    async unmatched({ key }: Customer) {
      const reply: Reply = await gateway.rest('GET', '/api/checkouts/unmatched', key)
      return reply.json<{ payments: unknown[] }>().payments
    },
  }
}

const nano1 = (amount: bigint | string) => BigInt(amount) as ReturnType<typeof nano>

type World = Awaited<ReturnType<typeof openWorld>>

interface Case {
  pays: 'everybody' | 'nobody' | 'others'
  /** The destination, if it differs from the given address. */
  arrives?(world: World): Promise<string>
  send(world: World, to: Signer): Promise<void>
}

/** A refund by link, ready to be claimed or declined. */
async function refundByLink({ call, order, pay, turnUntil, untilStatus, wallet }: World, address?: string) {
  const from = await wallet()
  const paid = await order({ address: address ?? from, amount: '2' })
  await pay(paid.address, paid.amount_raw)
  await untilStatus(paid.id, 'complete')
  const { claim_url: url } = (await call('checkout_refund', { id: paid.id, as: 'link', from })).json<Refund>()
  return { code: url!.split('#')[1]!, from, turnUntil }
}

const CASES: Record<SendPurpose, Case> = {
  send: {
    pays: 'everybody',
    async send({ call, wallet }, { address }) {
      await call('cloud_wallet', { account: await wallet(), send: address, amount: '1' })
    },
  },
  claim: {
    pays: 'everybody',
    async send(world, { address }) {
      const { code } = await refundByLink(world)
      const body = JSON.stringify({ code, address })
      await world.turnUntil(async () => (await ask(`${world.gateway.url}/claim`, { body })).status === 200)
    },
  },
  swap: {
    pays: 'everybody',
    async send({ call, turnUntil }, { address }) {
      const fields = { from: 'btc', to: 'nano', amount: '0.0001', address, refund_address: BTC }
      const { id } = (await call('nano_swap', fields)).json<{ id: string }>()
      await turnUntil(
        async () => (await call('nano_swap_status', { id })).json<{ status: string }>().status === 'finished',
      )
    },
  },
  refund: {
    pays: 'others',
    async send({ call, order, pay, untilStatus, wallet }, { address }) {
      const from = await wallet()
      const paid = await order({ address: from, amount: '2' })
      await pay(paid.address, paid.amount_raw)
      await untilStatus(paid.id, 'complete')
      await call('checkout_refund', { id: paid.id, address, from })
    },
  },
  forward: {
    pays: 'nobody',
    async send({ order, pay, untilStatus }, { address }) {
      const paid = await order({ address, amount: '2', mode: 'generated_wallet' })
      await pay(paid.address, paid.amount_raw)
      await untilStatus(paid.id, 'complete')
    },
  },
  sweep: {
    pays: 'nobody',
    async send({ call, wallet }, { address }) {
      await call('cloud_wallet', { account: await wallet({ refund_address: address }), delete: true })
    },
  },
  return: {
    pays: 'nobody',
    async send({ gateway, call, pay, turnUntil, maker }, { address }) {
      const fields = { refund_address: address, amount: '2', emails: ['alice@example.com'] }
      const made = (await call('nano_email', fields)).json<Record<'id' | 'address' | 'amount_raw' | 'check', string>>()
      await pay(made.address, made.amount_raw)
      await turnUntil(
        async () => (await ask(made.check, { method: 'GET' })).json<{ status: string }>().status === 'funded',
      )
      const ended = await gateway.rest('DELETE', `/api/emails/${made.id}`, maker.key)
      assert.equal(ended.status, 200, ended.text)
    },
  },
  sale_refund: {
    pays: 'nobody',
    async send({ call, node, untilStatus }, to) {
      const offer = (await call('buy_rpc', {})).json<{ id: string; address: string; plans: { value_raw: string }[] }>()
      for (let times = 0; times < 2; times++) {
        const price = BigInt(offer.plans[0]!.value_raw)
        await publish(node, to.send(frontierOf(node, to.key), fromAddress(offer.address)!, price))
        await untilStatus(offer.id, 'complete')
      }
    },
  },
  fee: {
    pays: 'nobody',
    arrives: ({ treasury }) => treasury(),
    async send({ call, pay }, { address }) {
      const emails = ['alice@example.com', 'bob@example.com']
      const made = (await call('nano_email', { refund_address: address, amount: '2', emails })).json<
        Record<'address' | 'amount_raw', string>
      >()
      await pay(made.address, made.amount_raw)
    },
  },
  faucet: {
    pays: 'nobody',
    async send({ call, db, turnUntil }, { address }) {
      const treasury = db.selectFrom('wallets').select('balance_raw').where('purpose', '=', 'treasury')
      await turnUntil(async () => (await treasury.executeTakeFirst())?.balance_raw !== '0')
      await call('faucet_claim', { nano_address: address })
    },
  },
  swap_deposit: {
    pays: 'nobody',
    arrives: ({ treasury }) => treasury(),
    async send({ call, pay, turnUntil }, { address }) {
      const fields = { from: 'nano', to: 'btc', amount: '1', address: BTC, refund_address: address }
      const made = (await call('nano_swap', fields)).json<Record<'id' | 'swap_address', string>>()
      await pay(made.swap_address, nano(1))
      await turnUntil(
        async () => (await call('nano_swap_status', { id: made.id })).json<{ status: string }>().status === 'finished',
      )
    },
  },
}

test('every purpose of a send has its case here: a new one pays nobody until it has', () => {
  assert.deepEqual(Object.keys(CASES).sort(), [...SEND_PURPOSES].sort())
})

forEachEngine((engine) => {
  for (const [at, purpose] of SEND_PURPOSES.entries()) {
    const { pays, arrives, send } = CASES[purpose]
    const outcome = {
      everybody: 'pays the merchants who wait there',
      nobody: 'completes no order and is waiting for nobody',
      others: 'pays another merchant, and not the account that makes it',
    }[pays]
    test(`${purpose}: what is sent ${outcome}`, async (t) => {
      const world = await openWorld(t, engine)
      const { gateway, db, node, maker, other, order, status, turnUntil } = world
      const to = new Signer(620 + at, WORK_THRESHOLDS.dev)
      if (purpose === 'sale_refund') await openAccount(node, to, nano(5))
      const address = (await arrives?.(world)) ?? to.address
      // The service itself awaits payments to its treasury.
      await world.call('buy_rpc', {})
      const orders = await Promise.all([maker, other].map((who) => order({ address, mode: 'unique_address' }, who)))
      await send(world, to)
      const sent = () =>
        db.selectFrom('wallet_blocks').selectAll().where('purpose', '=', purpose).where('destination', '=', address)
      await turnUntil(async () => (await sent().where('status', '=', 'confirmed').execute()).length > 0)
      await world.untilLookedAt(address)
      const standing = await Promise.all(orders.map(({ id }) => status(id)))
      const expected = { everybody: ['complete', 'complete'], nobody: ['pending', 'pending'] }
      assert.deepEqual(standing, pays === 'others' ? ['pending', 'complete'] : expected[pays])
      for (const merchant of [maker, other]) assert.deepEqual(await world.unmatched(merchant), [])
      assert.deepEqual(await listWaiting(db, 10), [])
      const { hash } = await sent().executeTakeFirstOrThrow()
      const release = { blockHash: hash!, destination: undefined, isExchange: () => false, actor: OPERATOR }
      await assert.rejects(releasePayment(gateway.ctx, release), { code: 'not_found' })
    })
  }

  test('a payment by request that was settled completes no order, waits for nobody and cannot be refunded', async (t) => {
    const world = await openWorld(t, engine)
    const { gateway, db, node, maker, order, status } = world
    const address = await world.treasury()
    await world.call('buy_rpc', {})
    const { id } = await order({ address, mode: 'unique_address' })
    const block = paymentBlock(node, await openPayer(node), PRICE, fromAddress(address))
    const payment = encode(payloadOf(block, { accepted: { payTo: address, network: 'nano:dev' } }))
    const asked = gateway.call('work_generate', { hash: newHash() }, { 'payment-signature': payment })
    const served = await turningWhenStuck(world.clock, asked, 500)
    assert.deepEqual([served.status, typeof served.headers['payment-response']], [200, 'string'], served.text)
    await world.untilLookedAt(address)
    assert.equal(await status(id), 'pending')
    assert.deepEqual(await world.unmatched(maker), [])
    assert.deepEqual(await listWaiting(db, 10), [])
    const release = { blockHash: hashBlock(block), destination: undefined, isExchange: () => false, actor: OPERATOR }
    await assert.rejects(releasePayment(gateway.ctx, release), { code: 'not_found' })
    // Served payments are deleted after a month, but their blocks stay on the ledger.
    await db.deleteFrom('x402_payments').execute()
    const again = { from: 'nano_1', to: address, amountRaw: nano1(PRICE), hash: hashBlock(block) }
    const moment = world.clock.now()
    const claims = await listClaims(gateway.ctx as never, { ...again, at: moment, knownAt: moment, receivedAt: null })
    assert.deepEqual(claims.claims, [])
  })
})

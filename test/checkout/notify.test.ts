import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mail } from '../../src/kernel/ports.ts'
import { notifyMerchant } from '../../src/modules/checkout/domain/notify.ts'
import type { CheckoutCtx } from '../../src/modules/checkout/index.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { until } from '../support/until.ts'
import { type Shop, bearer, merchant, openWorld, untilStatus } from './world.ts'

/* The receipt that a merchant gets by mail (contract 6, rules 13 to 16). */

const address = merchant.address
const PAYER = toAddress(DEV_NETWORK.genesisAccount)

const mailsOf = ({ app }: Shop) => app.store.db.selectFrom('mails').selectAll().execute()

test('one mail with payer, amount, value, block, metadata and id (contract 6, rules 13 to 16; 8, Checkout: completion e-mail)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start({
    KNOWN_NAMES: JSON.stringify({ genesis: PAYER }),
    EXPLORER_URL: 'https://blocks.example/',
  })
  const fields = {
    address,
    amount: '2',
    title: 'A book\r\nBcc: x@y.example',
    notify: 'shop@example.com',
    metadata: { order: 'A-1' },
  }
  const made = await shop.open(fields, bearer(world.key()))
  const hash = await world.pay(address, made.amount_raw)
  await until(async () => (await mailsOf(shop)).length > 0)
  const [mail] = await mailsOf(shop)
  assert.equal(mail!.recipient, 'shop@example.com')
  assert.equal(mail!.subject, 'Payment received: A bookBcc: x@y.example')
  for (const text of ['@genesis', made.amount, 'USD', `https://blocks.example/${hash}`, '"order": "A-1"', made.id]) {
    assert.ok(mail!.text.includes(text), `${text} is missing`)
  }
  assert.match(mail!.text, /not proof of payment/)
})

test('without a title the subject says only that a payment came; without a name the address stands for the payer (contract 6, rules 14 and 15)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open(
    { address, amount: '2', currency: 'EUR', notify: 'shop@example.com' },
    bearer(world.key()),
  )
  await world.pay(address, made.amount_raw)
  await until(async () => (await mailsOf(shop)).length > 0)
  const [mail] = await mailsOf(shop)
  assert.equal(mail!.subject, 'Payment received')
  assert.ok(mail!.text.includes(PAYER))
  assert.match(mail!.text, /Value: 2\.\d\d EUR/)
})

test('once, also when the gateway dies between sending and remembering, and with two instances (contract 6, rule 13)', async (t) => {
  const world = await openWorld(t, 'postgres')
  const [first, second] = [await world.start(), await world.start()]
  const made = await first.open({ address, amount: '1', notify: 'shop@example.com' }, bearer(world.key()))
  await world.pay(address, made.amount_raw)
  await untilStatus(second, made.id, 'complete')
  await until(async () => (await mailsOf(first)).length > 0)
  const { db } = first.app.store
  await until(async () => {
    const [row] = await db.selectFrom('checkouts').select('notified_at').execute()
    return row!.notified_at !== null
  })
  const jobs = () => db.selectFrom('jobs').select(['id', 'status']).where('kind', '=', 'checkout.notify').execute()
  assert.equal((await jobs()).length, 1)
  // The job runs again, as after a crash in the worst moment: the mailbox keeps one.
  await db.updateTable('checkouts').set({ notified_at: null }).execute()
  await db.updateTable('jobs').set({ status: 'ready', run_at: 0 }).where('kind', '=', 'checkout.notify').execute()
  second.app.store.notices.publish('jobs', '')
  await until(async () => {
    const [row] = await db.selectFrom('checkouts').select('notified_at').execute()
    return row!.notified_at !== null
  })
  assert.equal((await mailsOf(first)).length, 1)
})

test('a mail that left once does not leave again, and both tries bear the same name', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1', notify: 'shop@example.com' }, bearer(world.key()))
  await world.pay(address, made.amount_raw)
  await until(async () => (await mailsOf(shop)).length > 0)
  const sent: Mail[] = []
  const { db } = shop.app.store
  const ctx = { db, clock: world.clock, names: { usernameOf: () => undefined } } as unknown as CheckoutCtx
  await until(
    async () => (await db.selectFrom('checkouts').select('notified_at').executeTakeFirst())!.notified_at !== null,
  )
  await notifyMerchant(ctx, { send: async (mail) => void sent.push(mail) }, made.id)
  assert.deepEqual(sent, [])
  assert.equal((await mailsOf(shop))[0]!.id, `mail_checkout_${made.id}`)
})

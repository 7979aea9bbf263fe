import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mail } from '../../kernel/ports.ts'
import { notifyMerchant } from './domain/notify.ts'
import type { CheckoutContext } from './index.ts'
import { until } from '../../../test/support/until.ts'
import { bearer, merchant, openShop, openWorld, type Shop, untilStatus } from '../../../test/support/checkout-steps.ts'

/* A merchant gets one receipt by mail, whatever happens. Its contents are tested in test/spec/part6-email.test.ts. */

const address = merchant.address

const untilNotified = ({ app: { store } }: Shop) =>
  until(async () => (await store.db.selectFrom('checkouts').select('notified_at').execute())[0]!.notified_at !== null)

const mailsOf = ({ app }: Shop) => app.store.db.selectFrom('mails').selectAll().execute()

test('once, also when the gateway dies between sending and remembering, and with two instances (contract 6, rule 13)', async (t) => {
  const world = await openWorld(t, 'postgres')
  const [first, second] = [await world.start(), await world.start()]
  const made = await first.open({ address, amount: '1', notify: 'shop@example.com' }, bearer(world.key()))
  await world.pay(address, made.amount_raw)
  await untilStatus(second, made.id, 'complete')
  await until(async () => (await mailsOf(first)).length > 0)
  const { db } = first.app.store
  await untilNotified(first)
  const jobs = () => db.selectFrom('jobs').select(['id', 'status']).where('kind', '=', 'checkout.notify').execute()
  assert.equal((await jobs()).length, 1)
  // The job runs again, as after a crash at the worst moment; the mailbox keeps one mail.
  await db.updateTable('checkouts').set({ notified_at: null }).execute()
  await db.updateTable('jobs').set({ status: 'ready', run_at: 0 }).where('kind', '=', 'checkout.notify').execute()
  second.app.store.notices.publish('jobs', '')
  await untilNotified(first)
  assert.equal((await mailsOf(first)).length, 1)
})

test('a mail that left once does not leave again, and both tries bear the same name', async (t) => {
  const { world, shop } = await openShop(t)
  const made = await shop.open({ address, amount: '1', notify: 'shop@example.com' }, bearer(world.key()))
  await world.pay(address, made.amount_raw)
  await until(async () => (await mailsOf(shop)).length > 0)
  const sent: Mail[] = []
  const { db } = shop.app.store
  const ctx = { db, clock: world.clock, names: { usernameOf: () => undefined } } as unknown as CheckoutContext
  await untilNotified(shop)
  await notifyMerchant(ctx, { send: async (mail) => void sent.push(mail) }, made.id)
  assert.deepEqual(sent, [])
  assert.equal((await mailsOf(shop))[0]!.id, `mail_checkout_${made.id}`)
})

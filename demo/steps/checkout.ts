import { verifyWebhook } from '../../docs/examples/verify-webhook.ts'
import type { World } from '../world.ts'

export const title = 'A checkout, its payment, and the message to the shop'

export async function run(world: World): Promise<void> {
  const { screen } = world
  const headers = { authorization: `Bearer ${world.key}` }
  screen.say('What signs the messages to the shop, shown once:')
  const { body: rotated } = await world.request('POST', '/api/webhooks/secret/rotate', {}, headers)
  const order = {
    address: world.createAccount().address,
    amount: '1.5',
    title: 'Coffee',
    metadata: { order: 'A-1' },
    webhook_url: world.receiverUrl,
  }
  const { body: checkout } = await world.rpc('checkout', order, headers)
  screen.say(`The payer would open ${String(checkout.browser)} and scan its code. Here the ledger pays:`)
  await world.fund(String(checkout.address), String(checkout.amount))
  const delivery = await world.nextDelivery()
  screen.say('The shop hears of it:')
  screen.call('POST', world.receiverUrl, JSON.parse(delivery.body))
  const event = verifyWebhook(delivery.body, delivery.headers, String(rotated.webhook_secret))
  if (event.type !== 'payment.completed' || event.checkout_id !== checkout.id) throw new Error('This is another event.')
  screen.done(`The signature is genuine: ${String(delivery.headers['webhook-signature'])}`)
  const { body: check } = await world.request('GET', String(checkout.check))
  if (check.status !== 'complete') throw new Error(`The checkout is ${String(check.status)}.`)
  screen.done('Asking says the same: complete, with the block as proof.')
}

import { verifyWebhook } from '../../docs/examples/verify-webhook.ts'
import type { Delivery, World } from '../world.ts'

export const title = 'A checkout, its payment, and the message to the shop'

export async function run(world: World): Promise<void> {
  const { screen } = world
  const headers = { Authorization: `Bearer ${world.key}` }
  screen.say('First the secret that signs messages to the shop. It is shown once:')
  const { body: rotated } = await world.request('POST', '/api/webhooks/secret/rotate', {}, headers)
  screen.say('The shop asks for 1.5 nano, and says where it wants to be told of the payment:')
  const order = {
    address: world.createAccount().address,
    amount: '1.5',
    title: 'Coffee',
    metadata: { order: 'A-1' },
    webhook_url: world.receiverUrl,
  }
  const { body: checkout } = await world.rpc('checkout', order, headers)
  screen.say(`The payer would open ${String(checkout.browser)} and scan its code. Here the development ledger pays:`)
  await world.fund(String(checkout.address), String(checkout.amount))
  const delivery = await world.nextDelivery()
  screen.say('The gateway tells the shop, with a signature:')
  screen.call('POST', world.receiverUrl, { headers: signatureOf(delivery), body: JSON.parse(delivery.body) })
  const event = verifyWebhook(delivery.body, delivery.headers, String(rotated.webhook_secret))
  if (event.type !== 'payment.completed' || event.checkout_id !== checkout.id) throw new Error('This is another event.')
  screen.done('The signature is genuine. The shop need not ask, but it can:')
  const { body: check } = await world.request('GET', String(checkout.check))
  if (check.status !== 'complete') throw new Error(`The checkout is ${String(check.status)}.`)
  screen.done('The answer says the same: complete, with the block as proof.')
}

/** The headers with which a shop verifies a webhook. */
function signatureOf({ headers }: Delivery): Record<string, string> {
  const signed = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'))
  return Object.fromEntries(signed.map(([name, value]) => [name, String(value)] as const))
}

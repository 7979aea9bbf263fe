import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer, frontierOf, openAccount, publish } from '../support/blocks.ts'
import { openMailServer } from '../support/mail-server.ts'
import { until } from '../support/until.ts'
import { bearer, merchant, nano, openShop, stranger, turnUntil, untilStatus } from '../support/checkout-steps.ts'
import { answerWith, openReceiver } from '../support/webhook-steps.ts'

/* Contract 6: the receipt that a merchant gets by mail. */

const { address } = merchant
const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const CAUTION = 'This mail is not proof of payment: ask the record, or verify the signed event.'

test('one mail for each checkout, after its confirmation, whatever the webhook does: payer, amount, value, block, metadata and id (contract 6, rules 13 to 16; 8, Checkout: completion e-mail; 2, Checkout request fields: notify; 5, rule 5)', async (t) => {
  const mails = await openMailServer(t)
  const { world, shop, key } = await openShop(t, {
    SMTP_URL: mails.url,
    MAIL_FROM: 'nano-gateway <noreply@gateway.test>',
    KNOWN_NAMES: JSON.stringify({ Genesis: GENESIS }),
    EXPLORER_URL: 'https://blocks.example/',
  })
  const failing = await openReceiver(t, answerWith(500))
  const { node } = world.ledger
  const fields = { address, amount: '1', notify: 'x@shop.example' }
  const keyless = await shop.call('checkout', fields)
  assert.deepEqual([keyless.status, keyless.json().code], [401, 'key_required'])
  const origin = 'https://shop.example'
  const { key: publicKey } = await shop.join({ kind: 'public', origins: [origin] })
  const fromBrowser = await shop.call('checkout', fields, { ...bearer(publicKey), origin })
  assert.deepEqual([fromBrowser.status, fromBrowser.json().code], [403, 'feature_disabled'])

  const named = await shop.open(
    {
      address,
      amount: '2',
      mode: 'unique_address',
      title: 'A book\r\nBcc: x@y.example',
      notify: 'named@shop.example',
      metadata: { order: 'A-1', note: 'Zoë' },
      webhook_url: failing.url,
    },
    bearer(key),
  )
  const plain = await shop.open(
    { address: stranger.address, amount: '2', currency: 'EUR', notify: 'plain@shop.example' },
    bearer(key),
  )
  // No mail before the confirmation, and none for a partial payment.
  node.hold()
  await world.pay(address, nano('0.5'))
  await turnUntil(world, 1_000, async () => (await shop.check(named.id)).status === 'detected')
  await node.release()
  await untilStatus(shop, named.id, 'partial')
  const hash = await world.pay(address, nano('1.5'))
  await untilStatus(shop, named.id, 'complete')
  await until(() => failing.requests.length > 0)
  await until(() => mails.received.length > 0)
  const [mail] = mails.received
  assert.deepEqual(
    [mail!.to, mail!.from, mail!.subject],
    [['named@shop.example'], 'noreply@gateway.test', 'Payment received: A bookBcc: x@y.example'],
  )
  assert.deepEqual(mail!.text.trim().split('\n'), [
    'From: @Genesis',
    `Amount: 2 nano (${nano('2')} raw)`,
    'Value: 2.00 USD',
    `Block: https://blocks.example/${hash}`,
    `Checkout: ${named.id}`,
    `Record: ${shop.url}/checkout/${named.id}`,
    '',
    'Metadata: {',
    '  "order": "A-1",',
    '  "note": "Zoë"',
    '}',
    '',
    CAUTION,
  ])

  // Without a title and a name, in the currency of the price.
  const payer = new Signer(7)
  await openAccount(node, payer, nano('100'))
  await publish(node, payer.send(frontierOf(node, payer.key), stranger.key, BigInt(plain.amount_raw)))
  await until(() => mails.to('plain@shop.example').length > 0)
  const [other] = mails.to('plain@shop.example')
  assert.equal(other!.subject, 'Payment received')
  const lines = other!.text.trim().split('\n')
  assert.deepEqual([lines[0], lines.at(-1)], [`From: ${payer.address}`, CAUTION])
  assert.match(lines[2]!, /^Value: 2\.0\d EUR$/)

  // A second payment makes it overpaid, but the merchant has already got the mail.
  await world.pay(address, nano('1'))
  await turnUntil(world, 1_000, async () => (await shop.check(named.id)).additional_status === 'overpaid')
  const third = await shop.open({ address: merchant.address, amount: '1', notify: 'third@shop.example' }, bearer(key))
  await world.pay(address, third.amount_raw)
  await turnUntil(world, 1_000, async () => mails.to('third@shop.example').length > 0)
  const told = mails.received.map(({ to }) => to[0])
  assert.deepEqual(told, ['named@shop.example', 'plain@shop.example', 'third@shop.example'])
})

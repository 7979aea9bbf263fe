import assert from 'node:assert/strict'
import { exactNano } from '../../../src/exports/x402.ts'
import { toRaw } from '../../../src/kernel/money.ts'
import { ask } from '../../support/gateway.ts'
import { decode, encode } from '../../support/x402-steps.ts'
import type { Account } from '../../support/purse.ts'
import type { Walker } from '../walker.ts'

/** A cloud wallet gets money, sends some of it once although the request is repeated, and returns the rest. */
export async function useWallet(walker: Walker): Promise<void> {
  const { address: account } = await walker.call('wallet', 'cloud_wallet', { refund_address: walker.customer.address })
  await walker.send(walker.customer, account!, '0.005')
  const waiting = await walker.call('wallet: waiting', 'cloud_wallet', { balance: true, account })
  assert.deepEqual([waiting.balance_nano, waiting.receivable_nano], ['0', '0.005'])
  await walker.call('wallet: received', 'cloud_wallet', { receive: true, account })
  const received = await walker.call('wallet: balance', 'cloud_wallet', { balance: true, account })
  assert.equal(received.balance_nano, '0.005', 'money does not vanish between a block and its confirmation')
  const fields = { send: walker.seller.address, amount: '0.002', account, idempotency_key: 'walk' }
  const sent = await walker.call('wallet: sent', 'cloud_wallet', fields)
  const again = await walker.call('wallet: sent again', 'cloud_wallet', fields)
  assert.equal(again.hash, sent.hash)
  await walker.confirmed(sent.hash!)
  const left = await walker.call('wallet: left', 'cloud_wallet', { balance: true, account })
  assert.equal(left.balance_nano, '0.003')
  await walker.call('wallet: deleted', 'cloud_wallet', { delete: true, account })
  await walker.until('the wallet is empty', async () => {
    const { balance, receivable } = (await walker.gateway.call('account_balance', { account })).json()
    return balance === '0' && receivable === '0'
  })
}

/** Buys a request with x402: offered, paid, answered, and not charged twice. */
export async function payByRequest(walker: Walker): Promise<void> {
  const { customer, gateway } = walker
  const asked = { account: customer.address }
  const refused = await gateway.call('account_weight', asked)
  assert.equal(refused.status, 402, refused.text)
  walker.note('x402: asked', refused)
  const terms = decode(refused.headers['payment-required']) as {
    x402Version: number
    accepts: Parameters<ReturnType<typeof exactNano>['createPaymentPayload']>[1][]
  }
  const [accepted] = terms.accepts
  const payer = exactNano(walker.options(customer))
  const { payload } = await payer.createPaymentPayload(terms.x402Version, accepted!)
  const payment = { 'payment-signature': encode({ x402Version: terms.x402Version, accepted, payload }) }
  const served = await gateway.call('account_weight', asked, payment)
  assert.equal(served.status, 200, served.text)
  walker.note('x402: served', served)
  const { success, transaction } = decode(served.headers['payment-response']) as {
    success: boolean
    transaction: string
  }
  assert.equal(success, true)
  await walker.confirmed(transaction)
  const again = await gateway.call('account_weight', asked, payment)
  assert.equal(walker.note('x402: again', again).weight, served.json().weight)
}

interface Offer {
  id: string
  address: string
  check: string
  plans: { value_raw: string }[]
}

/** Buys a username, which then resolves to its owner; a second buyer is refunded. */
export async function buyName(walker: Walker): Promise<void> {
  const name = `walker${walker.purse.accounts[0]!.address.slice(-8)}`.slice(0, 14)
  const first = await walker.call<Offer>('name: offer', 'get_name', { name })
  // Without the key, because an offer with the owner's key would be an extension.
  const second = walker.note<Offer>('name: second offer', await walker.gateway.call('get_name', { name }))
  const pay = (from: Account, { address, plans }: Offer) =>
    walker.send(from, address, toRaw(BigInt(plans[0]!.value_raw)))
  await pay(walker.customer, first)
  await walker.look('name: bought', first.check, ({ status }) => status === 'complete')
  const known = await walker.call('name: used', 'account_balance', { account: `@${name}` })
  assert.equal(known.address, walker.customer.address)
  const rival = walker.fresh()
  await walker.send(walker.customer, rival.address, '0.0001')
  await walker.receive(rival)
  await pay(rival, second)
  const refunded = await walker.look<{ refund?: { hash: string | null } }>(
    'name: refunded',
    second.check,
    ({ refund }) => typeof refund?.hash === 'string',
  )
  await walker.confirmed(refunded.refund!.hash!)
}

/** An email payment. */
export async function payByMail(walker: Walker): Promise<void> {
  const fields = { emails: ['alice@example.com'], amount: '0.003', refund_address: walker.customer.address }
  const made = await walker.call('mail: made', 'nano_email', fields)
  await walker.send(walker.customer, made.address!, toRaw(BigInt(made.amount_raw!)))
  const { url } = walker.gateway
  let code: string | undefined
  await walker.until('Alice has a mail', async () => {
    const reply = await ask(`${url}/api/mails`, { method: 'GET', headers: walker.headers })
    const { mails } = reply.json<{ mails: { recipient: string; text: string }[] }>()
    const mail = mails.find(({ recipient }) => recipient === 'alice@example.com')
    code = /\/claim#(\S+)/.exec(mail?.text ?? '')?.[1]
    return code !== undefined
  })
  const { address } = walker.fresh()
  const body = JSON.stringify({ code, address })
  const claimed = await ask(`${url}/claim`, {
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
  })
  assert.equal(claimed.status, 200, claimed.text)
  walker.note('mail: claimed', claimed)
  await walker.until('Alice has the money', async () => {
    const reply = await walker.gateway.call('account_balance', { account: address })
    return reply.json().receivable_nano === '0.003'
  })
}

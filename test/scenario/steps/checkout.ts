import assert from 'node:assert/strict'
import { parseNano, toRaw } from '../../../src/kernel/money.ts'
import { verifyWebhook } from '../../../docs/examples/verify-webhook.ts'
import { ask } from '../../support/gateway.ts'
import type { Walker } from '../walker.ts'

interface Made {
  id: string
  address: string
  amount_raw: string
  check: string
}

interface Check {
  status: string
  additional_status: string
  amount_paid_raw: string
  block?: { hash: string }
}

const raw = (nano: string) => `${parseNano(nano)!}`

async function open(walker: Walker, what: string, fields: object): Promise<Made> {
  return walker.call<Made>(`${what}: made`, 'checkout', fields)
}

/** Waits for a checkout's status and records it. `detected` is left out, because a fast node may confirm before it is seen. */
async function expect(walker: Walker, what: string, { id, check }: Made, status: string): Promise<Check> {
  const found = await walker.look<Check>(`${what}: ${status}`, check, (answer) => answer.status === status)
  const url = `${walker.gateway.url}/api/checkouts/${id}`
  const shown = (await ask(url, { method: 'GET', headers: walker.headers })).json<{ timeline: { status: string }[] }>()
  const statuses = shown.timeline.map((entry) => entry.status).filter((entry) => entry !== 'detected')
  const order = statuses.filter((entry, at) => entry !== statuses[at - 1])
  walker.note(`${what}: statuses until ${status}`, { status: 200, json: () => ({ order: order.join(', ') }) as never })
  return found
}

/** A paid checkout: its page and its check must show it, and its shop gets one signed webhook. */
export async function pay(walker: Walker): Promise<void> {
  const { webhook_secret: secret } = (
    await ask(`${walker.gateway.url}/api/webhooks/secret/rotate`, {
      headers: { ...walker.headers, 'content-type': 'application/json' },
      body: '{}',
    })
  ).json()
  const { address } = walker.fresh()
  const fields = { address, amount: '0.002', title: 'Coffee', metadata: { order: 1 }, webhook_url: walker.receiver.url }
  const made = await open(walker, 'paid', fields)
  await walker.look('paid: pending', made.check, ({ status }) => status === 'pending')
  const hash = await walker.send(walker.customer, made.address, toRaw(BigInt(made.amount_raw)))
  const check = await expect(walker, 'paid', made, 'complete')
  assert.deepEqual([check.block?.hash, check.amount_paid_raw], [hash, made.amount_raw])
  await walker.until('the shop is told', () => Promise.resolve(walker.receiver.requests.length > 0))
  const { body, headers } = walker.receiver.requests[0]!
  const event = verifyWebhook(body, headers, secret!)
  assert.deepEqual([event.type, event.checkout_id], ['payment.completed', made.id])
  walker.note('paid: webhook', { status: 200, json: () => JSON.parse(body) })
}

/** A payment in two parts is partial, then complete; the excess is reported. */
export async function payInParts(walker: Walker): Promise<void> {
  const { address } = walker.fresh()
  const made = await open(walker, 'parts', { address, amount: '0.002', mode: 'unique_address' })
  await walker.send(walker.customer, address, '0.0005')
  const partial = await expect(walker, 'parts', made, 'partial')
  assert.equal(partial.amount_paid_raw, raw('0.0005'))
  await walker.send(walker.customer, address, '0.0025')
  const complete = await expect(walker, 'parts', made, 'complete')
  assert.deepEqual([complete.additional_status, complete.amount_paid_raw], ['overpaid', raw('0.003')])
}

/** A payment made before the checkout does not count, whatever its amount. */
export async function ignoreTheOld(walker: Walker): Promise<void> {
  const { address } = walker.fresh()
  await walker.send(walker.customer, address, '0.001')
  const made = await open(walker, 'old', { address, amount: '0.001', mode: 'unique_address' })
  await walker.send(walker.customer, address, '0.0004')
  const check = await expect(walker, 'old', made, 'partial')
  assert.equal(check.amount_paid_raw, raw('0.0004'))
}

/** A checkout that expires unpaid. */
export async function expire(walker: Walker): Promise<void> {
  const made = await open(walker, 'expired', { address: walker.fresh().address, amount: '0.001', expire: '5 minutes' })
  walker.pass(6 * 60_000)
  await expect(walker, 'expired', made, 'expired')
}

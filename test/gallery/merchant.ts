import assert from 'node:assert/strict'
import { createSecret } from '../../src/modules/webhooks/index.ts'
import { openGateway } from '../support/gateway.ts'
import { testRandom } from '../support/random.ts'
import { until } from '../support/until.ts'
import { openReceiver, readerOf } from '../support/webhook-steps.ts'
import type { ClientRun } from './run-client.ts'

/** The functions of a webhook library that a receiver uses. */
export interface Library {
  verify(body: string, headers: Record<string, string>): unknown
  sign(id: string, date: Date, body: string): string
}

/** A merchant's server with the library receives one webhook, and another after its secret was replaced. */
export async function receiveWebhooks({ t, steps }: ClientRun, open: (secret: string) => Library): Promise<void> {
  const gateway = await openGateway(t)
  const receiver = await openReceiver(t)
  const { post } = readerOf(gateway, gateway.app.createdKey!)
  const rotate = async () => (await post('/webhooks/secret/rotate')).json().webhook_secret!
  const messages = async (count: number) => {
    await post('/webhooks/ping', { url: receiver.url })
    await until(() => receiver.requests.length === count)
    const { body, headers } = receiver.requests.at(-1)!
    return { body, headers: headers as Record<string, string> }
  }
  const secret = await rotate()
  const first = await messages(1)
  await steps.step('verify', async () => {
    open(secret).verify(first.body, first.headers)
    assert.throws(() => open(secret).verify(`${first.body} `, first.headers))
    assert.throws(() => open(createSecret(testRandom)).verify(first.body, first.headers))
    const old = String(Number(first.headers['webhook-timestamp']) - 600)
    assert.throws(() => open(secret).verify(first.body, { ...first.headers, 'webhook-timestamp': old }))
  })
  await steps.step('sign', async () => {
    const { 'webhook-id': id = '', 'webhook-timestamp': seconds } = first.headers
    const signature = open(secret).sign(id, new Date(Number(seconds) * 1000), first.body)
    assert.equal(signature, first.headers['webhook-signature'])
  })
  await steps.step('replace the secret', async () => {
    const next = await rotate()
    const { body, headers } = await messages(2)
    for (const either of [secret, next]) open(either).verify(body, headers)
  })
}

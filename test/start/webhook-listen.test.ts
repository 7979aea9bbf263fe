import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { verifyWebhook } from '../../docs/examples/verify-webhook.ts'
import { Signer } from '../support/blocks.ts'
import { bearer, openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { answerWith, openReceiver } from '../support/webhook-steps.ts'
import { spawnCli } from './process.ts'

/* `nano-gateway webhook listen`: forwards a gateway's events to a developer's machine. */

const listen = (t: TestContext, words: readonly string[], env: Record<string, string>) =>
  spawnCli(t, ['webhook', 'listen', ...words], env)

test('a developer behind no public address gets the events of an account, signed, once and in order', async (t) => {
  const { url, join: joinIn, rest } = await openGateway(t)
  const merchant = await joinIn()
  const stranger = await joinIn()
  const receiver = await openReceiver(t)
  const { said } = listen(t, ['--url', url, '--forward', receiver.url], { NANO_GATEWAY_KEY: merchant.key })
  await until(() => said.errors.includes('signed with'))
  const ping = async (key: string) => {
    const reply = await rest('POST', '/api/webhooks/ping', key, { url: 'http://127.0.0.1:9/' })
    return reply.json<{ event: { id: string } }>().event.id
  }
  await ping(stranger.key)
  const ids = [await ping(merchant.key), await ping(merchant.key)]
  await until(() => receiver.requests.length >= 2)
  const [, secret = ''] = /secret (\S+)/.exec(said.errors) ?? []
  const events = receiver.requests.map(({ body, headers }) => verifyWebhook(body, headers, secret))
  assert.deepEqual(
    events.map(({ id }) => id),
    ids,
  )
  await until(() => said.output.split('\n').length > 2)
  assert.match(said.output, new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}ping +${ids[0]} {2}200 {2}\\d+ ms\n`))
  receiver.answer = answerWith(500)
  const third = await ping(merchant.key)
  await until(() => said.output.includes(third))
  assert.match(said.output, new RegExp(`${third} {2}500 `), 'an answer that is a failure is shown as one')
  assert.ok(!said.output.includes(secret) && !said.errors.includes(merchant.key))
})

test('an unreachable receiver is named, unwanted event types are left out, and a wrong argument ends it', async (t) => {
  const { url, join: joinIn, rest, call } = await openGateway(t)
  const { key } = await joinIn()
  const env = { NANO_GATEWAY_KEY: key, NANO_GATEWAY_URL: url }
  const away = listen(t, ['--forward', 'http://127.0.0.1:9/', '--json', '--since', '1', '--secret', 'mine'], env)
  const other = listen(t, ['--forward', 'http://127.0.0.1:9/', '--since', '1', '--events', 'payment.*'], env)
  await rest('POST', '/api/webhooks/ping', key, { url: 'http://127.0.0.1:9/' })
  const wanted = { address: new Signer(3).address, amount: '1' }
  const { id } = (await call('checkout', wanted, bearer(key))).json<{ id: string }>()
  await rest('POST', `/developer/checkouts/${id}/pay`, key, {})
  await until(() => away.said.output.includes('\n'))
  const line = JSON.parse(away.said.output.split('\n')[0]!) as {
    type: string
    error: string
    payload: { type: string }
  }
  assert.deepEqual([line.type, line.payload.type], ['ping', 'ping'])
  assert.match(line.error, /ECONNREFUSED|bad port/)
  assert.ok(!away.said.errors.includes('mine'), 'a secret that was given is not shown')
  await until(() => other.said.output.includes('payment.completed'))
  assert.doesNotMatch(other.said.output, / ping /)
  const forward = ['--forward', 'http://127.0.0.1:9/']
  for (const [words, given, about] of [
    [forward, {}, /account.*--key-file/],
    [['--forward', 'ftp://x'], env, /--forward must be/],
    [[...forward, '--events', 'payment completed'], env, /--events: payment completed is not a kind/],
    [[...forward, '--since', 'evt_none'], env, /since|Event not found/],
    [forward, { ...env, NANO_GATEWAY_KEY: 'rpc_sk_none' }, /key/i],
    [[], env, /--forward/],
  ] as const) {
    const { code, errors } = await listen(t, words, given).ended
    assert.equal(code, 2, errors)
    assert.match(errors, about)
  }
})

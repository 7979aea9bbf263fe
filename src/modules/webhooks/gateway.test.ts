import assert from 'node:assert/strict'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Gateway, ask, openGateway, readMetrics } from '../../../test/support/gateway.ts'
import { newKey } from '../../../test/support/random.ts'
import { until } from '../../../test/support/until.ts'
import { answerWith, openReceiver } from '../../../test/support/webhook-steps.ts'

/* Webhooks of a complete gateway: what must not get into logs and metrics, and what survives a restart. */

const postTo = ({ url, app }: Gateway, path: string, body: object = {}) =>
  ask(`${url}/api${path}`, { headers: { key: app.createdKey! }, body: JSON.stringify(body) })

test('secrets, addresses and bodies of webhooks reach neither logs nor metrics nor the disk in the clear', async (t) => {
  const gateway = await openGateway(t)
  const { webhook_secret: secret } = (await postTo(gateway, '/webhooks/secret/rotate')).json()
  const receiver = await openReceiver(t, answerWith(500, {}, 'sEcReTreply'))
  const url = `${receiver.url}-sEcReTpath?token=sEcReTquery`
  await postTo(gateway, '/webhooks/ping', { url })
  await postTo(gateway, '/webhooks/ping', { url: 'https://user:sEcReTpassword@shop.example/' })
  await until(() => gateway.log().includes('"event":"webhook"'))
  const metrics = await readMetrics(gateway)
  assert.match(metrics, /gateway_webhook_attempts_total\{outcome="test_failed"\} 1/)
  assert.doesNotMatch(metrics, /state="dead"|outcome="dead"/, 'a test that fails calls nobody')
  for (const text of [gateway.log(), metrics]) assert.doesNotMatch(text, /sEcReT|whsec_|127\.0\.0\.1:\d+\/hook/)
  await gateway.app.close()
  const files = readdirSync(gateway.folder).filter((name) => statSync(join(gateway.folder, name)).isFile())
  for (const file of files) assert.ok(!readFileSync(join(gateway.folder, file)).includes(secret!), file)
})

test('an instance with the same SECRET_KEY signs with the same secret after a restart', async (t) => {
  const WALLET_KEYS = `one:${newKey()}`
  const first = await openGateway(t, { WALLET_KEYS })
  const keyFile = readFileSync(join(first.folder, 'secret.key'), 'utf8').trim()
  const { webhook_secret: secret } = (await postTo(first, '/webhooks/secret/rotate')).json()
  const key = first.app.createdKey!
  await first.app.close()
  const env = { WALLET_KEYS, SECRET_KEY: keyFile, DATABASE_URL: `sqlite:${join(first.folder, 'gateway.db')}` }
  const second = await openGateway(t, env)
  const shown = await ask(`${second.url}/api/webhooks/secret`, { method: 'GET', headers: { key } })
  assert.equal(shown.json<{ secret: { last4: string } }>().secret.last4, secret!.slice(-4))
  assert.ok(!readdirSync(second.folder).includes('secret.key'))
})

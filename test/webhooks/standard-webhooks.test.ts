import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { systemClock } from '../../src/infra/clock.ts'
import { systemRandom } from '../../src/infra/random.ts'
import { createSecret, signBody } from '../../src/modules/webhooks/index.ts'
import { BODY } from './vectors.ts'

/* Receivers that use the convention's own library need nothing of ours. */

const id = 'evt_01J9Z3K8Q6T2V4W6X8Y0ZABCDE'
/** Read when it is needed: the library refuses what is older than five minutes, and a whole test run takes longer. */
const now = () => Math.floor(systemClock.now() / 1000)

test('the library of Standard Webhooks accepts what we sign, with the secrets we make', () => {
  for (const body of [BODY, '{"note":"Zoë € 支払い"}']) {
    const secret = createSecret(systemRandom)
    const headers = signBody({ id, timestamp: now(), body, secrets: [secret] })
    assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body))
    assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
    assert.throws(() => new Webhook(createSecret(systemRandom)).verify(body, headers))
  }
})

test('it accepts either secret while one replaces the other', () => {
  const secrets = [createSecret(systemRandom), createSecret(systemRandom)] as const
  const headers = signBody({ id, timestamp: now(), body: BODY, secrets })
  for (const secret of secrets) assert.deepEqual(new Webhook(secret).verify(BODY, headers), JSON.parse(BODY))
})

test('it signs as we do', () => {
  const secret = createSecret(systemRandom)
  const timestamp = now()
  const signed = signBody({ id, timestamp, body: BODY, secrets: [secret] })
  assert.equal(new Webhook(secret).sign(id, new Date(timestamp * 1000), BODY), signed['webhook-signature'])
})

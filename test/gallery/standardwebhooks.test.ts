import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { systemClock } from '../../src/infra/clock.ts'
import { createSecret } from '../../src/modules/webhooks/index.ts'
import { signBody } from '../../src/modules/webhooks/domain/sign-body.ts'
import { testRandom } from '../support/random.ts'
import { BODY } from '../support/webhook-vectors.ts'
import { receiveWebhooks } from './merchant.ts'
import { runClient } from './run-client.ts'

/* Receivers can use the Standard Webhooks library instead of our code. */

const id = 'evt_01J9Z3K8Q6T2V4W6X8Y0ZABCDE'
/** Evaluated for each test: the library refuses timestamps older than five minutes, and a run takes longer. */
const now = () => Math.floor(systemClock.now() / 1000)

test(
  'standardwebhooks: its library accepts what a gateway sends, and nothing else',
  runClient('standardwebhooks', (asked) => receiveWebhooks(asked, (secret) => new Webhook(secret))),
)

test('the library of Standard Webhooks accepts what we sign, with the secrets we make', () => {
  for (const body of [BODY, '{"note":"Zoë € 支払い"}']) {
    const secret = createSecret(testRandom)
    const headers = signBody({ id, timestamp: now(), body, secrets: [secret] })
    assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body))
    assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
    assert.throws(() => new Webhook(createSecret(testRandom)).verify(body, headers))
  }
})

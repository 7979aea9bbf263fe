import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PaymentPayload, type PaymentTerms, SCHEME, X402_VERSION } from '../../../kernel/x402/wire.ts'
import type { Facilitation } from './facilitation.ts'
import { isTrouble, toReason, verify } from './payment.ts'

const network = 'nano:dev'
type Verdict = { isValid: boolean; invalidReason?: string }

/** The answers of two facilitators, and which of them were called. */
function openFacilitation(
  own: Verdict,
  remote?: Verdict,
  kinds = [{ x402Version: X402_VERSION, scheme: SCHEME, network }],
) {
  const asked: string[] = []
  const facilitator = (name: string, verdict: Verdict) => ({
    verify: () => {
      asked.push(name)
      return Promise.resolve(verdict)
    },
    getSupported: () => Promise.resolve({ kinds }),
  })
  const facilitation = { network, own: facilitator('own', own), remote: remote && facilitator('remote', remote) }
  const outcome = verify(facilitation as unknown as Facilitation, {} as PaymentPayload, {} as PaymentTerms)
  return { asked, outcome }
}

// A facilitator that is called may publish the payment, whatever it answers.
test('another facilitator is asked only about payments that our own node takes', async () => {
  const wrong = openFacilitation({ isValid: false, invalidReason: 'nonsense of ours' }, { isValid: true })
  await assert.rejects(wrong.outcome, { mayPay: true })
  assert.deepEqual(wrong.asked, ['own'])
  const right = openFacilitation({ isValid: true }, { isValid: true })
  await right.outcome
  assert.deepEqual(right.asked, ['own', 'remote'])
})

test('503 and not 402 when a facilitator is in trouble or does not serve the network: paying again would not help', async () => {
  const trouble = openFacilitation({ isValid: true }, { isValid: false, invalidReason: 'rpc_unavailable' })
  await assert.rejects(trouble.outcome, { mayPay: false })
  const elsewhere = openFacilitation({ isValid: true }, { isValid: true }, [])
  await assert.rejects(elsewhere.outcome, { mayPay: false })
  assert.deepEqual(elsewhere.asked, ['own'])
  assert.ok(isTrouble(undefined))
  assert.ok(!isTrouble('insufficient_funds'))
})

test('unknown error texts of a facilitator never reach a client', () => {
  assert.equal(toReason('<script>'), 'invalid_transaction_state')
  assert.equal(toReason(undefined), 'invalid_transaction_state')
  assert.equal(toReason('invalid_payload'), 'invalid_payload')
})

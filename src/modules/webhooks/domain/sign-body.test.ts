import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { test } from 'node:test'
import { BODY, NON_ASCII, TIMESTAMP, VECTORS } from '../../../../test/support/webhook-vectors.ts'
import { signBody } from './sign-body.ts'

const id = 'evt_01J9Z3K8Q6T2V4W6X8Y0ZABCDE'

test('the body of the vectors is the one that was agreed upon', () => {
  const hash = createHash('sha256').update(BODY).digest('hex')
  assert.equal(hash, 'c28d0482e2df99a3e4a0057d1d2333a815b33eff305790eeb0c8390e2d0a55fc')
  assert.equal(Buffer.byteLength(BODY), 820)
  // A receiver that parses the body and serialises it again can still verify it.
  assert.equal(JSON.stringify(JSON.parse(BODY)), BODY)
})

for (const { secret, nano, standard } of VECTORS) {
  test(`both signatures agree with the vectors: ${secret.slice(0, 6)}…`, () => {
    assert.deepEqual(signBody({ id, timestamp: TIMESTAMP, body: BODY, secrets: [secret] }), {
      'Nano-Signature': nano,
      'webhook-id': id,
      'webhook-timestamp': String(TIMESTAMP),
      'webhook-signature': standard,
    })
  })
}

test('a body beyond ASCII is signed by its bytes', () => {
  const { body, secret, nano, standard } = NON_ASCII
  const signed = signBody({ id: 'evt_2', timestamp: TIMESTAMP, body, secrets: [secret] })
  assert.deepEqual([signed['Nano-Signature'], signed['webhook-signature']], [nano, standard])
})

test('while a secret is replaced both sign, the new one first and alone in ours', () => {
  const [fresh, old] = VECTORS
  const signed = signBody({ id, timestamp: TIMESTAMP, body: BODY, secrets: [fresh.secret, old.secret] })
  assert.equal(signed['Nano-Signature'], fresh.nano)
  assert.equal(signed['webhook-signature'], `${fresh.standard} ${old.standard}`)
})

test('a secret that only looks like an encoded key is used as text', () => {
  const bytes = (length: number) => Buffer.alloc(length, 7).toString('base64')
  const texts = ['whsec_', 'whsec_no base64', `whsec_${bytes(23)}`, `whsec_${bytes(65)}`, `whsec_${bytes(32)}x`]
  for (const secret of texts) {
    const expected = createHmac('sha256', secret).update(`${id}.1.{}`).digest('base64')
    const signed = signBody({ id, timestamp: 1, body: '{}', secrets: [secret] })
    assert.equal(signed['webhook-signature'], `v1,${expected}`, secret)
  }
})

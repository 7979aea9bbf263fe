import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../../test/support/random.ts'
import { formatWork, workValue } from '../../kernel/nano/work.ts'
import { FIRST_WORD, hashSteps } from './blake2b-steps.ts'
import { rootWords } from './searcher.ts'

const hash = hashSteps()

/** Runs the recorded steps one by one. */
function follow(root: string, nonce: bigint): bigint {
  const values = new Map([['nonce', nonce]])
  hash.constantsOf(rootWords(root)).forEach((value, index) => values.set(hash.constants[index]!, value))
  for (const { kind, to, left, right, bits } of hash.steps.flat()) {
    const [a, b] = [values.get(left)!, values.get(right)!]
    const mixed = a ^ b
    values.set(to, BigInt.asUintN(64, kind === 'add' ? a + b : (mixed >> BigInt(bits)) | (mixed << BigInt(64 - bits))))
  }
  return values.get('v0')! ^ values.get('v8')! ^ FIRST_WORD
}

test('the steps give the value of random nonces for random roots', () =>
  repeat(300, (random) => {
    const root = random.hex(64)
    const nonce = random.bigint(64)
    assert.equal(follow(root, nonce), workValue(root, formatWork(nonce)))
  }))

// The speed of a search depends on this: steps that do not depend on the nonce, or that no result needs, are not
// repeated for each nonce.
test('414 additions and 358 rotated exclusive ors remain for each nonce', () => {
  const count = (kind: string) => hash.steps.flat().filter((operation) => operation.kind === kind).length
  assert.deepEqual([count('add'), count('xorRotate')], [414, 358])
})

test('no operation needs the result of another one in its step', () => {
  for (const step of hash.steps) {
    for (const operation of step) {
      const others = step.filter((other) => other !== operation).map(({ to }) => to)
      assert.ok(!others.includes(operation.left) && !others.includes(operation.right))
    }
  }
})

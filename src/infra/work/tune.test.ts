import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_WORD } from './blake2b-steps.ts'
import { signed } from './emit-code.ts'
import { SHAPES } from './shapes.ts'
import { type Candidate, emitCandidates, tune } from './tune.ts'

const candidates = emitCandidates(SHAPES)
const scalar = candidates.find(({ shape }) => shape === 'scalar')!

/** Still a valid module, but with wrong results. */
function miscompute(candidate: Candidate): Candidate {
  const bytes = Buffer.from(candidate.bytes)
  bytes.set(signed(FIRST_WORD ^ 1n), bytes.indexOf(Buffer.from(signed(FIRST_WORD))))
  return { ...candidate, bytes }
}

/** A module as it looks to a processor without some of its instructions. */
const refuse = (candidate: Candidate): Candidate => ({ ...candidate, bytes: candidate.bytes.subarray(0, -1) })

test('chooses one of the shapes and measures its speed', () => {
  const { shape, rate } = tune(candidates)
  assert.ok(SHAPES.some(({ name }) => name === shape))
  assert.ok(rate > 0)
})

test('a shape that computes wrongly is passed over, and without vector instructions the scalar one is chosen', () => {
  const others = candidates.filter((candidate) => candidate !== scalar)
  for (const spoil of [miscompute, refuse]) assert.equal(tune([...others.map(spoil), scalar]).shape, 'scalar')
})

test('says so when no shape is of use', () => {
  assert.throws(() => tune(candidates.map(miscompute)), /gives right answers/)
})

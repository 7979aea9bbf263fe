import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTraceparent, writeTraceparent } from './sampled-traces.ts'

const [traceId, stepId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']

test('only values in the form of W3C Trace Context are accepted, from clients and from the store', () => {
  assert.deepEqual(readTraceparent(writeTraceparent({ traceId, stepId })), { traceId, stepId, sampled: true })
  assert.equal(readTraceparent(`00-${traceId}-${stepId}-02`)?.sampled, false)
  const wrong = [
    undefined,
    7,
    [`00-${traceId}-${stepId}-01`],
    '',
    `ff-${traceId}-${stepId}-01`,
    `00-${'0'.repeat(32)}-${stepId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${stepId}-01`,
    `00-${traceId}-${stepId}-01-more`,
    `00-${traceId}-${stepId}-0\n`,
  ]
  assert.deepEqual(wrong.map(readTraceparent).filter(Boolean), [])
})

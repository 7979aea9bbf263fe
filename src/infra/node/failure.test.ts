import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UpstreamFailure, isNodeComplaint, toFailure } from './failure.ts'

const kindOf = (error: unknown) => toFailure(error).kind

// Only after a refused connection may a block be sent to another node.
test('only a connection that was never established counts as refused', () => {
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']) {
    assert.equal(kindOf(Object.assign(new Error('x'), { code })), 'refused')
  }
  for (const code of ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'HPE_INVALID_CONSTANT', undefined]) {
    assert.equal(kindOf(Object.assign(new Error('x'), { code })), 'broken')
  }
})

test('an operator reads why a node did not answer, without its address', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:7076'), { code: 'ECONNREFUSED' })
  assert.equal(toFailure(refused).message, 'refused connection')
  assert.equal(toFailure(new Error('status 502')).message, 'status 502')
})

test('time-outs and aborts by the caller are distinguished, and a known failure keeps its kind', () => {
  assert.equal(kindOf(Object.assign(new Error('x'), { code: 'ETIMEDOUT' })), 'timeout')
  assert.equal(kindOf(new DOMException('x', 'TimeoutError')), 'timeout')
  assert.equal(kindOf(new DOMException('x', 'AbortError')), 'aborted')
  const failure = new UpstreamFailure('timeout', 'x')
  assert.equal(toFailure(failure), failure)
})

test('an error about the node is a failure; an error about the ledger is an answer', () => {
  const complaints = ['Unknown command', 'RPC control is disabled', 'Empty response', 'Rate limit exceeded']
  for (const text of [...complaints, 'Too Many Requests', 'API rate limited', 'Internal server error in RPC']) {
    assert.equal(isNodeComplaint(text), true, text)
  }
  const answers = ['Account not found', 'Block not found', 'Fork', 'Old block', 'Bad signature', 'Gap source block']
  for (const text of [...answers, 'Block work is insufficient', 'Unreceivable', 'Bad account number']) {
    assert.equal(isNodeComplaint(text), false, text)
  }
})

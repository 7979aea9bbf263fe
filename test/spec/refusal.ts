import assert from 'node:assert/strict'
import type { Reply } from '../support/gateway.ts'

/** Checks an error of the gateway: one text under two names, and a code. */
export function assertRefusal(reply: Reply, status: number, text: string | RegExp, code: string): void {
  assert.equal(reply.status, status, reply.text)
  const body = reply.json<Record<string, unknown>>()
  assert.ok(typeof body.error === 'string')
  assert.equal(body.message, body.error)
  assert.equal(body.code, code)
  if (typeof text === 'string') assert.equal(body.error, text)
  else assert.match(body.error, text)
}

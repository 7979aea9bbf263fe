import assert from 'node:assert/strict'
import { type ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { Signer, findWork } from '../support/blocks.ts'
import { TestClock, turningWhenStuck } from '../support/clock.ts'
import { openGateway, readMetrics } from '../support/gateway.ts'
import { newHash } from '../support/random.ts'
import { until } from '../support/until.ts'
import { serveWhole } from '../support/serve.ts'
import { row } from './row.ts'

/* Contract 3: reservations: credits, and gifts of the faucet. */

/** Real milliseconds after which the test clock advances, so that a failed work server is asked again. */
const SOON = 50

/** A work server that answers, fails, or delays every answer. */
async function openWorkServer(t: TestContext) {
  const state = { mode: 'answer' as 'answer' | 'fail' | 'hold', held: [] as (() => void)[] }
  const reply = (response: ServerResponse, hash: string) => {
    if (state.mode === 'fail') response.writeHead(500).end('{}')
    else response.end(JSON.stringify({ work: findWork(hash) }))
  }
  const url = await serveWhole(t, (body, _request, response) => {
    const { action, hash } = JSON.parse(body) as { action: string; hash: string }
    if (action !== 'work_generate') response.end('{}')
    else if (state.mode === 'hold') state.held.push(() => reply(response, hash))
    else reply(response, hash)
  })
  const become = (mode: typeof state.mode) => {
    state.mode = mode
    for (const answer of state.held.splice(0)) answer()
  }
  return { url, become, countHeld: () => state.held.length }
}

async function open(t: TestContext, env: Record<string, string> = {}) {
  const clock = new TestClock()
  const work = await openWorkServer(t)
  const gateway = await openGateway(
    t,
    { WORK_NODES: 'false', WORK_URLS: work.url, WORK_PRECOMPUTE: 'false', ...env },
    clock,
  )
  const call = (action: string, fields: object, headers?: Record<string, string>) =>
    turningWhenStuck(clock, gateway.call(action, fields, headers))
  return { clock, work, gateway, join: gateway.join, call }
}

test('credits are set aside when a call begins, spent when it succeeds, given back when it fails, and never below zero (contract 3, rule 16; 8, rules 6, 7 and 10)', async (t) => {
  const { clock, work, gateway, join, call } = await open(t, { FREE_WORK_PER_HALF_HOUR: '1' })
  const generate = (headers: Record<string, string>, hash = newHash()) =>
    turningWhenStuck(clock, gateway.call('work_generate', { hash }, headers), SOON)
  const { headers: key, grant } = await join()
  const left = async (headers = key) => (await call('rpc_credits', {}, headers)).json<{ credits: number }>().credits
  assert.equal((await generate(key)).json<{ credits: number }>().credits, 0, 'the free one')
  await grant(1)
  assert.equal(await left(), 1)
  work.become('hold')
  const waiting = gateway.call('work_generate', { hash: newHash() }, key)
  await until(() => work.countHeld() > 0)
  assert.equal(await left(), 0, 'set aside')
  const poor = await generate(key)
  assert.deepEqual([poor.status, poor.json().code], [403, 'insufficient_credits'])
  assert.match(poor.json().error!, /buy_rpc/)
  work.become('fail')
  assert.equal((await turningWhenStuck(clock, waiting, SOON)).status, 503)
  assert.equal(await left(), 1, 'given back')
  assert.equal((await generate(key, 'nothing')).status, 400)
  assert.equal(await left(), 1)
  work.become('answer')
  // A failed work server is not used for a while; nobody may be charged meanwhile either.
  let made = await generate(key)
  for (let tries = 0; made.status === 503 && tries < 60; tries++) {
    assert.equal(await left(), 1)
    clock.advance(5_000)
    made = await generate(key)
  }
  assert.deepEqual([made.status, made.json<{ credits: number }>().credits], [200, 1], made.text)
  assert.equal(await left(), 0)
  assert.equal((await generate(key)).status, 403)

  const { headers: rich, grant: grantMore } = await join()
  await generate(rich)
  await grantMore(3)
  const replies = await Promise.all(Array.from({ length: 10 }, () => generate(rich)))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 200, ...Array(7).fill(403)])
  assert.equal(await left(rich), 0)
})

test('a faucet claim is recorded before anything is sent, is paid once, and is answered as sent only then (contract 3, rule 15)', async (t) => {
  const { clock, work, gateway, join, call } = await open(t, { DEVNET_TREASURY_NANO: '1', WALLET_WAIT_MS: '0' })
  const turnUntil = (isSo: () => Promise<boolean>) =>
    until(() => {
      clock.advance(100)
      return isSo()
    })
  await turnUntil(async () => /^gateway_treasury_nano 1$/m.test(await readMetrics(gateway)))
  const nano_address = new Signer(950).address
  const { headers: key } = await join()
  const waitsFor = async () => (await call('account_balance', { account: nano_address })).json().receivable
  interface Claimed {
    claim: { id: string; status: string; tx_hash: string | null; nano_address: string; amount: string }
  }
  // Its block cannot be made yet.
  work.become('hold')
  const once = { ...key, 'idempotency-key': 'one' }
  const kept = await call('faucet_claim', { nano_address }, once)
  const { claim, code } = kept.json<Claimed & { code: string }>()
  row('7, Texts and codes: faucet claim that is kept and waits to be paid', () =>
    assert.deepEqual([kept.status, code, claim.status], [503, 'wallet_busy', 'queued']),
  )
  const again = async () => {
    const reply = await call('faucet_claim', { nano_address }, key)
    assert.equal(reply.status, 429, 'it counts already')
    return reply.json<Claimed>().claim
  }
  const recorded = await again()
  assert.deepEqual([recorded.id, recorded.status, recorded.tx_hash], [claim.id, 'queued', null])
  assert.equal(await waitsFor(), '0')
  work.become('answer')
  await turnUntil(async () => (await again()).status === 'sent')
  const sent = await again()
  assert.deepEqual([sent.id, sent.nano_address, sent.amount], [claim.id, nano_address, '0.001'])
  await turnUntil(async () => (await waitsFor()) === `1${'0'.repeat(27)}`)
  const success = await call('faucet_claim', { nano_address }, once)
  assert.deepEqual([success.status, success.json<{ success: boolean }>().success], [200, true], success.text)
  assert.deepEqual(success.json<Claimed>().claim, sent)
  const { amount_nano: amount } = (await call('block_info', { hash: sent.tx_hash })).json()
  row('1, Product areas: 3. Faucet', () => assert.equal(amount, '0.001'))
})

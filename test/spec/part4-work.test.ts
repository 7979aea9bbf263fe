import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { WORK_THRESHOLDS, formatWork, workValue } from '../../src/kernel/nano/work.ts'
import { Signer, UNOPENED, findWork, frontierOf, give, nano } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { type Reply, openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { row } from './row.ts'
import { alice, bob, openLedgerWorld } from './ledger-world.ts'
import { serveWhole } from '../support/serve.ts'

/* Contract 4.1, work: difficulty, sources, costs, and cancelled requests. */

const SEND = 'ffc0000000000000'
const RECEIVE = 'f000000000000000'
/** Each test enables its own sources of work. */
const NOBODY_ELSE = { WORK_THREADS: '0', WORK_NODES: 'false', WORK_PRECOMPUTE: 'false' }

const rootOf = (text: string) => createHash('sha256').update(text).digest('hex').toUpperCase()

interface Asked {
  action: string
  hash: string
  difficulty: string
}

type Work = (asked: Asked) => string | Promise<string>

const honest: Work = ({ hash, difficulty }) => findWork(hash, BigInt(`0x${difficulty}`))
const silent: Work = () => new Promise(() => undefined)
/** Work that is too weak, reported as strong enough. */
const lying: Work = ({ hash }) => {
  let nonce = 0n
  while (workValue(hash, formatWork(nonce)) >= WORK_THRESHOLDS.dev.receive) nonce++
  return formatWork(nonce)
}

/** A work server with the usual protocol on loopback, whose answers the test sets. */
async function openWorkServer(t: TestContext, work: Work) {
  const asked: Asked[] = []
  const url = await serveWhole(t, (body, _request, response) => {
    const question = JSON.parse(body) as Asked
    asked.push(question)
    if (question.action !== 'work_generate') return response.end('{"success":""}')
    const { hash, difficulty } = question
    void Promise.resolve(work(question)).then((found) =>
      response.end(JSON.stringify({ work: found, difficulty, multiplier: '1.000000000000000', hash })),
    )
  })
  const has = (action: string, hash: string) => asked.some((one) => one.action === action && one.hash === hash)
  return { url, asked, has }
}

function assertStrong(reply: Reply, root: string, difficulty = SEND): void {
  assert.equal(reply.status, 200, reply.text)
  const { work, difficulty: reached, hash, frontier } = reply.json()
  assert.deepEqual([hash, frontier], [root, root])
  const value = workValue(root, work!)
  assert.ok(value >= BigInt(`0x${difficulty}`), `${formatWork(value)} is less than ${difficulty}`)
  assert.equal(reached, formatWork(value))
}

test('what is asked for, or what the block does, says how strong the work has to be (contract 4.1, Blocks and work: work_generate, work_validate; 4.1, rules 13 and 14)', async (t) => {
  const server = await openWorkServer(t, honest)
  const { call, app, sent } = await openLedgerWorld(t, { ...NOBODY_ELSE, WORK_URLS: server.url })
  const { node } = app.devnet!
  const frontier = frontierOf(node, alice.key)
  const json = (block: Parameters<typeof toBlockJson>[0]) => ({ block: toBlockJson(block) })
  const gift = await give(node, alice.key, nano(1))
  const cases: [fields: object, difficulty: string, hash?: string][] = [
    [{}, SEND],
    [{ subtype: 'send' }, SEND],
    [{ subtype: 'change' }, SEND],
    [{ subtype: 'receive' }, RECEIVE],
    [{ subtype: 'open' }, RECEIVE],
    [{ subtype: 'epoch' }, RECEIVE],
    [json(bob.receive(UNOPENED, sent, nano(2))), RECEIVE, bob.key],
    [{ difficulty: 'fff0000000000000' }, 'fff0000000000000'],
    [{ multiplier: '4' }, 'fff0000000000000'],
    [{ multiplier: 2, difficulty: RECEIVE }, 'ffe0000000000000'],
    [{ difficulty: RECEIVE, subtype: 'send' }, RECEIVE],
    // Wallets for the live network send its thresholds here too, although they exceed 64 times this ledger's.
    [{ difficulty: 'ffff100000000000' }, 'ffff100000000000'],
  ]
  for (const [at, [fields, difficulty, hash = rootOf(`case ${at}`)]] of cases.entries()) {
    assertStrong(await call('work_generate', { hash, ...fields }), hash, difficulty)
    const asked = server.asked.at(-1)!
    assert.deepEqual(asked, { action: 'work_generate', hash, difficulty }, JSON.stringify(fields))
  }
  // For an existing account, the balance shows the kind of a block. A stronger request than needed is granted.
  for (const [block, difficulty] of [
    [alice.receive(frontier, gift, nano(1)), RECEIVE],
    [alice.send(frontier, bob.key, nano(1)), SEND],
  ] as const) {
    assertStrong(await call('work_generate', { hash: sent, ...json(block) }), sent, difficulty)
  }
  const { work, difficulty: value, multiplier } = (await call('work_generate', { hash: rootOf('case 9') })).json()
  const validate = async (fields: object) =>
    (await call('work_validate', { hash: rootOf('case 9'), work, ...fields })).json()
  const known = { valid_all: '1', valid_receive: '1', difficulty: value, multiplier }
  assert.deepEqual(await validate({}), known)
  assert.deepEqual(await validate({ difficulty: value }), { valid: '1', ...known })
  assert.deepEqual(await validate({ difficulty: 'ffffffffffffffff' }), { valid: '0', ...known })
  assert.deepEqual(await validate({ multiplier: '1' }), { valid: '1', ...known })
  const weak = await lying({ action: '', hash: rootOf('case 9'), difficulty: '' })
  assert.equal((await validate({ work: weak })).valid_receive, '0')
  const beyond = 'Difficulty above config limit or below publish threshold'
  const refusals: [fields: object, field: string, text: string][] = [
    [{ difficulty: 'efffffffffffffff' }, 'difficulty', beyond],
    [{ difficulty: 'ffffffffe0000001' }, 'difficulty', beyond],
    [{ multiplier: '65' }, 'multiplier', beyond],
    [{ multiplier: 'much' }, 'multiplier', 'Bad multiplier'],
    [{ difficulty: 'xyz' }, 'difficulty', 'Bad difficulty'],
    [{ hash: 'AB' }, 'hash', 'Invalid block hash'],
    [json(bob.receive(UNOPENED, sent, nano(2))), 'block', 'Root mismatch for block'],
  ]
  const before = server.asked.length
  for (const [fields, field, text] of refusals) {
    const reply = await call('work_generate', { hash: rootOf('refused'), ...fields })
    const { error, message, code } = reply.json()
    assert.deepEqual([reply.status, reply.json().field, error, message], [400, field, text, text])
    assert.match(code!, /^invalid_/)
  }
  assert.equal(server.asked.length, before, 'nobody looked for any of it')
})

test('a source with wrong work is rejected, and the next one is asked (contract 4.1, rule 14)', async (t) => {
  const [liar, good] = [await openWorkServer(t, lying), await openWorkServer(t, honest)]
  const { call } = await openGateway(t, { ...NOBODY_ELSE, WORK_URLS: `${liar.url},${good.url}` })
  const hash = rootOf('truth')
  assertStrong(await call('work_generate', { hash }), hash)
  assert.deepEqual([liar.has('work_generate', hash), good.has('work_generate', hash)], [true, true])
})

test('sources race: the slower one is cancelled (contract 4.1, rule 15)', async (t) => {
  const clock = new TestClock()
  const [slow, quick] = [await openWorkServer(t, silent), await openWorkServer(t, honest)]
  const { call } = await openGateway(t, { ...NOBODY_ELSE, WORK_URLS: `${slow.url},${quick.url}` }, clock)
  const hash = rootOf('race')
  const waiting = call('work_generate', { hash })
  await until(() => slow.has('work_generate', hash))
  assert.equal(quick.has('work_generate', hash), false)
  await until(() => {
    clock.advance(10)
    return quick.has('work_generate', hash)
  })
  assertStrong(await waiting, hash)
  await until(() => slow.has('work_cancel', hash))
  assert.equal(quick.has('work_cancel', hash), false)
})

test('without any server or node this machine computes (contract 4.1, rule 15)', async (t) => {
  const { call } = await openGateway(t, { WORK_THREADS: '1', WORK_NODES: 'false', WORK_PRECOMPUTE: 'false' })
  const hash = rootOf('own')
  assertStrong(await call('work_generate', { hash }), hash)
})

test('what was asked for before says so, costs nothing and counts nowhere (contract 4.1, rule 15)', async (t) => {
  const clock = new TestClock()
  const server = await openWorkServer(t, (asked) => {
    clock.advance(1_500)
    return honest(asked)
  })
  const env = { WORK_NODES: 'false', WORK_URLS: server.url, FREE_WORK_ANONYMOUS_PER_HOUR: '1' }
  const { call } = await openGateway(t, env, clock)
  const hash = rootOf('ready')
  const ask = async (root: string) => (await call('work_generate', { hash: root })).json<Record<string, unknown>>()
  const first = await ask(hash)
  const again = [await ask(hash), await ask(hash.toLowerCase())]
  row('2, Work result: duration, cached, credits', () => {
    assert.deepEqual([first.duration, first.cached, first.credits], ['1.500s', false, 0])
    for (const one of again) assert.deepEqual(one, { ...first, duration: '0.000s', cached: true })
  })
  const other = await call('work_generate', { hash: rootOf('other') })
  assert.equal(other.status, 429, 'the one of this hour is used up')
  assert.equal((await ask(hash)).cached, true)
  assert.equal(server.asked.length, 1)
})

test('a chain of blocks has the same free work as any caller, prepared or not, and none is prepared for anonymous callers (contract 4.1, rule 15; 7, Texts and codes: over the quota of work; 8, Plans: anonymous, by IP, free key)', async (t) => {
  const clock = new TestClock()
  const server = await openWorkServer(t, honest)
  const free = { FREE_WORK_ANONYMOUS_PER_HOUR: '1', FREE_WORK_PER_HALF_HOUR: '2' }
  const { call, app } = await openGateway(t, { WORK_NODES: 'false', WORK_URLS: server.url, ...free }, clock)
  const { node } = app.devnet!
  const { db } = app.store
  const keyed = { authorization: `Bearer ${app.createdKey}` }
  const publish = async (seed: number, headers = {}) => {
    const signer = new Signer(seed, node.ledger.thresholds)
    const opening = signer.receive(UNOPENED, await node.fund(signer.key, nano(1)), nano(1))
    return (await call('process', { block: toBlockJson(opening), subtype: 'open' }, headers)).json().hash!
  }
  const isReady = async (root: string) =>
    (await db.selectFrom('works').select('root').where('root', '=', root).execute()).length > 0
  const ofStranger = await publish(31)
  const roots = [await publish(32, keyed), await publish(33, keyed), await publish(34, keyed)]
  for (const root of roots) {
    await until(async () => {
      clock.advance(10)
      return isReady(root)
    })
  }
  assert.equal(await isReady(ofStranger), false)

  // Anybody may request work for any root; an address may hold one per hour.
  const bySomebody = await call('work_generate', { hash: roots[0]! })
  assertStrong(bySomebody, roots[0]!)
  const { cached, credits } = bySomebody.json<Record<string, unknown>>()
  assert.deepEqual([cached, credits], [true, 0])
  assert.equal((await call('work_generate', { hash: roots[0]! })).status, 200, 'asked for again')
  const refused = await call('work_generate', { hash: roots[1]! })
  assert.deepEqual([refused.status, refused.json().code], [429, 'work_quota'])
  assert.match(refused.json().detail!, /^1 works in 60 minutes are free for one address without a key\. .*buy_rpc/)

  // An account may hold two in half an hour, one of which is being searched now.
  assert.equal((await call('work_generate', { hash: rootOf('searched') }, keyed)).status, 200)
  assert.equal((await call('work_generate', { hash: roots[1]! }, keyed)).json<{ cached: boolean }>().cached, true)
  const beyond = await call('work_generate', { hash: roots[2]! }, keyed)
  assert.deepEqual([beyond.status, beyond.json().code], [403, 'insufficient_credits'])
})

test('work_cancel and hanging up end one’s own wait and nobody else’s (contract 4.1, Blocks and work: work_cancel; 4.1, rule 15)', async (t) => {
  const gate = Promise.withResolvers<void>()
  const server = await openWorkServer(t, async (asked) => {
    await gate.promise
    return honest(asked)
  })
  const { url, call, app } = await openGateway(t, { ...NOBODY_ELSE, WORK_URLS: server.url })
  const [shared, left] = [rootOf('shared'), rootOf('left')]
  const owner = { authorization: `Bearer ${app.createdKey}` }
  const unlimited = call('work_generate', { hash: shared }, owner)
  await until(() => server.has('work_generate', shared))
  let ended: Reply | undefined
  const hasty = call('work_generate', { hash: shared }).then((reply) => (ended = reply))
  await until(async () => {
    assert.deepEqual((await call('work_cancel', { hash: shared })).json(), { success: '' })
    return ended !== undefined
  })
  assert.deepEqual([(await hasty).status, (await hasty).json()], [200, { error: 'Cancelled' }])
  assert.equal(server.has('work_cancel', shared), false, 'somebody still waits for it')

  const controller = new AbortController()
  const body = JSON.stringify({ action: 'work_generate', hash: left })
  const abandoned = fetch(url, { method: 'POST', body, signal: controller.signal })
  await until(() => server.has('work_generate', left))
  controller.abort()
  await assert.rejects(abandoned)
  await until(() => server.has('work_cancel', left))
  gate.resolve()
  assertStrong(await unlimited, shared)
})

test('a wallet that gives up after seconds, on the machine of a local gateway, found no live work however often it asked; now the search goes on for it (contract 4.8, rule 3)', async (t) => {
  const gate = Promise.withResolvers<void>()
  const server = await openWorkServer(t, async (asked) => {
    await gate.promise
    return honest(asked)
  })
  const { url, call } = await openGateway(t, { ...NOBODY_ELSE, WORK_URLS: server.url })
  const hash = rootOf('patience')
  const ask = (signal?: AbortSignal) =>
    fetch(`${url}/node`, {
      method: 'POST',
      body: JSON.stringify({ action: 'work_generate', hash }),
      ...(signal && { signal }),
    })
  const controller = new AbortController()
  const first = ask(controller.signal)
  await until(() => server.has('work_generate', hash))
  controller.abort()
  await assert.rejects(first)
  // Answered after the gateway has seen the connection close.
  await call('version')
  const second = ask()
  gate.resolve()
  const { work } = (await (await second).json()) as { work: string }
  assert.ok(workValue(hash, work) >= BigInt(`0x${SEND}`))
  assert.deepEqual([server.asked.length, server.has('work_cancel', hash)], [1, false])
})

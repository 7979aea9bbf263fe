import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../support/clock.ts'
import { type Fault, FaultyNode } from '../support/faulty-node.ts'
import { growLedger } from '../support/grown-ledger.ts'
import { type Answer, openPooledGateway } from '../support/pooled-gateway.ts'
import { isThorough } from '../support/thorough.ts'
import { until } from '../support/until.ts'
import { Tally, collectQuestions, contains, startNodes } from './questions.ts'

const NO_NODE = 'No node available. Try again in a few seconds.'

const BAD = ['dead', 'slow', 'lagging', 'html', 'cut'] as const

/** All pairs of fault kinds, and in a thorough run also all larger sets. */
function listCombinations(): Fault[][] {
  const pairs = BAD.flatMap((one, at) => BAD.slice(at).map((other) => [one, other]))
  if (!isThorough) return pairs
  const sets = Array.from({ length: 1 << BAD.length }, (_, bits) => BAD.filter((_, at) => bits & (1 << at)))
  return [...pairs, ...sets.filter((set) => set.length > 2)]
}

const READS = isThorough ? 3_000 : 1_000
/** Requests before a fault begins, and as many after. */
const QUESTIONS = isThorough ? 100 : 60

// The long timeout is for slow machines: each answer is checked.
test(
  'one good node among bad ones: no matter how often it is asked, no wrong answer and no failure (contract 7, rule 6)',
  { timeout: 600_000 },
  async (t) => {
    const ledgers = await growLedger(t)
    const options = { ledger: ledgers.current, older: ledgers.older }
    const good = await FaultyNode.start(t, options)
    const questions = await collectQuestions(good, ledgers)
    const nodes = new Map<Fault, FaultyNode[]>()
    for (const fault of BAD) {
      nodes.set(fault, [await FaultyNode.start(t, options, fault), await FaultyNode.start(t, options, fault)])
    }
    const roles = ['primary', 'fallback']
    const cases = listCombinations().flatMap((faults, at) =>
      (isThorough ? roles : [roles[at % 2]]).map((role) => {
        const bad = faults.map((fault, nth) => ({ url: nodes.get(fault)![fault === faults[nth - 1] ? 1 : 0]!.url }))
        return [...bad, { url: good.url, options: `role=${role}` }]
      }),
    )
    const tally = new Tally()
    const each = Math.ceil(READS / cases.length)
    while (cases.length > 0) {
      // Starting takes two seconds if a node is slow, so some gateways start in parallel; too many would slow down the good node.
      const gateways = await Promise.all(
        cases.splice(0, 8).map((entries) => openPooledGateway(t, entries, { env: { CACHE_BYTES_MAX: '0' } })),
      )
      for (const gateway of gateways) await tally.ask(gateway, questions, each)
      await Promise.all(gateways.map((gateway) => gateway.close()))
    }
    t.diagnostic(`${tally.reads} reads, ${tally.wrong.length} wrong, ${tally.failed.length} failed`)
    tally.assertFlawless()
    assert.ok(tally.reads >= READS)
  },
)

test('a lagging node would be noticed: alone it answers most questions differently', async (t) => {
  const ledgers = await growLedger(t)
  const good = await FaultyNode.start(t, { ledger: ledgers.current })
  const lagging = await FaultyNode.start(t, { ledger: ledgers.current, older: ledgers.older }, 'lagging')
  const questions = await collectQuestions(good, ledgers)
  const gateway = await openPooledGateway(t, [{ url: lagging.url }])
  let stale = 0
  for (const { action, params, truth } of questions) {
    if (!contains((await gateway.ask(action, params)).body, truth)) stale++
  }
  assert.ok(stale > questions.length * 0.8, `${stale} of ${questions.length}`)
})

const BROKEN = ['dead', 'html', 'cut', 'status 500', 'status 429', 'garbage', 'rate limit', 'request lost'] as const
const LATE = ['slow', 'mute', 'trickle'] as const

for (const fault of [...BROKEN, ...LATE, 'reply lost'] as const) {
  test(`two of three nodes turn bad between probes (${fault}): no wrong answer and no failure`, async (t) => {
    const ledgers = await growLedger(t, 3)
    const nodes = await startNodes(t, ledgers, 3)
    const questions = await collectQuestions(nodes[2]!, ledgers)
    const gateway = await openPooledGateway(t, nodes, { env: { CACHE_BYTES_MAX: '0' } })
    const tally = new Tally()
    await tally.ask(gateway, questions, QUESTIONS)
    await nodes[0]!.behave(fault)
    await nodes[1]!.behave(fault)
    await tally.ask(gateway, questions, QUESTIONS)
    tally.assertFlawless()
  })
}

// A node closes its connection after each answer, a proxy in front of it keeps it open; both may restart at any time.
for (const keepAlive of [false, true]) {
  test(`a single node that restarts between two reads costs nothing (keep-alive ${keepAlive})`, async (t) => {
    const ledgers = await growLedger(t, 3)
    const node = await FaultyNode.start(t, { ledger: ledgers.current, keepAlive })
    const questions = await collectQuestions(node, ledgers)
    const gateway = await openPooledGateway(t, [node], { env: { CACHE_BYTES_MAX: '0' } })
    const tally = new Tally()
    for (let round = 0; round < 5; round++) {
      await tally.ask(gateway, questions, 50)
      await node.behave('dead')
      await node.behave('none')
    }
    tally.assertFlawless()
  })
}

const assertRefused = ({ status, body }: Answer, expected: number, code: string) =>
  assert.deepEqual({ status, body }, { status: expected, body: { error: NO_NODE, message: NO_NODE, code } })

for (const fault of BROKEN) {
  test(`502 with the decided text when every node is bad (${fault}) (contract 7, Texts and codes: no upstream node answers)`, async (t) => {
    const ledgers = await growLedger(t, 1)
    const nodes = await startNodes(t, ledgers, 2, fault)
    const gateway = await openPooledGateway(t, nodes)
    const account = ledgers.signers[0]!.address
    for (const action of ['account_info', 'account_balance', 'account_history']) {
      assertRefused(await gateway.ask(action, { account, count: '1' }), 502, 'no_node')
    }
  })
}

for (const fault of LATE) {
  test(`504 after exactly five seconds when no node answers in time (${fault}) (contract 7, Texts and codes: upstream time-out)`, async (t) => {
    const ledgers = await growLedger(t, 1)
    const nodes = await startNodes(t, ledgers, 3)
    const clock = new TestClock()
    const gateway = await openPooledGateway(t, nodes, { clock })
    for (const node of nodes) await node.behave(fault)
    let answered = false
    const asked = gateway.ask('account_info', { account: ledgers.signers[0]!.address })
    void asked.finally(() => (answered = true))
    await until(() => nodes.some((node) => node.hits('account_info') === 1))
    // All nodes are asked within the time limit.
    clock.advance(2_000)
    await until(() => nodes.every((node) => node.hits('account_info') === 1))
    clock.advance(2_999)
    await gateway.ask('nano_to_raw', { amount: '1' })
    assert.equal(answered, false)
    clock.advance(1)
    assertRefused(await asked, 504, 'node_timeout')
  })
}

// The limit starts with the request, not when a connection becomes free.
test('504 in time for each of 300 reads from a node that accepts 64 and answers none', async (t) => {
  const ledgers = await growLedger(t, 1)
  const clock = new TestClock()
  const [node] = await startNodes(t, ledgers, 1)
  await node!.behave('mute', { actions: ['representatives_online', 'account_history'] })
  const gateway = await openPooledGateway(t, [{ url: node!.url }], { clock })
  // The gateway itself uses one connection, because it reads the representatives after its start.
  await until(() => node!.hits('representatives_online') === 1)
  const end = clock.now() + 5_000
  const before = clock.waitingFor(end)
  let answered = 0
  const asked = Array.from({ length: 300 }, async (_, at) => {
    const answer = await gateway.ask('account_history', { account: ledgers.signers[0]!.address, count: at + 1 })
    answered++
    return answer
  })
  const areAsked = () => node!.hits('account_history') === 63 && clock.waitingFor(end) >= before + 300
  await until(areAsked)
  // One of the gateway's own requests may have been counted among the 300.
  await gateway.ask('nano_to_raw', { amount: '1' })
  await until(areAsked)
  clock.advance(4_999)
  await gateway.ask('nano_to_raw', { amount: '1' })
  assert.equal(answered, 0)
  clock.advance(1)
  for (const answer of await Promise.all(asked)) assertRefused(answer, 504, 'node_timeout')
})

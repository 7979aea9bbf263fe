import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { TestClock } from '../support/clock.ts'
import { type Fault, FaultyNode } from '../support/faulty-node.ts'
import { type GrownLedger, growLedger } from '../support/grown-ledger.ts'
import { type Answer, type PooledGateway, openPooledGateway } from '../support/pooled-gateway.ts'
import { SeededRandom } from '../support/random.ts'
import { call } from '../support/rpc.ts'
import { until } from '../support/until.ts'

const NO_NODE = 'No node available. Try again in a few seconds.'
const UNKNOWN_HASH = 'F'.repeat(64)

/** A question and what the good ledger says to it. */
interface Question {
  action: string
  params: object
  truth: unknown
}

/** Reads of every kind. What the good node itself answers is the truth; the gateway may add to it, never change it. */
async function collectQuestions(good: FaultyNode, { signers, hashes }: GrownLedger): Promise<Question[]> {
  const addresses = signers.map(({ address }) => address)
  const asked: [string, object][] = [
    ['block_count', {}],
    ['version', {}],
    ['accounts_balances', { accounts: addresses }],
    ['accounts_frontiers', { accounts: addresses }],
    ['block_info', { hash: UNKNOWN_HASH, json_block: 'true' }],
    ['account_info', { account: 'nano_1111111111111111111111111111111111111111111111111111hifc8npp' }],
  ]
  for (const account of addresses) {
    asked.push(
      ['account_info', { account, representative: 'true', include_confirmed: 'true', receivable: 'true' }],
      ['account_balance', { account }],
      ['account_balance', { account, include_only_confirmed: 'false' }],
      ['account_history', { account, count: '5' }],
      ['account_history', { account, count: '10', raw: 'true' }],
      ['account_representative', { account }],
      ['account_block_count', { account }],
      ['receivable', { account, count: '10', source: 'true' }],
      ['accounts_balances', { accounts: [account] }],
    )
  }
  for (const hash of hashes) {
    asked.push(['block_info', { hash, json_block: 'true' }])
    asked.push(['blocks_info', { hashes: [hash], json_block: 'true', receive_hash: 'true', source: 'true' }])
  }
  return Promise.all(
    asked.map(async ([action, params]) => ({ action, params, truth: await call<unknown>(good.url, action, params) })),
  )
}

/** Whether everything in `part` is in `whole`. */
function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return whole === part
  if (typeof whole !== 'object' || whole === null) return false
  return Object.entries(part).every(([name, value]) => contains((whole as Record<string, unknown>)[name], value))
}

/** What happened to many reads. */
class Tally {
  reads = 0
  readonly wrong: unknown[] = []
  readonly failed: unknown[] = []

  /** Asks questions at random, a bounded number at a time. */
  async ask(gateway: PooledGateway, questions: readonly Question[], count: number, concurrency = 50): Promise<void> {
    const random = new SeededRandom(count + this.reads)
    let left = count
    const worker = async () => {
      while (left-- > 0) {
        const { action, params, truth } = random.pick(questions)
        const { status, body } = await gateway.ask(action, params)
        this.reads++
        if (status !== 200) this.failed.push({ action, params, status, body })
        else if (!contains(body, truth)) this.wrong.push({ action, params, body, truth })
      }
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
  }

  assertFlawless(): void {
    assert.deepEqual(this.wrong.slice(0, 3), [], `${this.wrong.length} of ${this.reads} answers are wrong`)
    assert.deepEqual(this.failed.slice(0, 3), [], `${this.failed.length} of ${this.reads} reads failed`)
  }
}

const BAD = ['dead', 'slow', 'lagging', 'html', 'cut'] as const

/** Two bad nodes of every two kinds, and every larger set of kinds. */
function listCombinations(): Fault[][] {
  const pairs = BAD.flatMap((one, at) => BAD.slice(at).map((other) => [one, other]))
  const sets = Array.from({ length: 1 << BAD.length }, (_, bits) => BAD.filter((_, at) => bits & (1 << at)))
  return [...pairs, ...sets.filter((set) => set.length > 2)]
}

test('one good node among bad ones: 10,000 reads, no wrong answer and no failure (contract 7, rule 6)', async (t) => {
  const ledgers = await growLedger(t)
  const options = { ledger: ledgers.current, older: ledgers.older }
  const good = await FaultyNode.start(t, options)
  const questions = await collectQuestions(good, ledgers)
  const nodes = new Map<Fault, FaultyNode[]>()
  for (const fault of BAD) {
    nodes.set(fault, [await FaultyNode.start(t, options, fault), await FaultyNode.start(t, options, fault)])
  }
  const cases = listCombinations().flatMap((faults) =>
    ['primary', 'fallback'].map((role) => {
      const bad = faults.map((fault, at) => ({ url: nodes.get(fault)![fault === faults[at - 1] ? 1 : 0]!.url }))
      return [...bad, { url: good.url, options: `role=${role}` }]
    }),
  )
  const tally = new Tally()
  const each = Math.ceil(10_000 / cases.length)
  while (cases.length > 0) {
    // Starting takes two seconds when a node is slow, so many start at once.
    const gateways = await Promise.all(
      cases.splice(0, 32).map((entries) => openPooledGateway(t, entries, { env: { CACHE_BYTES_MAX: '0' } })),
    )
    for (const gateway of gateways) await tally.ask(gateway, questions, each)
    await Promise.all(gateways.map((gateway) => gateway.close()))
  }
  t.diagnostic(`${tally.reads} reads, ${tally.wrong.length} wrong, ${tally.failed.length} failed`)
  tally.assertFlawless()
  assert.ok(tally.reads >= 10_000)
})

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

const SUDDEN = ['dead', 'slow', 'mute', 'trickle', 'html', 'cut', 'status 500', 'status 429'] as const

for (const fault of [...SUDDEN, 'garbage', 'rate limit', 'reply lost', 'request lost'] as const) {
  test(`two of three nodes turn bad between probes (${fault}): no wrong answer and no failure`, async (t) => {
    const ledgers = await growLedger(t, 3)
    const nodes = await startNodes(t, ledgers, 3)
    const questions = await collectQuestions(nodes[2]!, ledgers)
    const gateway = await openPooledGateway(t, nodes, { env: { CACHE_BYTES_MAX: '0' } })
    const tally = new Tally()
    await tally.ask(gateway, questions, 200)
    await nodes[0]!.behave(fault)
    await nodes[1]!.behave(fault)
    await tally.ask(gateway, questions, 200)
    tally.assertFlawless()
  })
}

// A node closes its connection after each answer, a proxy in front of it keeps it; both may restart at any time.
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

const startNodes = (t: TestContext, { current, older }: GrownLedger, count: number, fault?: Fault) =>
  Promise.all(Array.from({ length: count }, () => FaultyNode.start(t, { ledger: current, older }, fault)))

const assertRefused = ({ status, body }: Answer, expected: number, code: string) =>
  assert.deepEqual({ status, body }, { status: expected, body: { error: NO_NODE, message: NO_NODE, code } })

for (const fault of [
  'dead',
  'html',
  'cut',
  'status 500',
  'status 429',
  'garbage',
  'rate limit',
  'request lost',
] as const) {
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

for (const fault of ['slow', 'mute', 'trickle'] as const) {
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
    // All of them are asked before the time is over.
    clock.advance(2_000)
    await until(() => nodes.every((node) => node.hits('account_info') === 1))
    clock.advance(2_999)
    await gateway.ask('nano_to_raw', { amount: '1' })
    assert.equal(answered, false)
    clock.advance(1)
    assertRefused(await asked, 504, 'node_timeout')
  })
}

// The limit counts from the question, not from the moment a connection is free.
test('504 within its time for every one of 300 questions to a node that takes 64 and answers none', async (t) => {
  const ledgers = await growLedger(t, 1)
  const [node] = await startNodes(t, ledgers, 1)
  const gateway = await openPooledGateway(t, [{ url: node!.url }])
  await node!.behave('mute')
  const startedAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, at) =>
      gateway.ask('account_history', { account: ledgers.signers[0]!.address, count: at + 1 }),
    ),
  )
  const seconds = (performance.now() - startedAt) / 1000
  for (const answer of answers) assertRefused(answer, 504, 'node_timeout')
  assert.ok(seconds > 4.9 && seconds < 8, `${seconds} s`)
})

test('when every node looks bad they are all used', async (t) => {
  const ledgers = await growLedger(t, 3)
  const nodes = await startNodes(t, ledgers, 3)
  const questions = await collectQuestions(nodes[0]!, ledgers)
  for (const node of nodes) await node.behave('status 500', { actions: ['block_count'] })
  const gateway = await openPooledGateway(t, nodes)
  const tally = new Tally()
  const answerable = questions.filter(({ action }) => action !== 'block_count')
  await tally.ask(gateway, answerable, 200)
  tally.assertFlawless()
  assert.deepEqual(
    gateway.app.nodes.pool.upstreams.map(({ healthy }) => healthy),
    [false, false, false],
  )
  for (const node of nodes) assert.ok(node.hits('block_info') > 0)
})

// A node that is behind gives wrong answers quickly, so it must not win just because a good one stumbled.
test('a node known to be behind is asked last, also when the good one stops answering probes', async (t) => {
  const ledgers = await growLedger(t, 4)
  const clock = new TestClock()
  const [good, lagging] = await startNodes(t, ledgers, 2)
  await lagging!.behave('lagging')
  const questions = await collectQuestions(good!, ledgers)
  const gateway = await openPooledGateway(t, [good!, lagging!], { clock, env: { CACHE_BYTES_MAX: '0' } })
  await good!.behave('status 500', { actions: ['block_count'] })
  good!.forgetHits()
  clock.advance(3_000)
  await until(() => gateway.app.nodes.pool.upstreams.every(({ healthy }) => !healthy))
  const tally = new Tally()
  const answerable = questions.filter(({ action }) => action !== 'block_count')
  await tally.ask(gateway, answerable, 200)
  tally.assertFlawless()
})

test('a node that is alone is used even if it is behind where another one was', async (t) => {
  const ledgers = await growLedger(t, 1)
  const clock = new TestClock()
  const [good, lagging] = await startNodes(t, ledgers, 2)
  await lagging!.behave('lagging')
  const gateway = await openPooledGateway(t, [good!, lagging!], { clock })
  await good!.behave('dead')
  clock.advance(3_000)
  await until(() => !gateway.app.nodes.pool.upstreams[0]!.reachable)
  const account = ledgers.signers[0]!.address
  const { status, body } = await gateway.ask('account_info', { account })
  assert.equal(status, 200)
  assert.equal(body.block_count, '1')
})

for (const fault of ['dead', 'html', 'cut', 'status 429', 'lagging', 'nonsense'] as const) {
  test(`a node that recovers is readmitted by the next probe (${fault})`, async (t) => {
    const ledgers = await growLedger(t, 1)
    const clock = new TestClock()
    const nodes = await startNodes(t, ledgers, 2)
    await nodes[0]!.behave(fault)
    const gateway = await openPooledGateway(t, nodes, { clock })
    const upstream = gateway.app.nodes.pool.upstreams[0]!
    assert.equal(upstream.healthy, false)
    await nodes[0]!.behave('none')
    clock.advance(2_999)
    await gateway.ask('account_info', { account: ledgers.signers[0]!.address })
    assert.equal(upstream.healthy, false)
    clock.advance(1)
    await until(() => upstream.healthy)
  })
}

test('a node that fails three times in a row is left alone until a probe finds it well', async (t) => {
  const ledgers = await growLedger(t, 8)
  const clock = new TestClock()
  const nodes = await startNodes(t, ledgers, 2)
  const gateway = await openPooledGateway(t, nodes, { clock })
  const [bad] = nodes
  const upstream = gateway.app.nodes.pool.upstreams[0]!
  const ask = async () => {
    for (const { address } of ledgers.signers) {
      assert.equal((await gateway.ask('account_info', { account: address })).status, 200)
    }
  }
  await ask()
  assert.ok(bad!.hits('account_info') >= 3, 'the accounts of this test are spread over both nodes')
  await bad!.behave('html', { actions: ['account_info'] })
  bad!.forgetHits()
  await ask()
  await ask()
  assert.equal(bad!.hits('account_info'), 3)
  assert.equal(upstream.healthy, false)
  await bad!.behave('none')
  clock.advance(3_000)
  await until(() => upstream.healthy)
})

// The ledger has no block time: only the others' progress shows that a node stands still.
test('a node that stands still for 30 seconds while others progress is left out', async (t) => {
  const ledgers = await growLedger(t, 2)
  const clock = new TestClock()
  const nodes = await startNodes(t, ledgers, 2)
  const gateway = await openPooledGateway(t, nodes, { clock })
  const [moving, stuck] = gateway.app.nodes.pool.upstreams
  await nodes[1]!.behave('stuck')
  const probe = async (seconds: number) => {
    nodes.forEach((node) => node.forgetHits())
    clock.advance(seconds * 1_000)
    const before = moving!.cemented
    await until(() => nodes.every((node) => node.hits('block_count') > 0))
    await until(() => moving!.cemented > before)
  }
  for (let passed = 0; passed < 30; passed += 3) {
    await ledgers.current.node.fund(ledgers.signers[0]!.key, 1n as never)
    await probe(3)
    assert.equal(stuck!.lagging, false)
  }
  await ledgers.current.node.fund(ledgers.signers[0]!.key, 1n as never)
  await probe(3)
  await until(() => stuck!.lagging)
  assert.equal(moving!.healthy, true)
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { GENESIS_HASHES } from '../../kernel/nano/network.ts'
import { WORK_THRESHOLDS } from '../../kernel/nano/work.ts'
import { type Disagreement, Disputes } from './agreement.ts'
import { Upstream } from './upstream.ts'

const RULES = { nodes: 2, above: [], alone: 'wait' as const, waitMilliseconds: 10_000 }
const HASH = 'A'.repeat(64)

function openNodes(t: TestContext) {
  const clock = new TestClock()
  const ours = { network: 'dev' as const, genesis: GENESIS_HASHES.dev, thresholds: WORK_THRESHOLDS.dev }
  const nodes = ['one', 'two', 'three'].map((name) => {
    const options = { name, url: 'http://127.0.0.1:9', wsUrl: undefined, role: 'primary' as const, weight: 1 }
    const node = new Upstream(
      { ...options, headers: {}, connectionsMax: 1 },
      { clock, ours, onChange: () => undefined },
    )
    t.after(() => node.close())
    return node
  })
  const reported: Disagreement[] = []
  const disputes = new Disputes(clock, RULES, (disagreement) => void reported.push(disagreement))
  const note = () => disputes.note(HASH, { confirmed: nodes.slice(0, 1), unconfirmed: [], absent: nodes.slice(1) })
  return { clock, nodes, reported, note }
}

test('a lasting disagreement is reported once, after the wait, and after half a minute the node that contradicts all others is set aside', (t) => {
  const { clock, nodes, reported, note } = openNodes(t)
  for (let second = 0; second < 30; second++) {
    note()
    assert.equal(reported.length, second < 10 ? 0 : 1, `after ${second} s`)
    clock.advance(1_000)
  }
  assert.deepEqual(
    nodes.map(({ suspect }) => suspect),
    [false, false, false],
  )
  note()
  assert.deepEqual(
    nodes.map(({ suspect }) => suspect),
    [true, false, false],
  )
  assert.deepEqual(reported, [{ hash: HASH, confirmed: ['one'], unconfirmed: [], absent: ['two', 'three'] }])
})

test('a node that was ahead of the others twice, an hour apart, is not set aside for that', (t) => {
  const { clock, nodes, reported, note } = openNodes(t)
  note()
  clock.advance(3_600_000)
  note()
  assert.deepEqual([nodes[0]!.suspect, reported], [false, []])
})

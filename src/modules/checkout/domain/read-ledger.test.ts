import assert from 'node:assert/strict'
import { test } from 'node:test'
import { believeOne } from '../../../kernel/agreed-read.ts'
import { LedgerRefusal } from '../../../kernel/errors.ts'
import type { NodeAnswer, NodeParams, NodePort } from '../../../kernel/ports.ts'
import { TestClock } from '../../../../test/support/clock.ts'
import { noBlocks } from '../../../../test/support/sends-as-reported.ts'
import { lookAt, readReceived, readStates } from './read-ledger.ts'

const ADDRESS = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'
const PAYER = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'
const hashOf = (at: number) => at.toString(16).toUpperCase().padStart(64, '0')

/** A node with these answers. */
const nodeOf = (answer: (action: string, params: NodeParams) => NodeAnswer): NodePort => {
  const read: NodePort['read'] = (action, params) => {
    try {
      return Promise.resolve(answer(action, params))
    } catch (error) {
      return Promise.reject(error)
    }
  }
  const readSends = () => Promise.reject(new Error('Nobody asks for sends here.'))
  return {
    read,
    readBlocks: noBlocks,
    readSends,
    readAgreed: believeOne(read),
    publish: () => Promise.reject(new Error('Nobody sends here.')),
  }
}

const look = (node: NodePort, address: string) => lookAt(node, address, new TestClock())

/** The chain of one account, with its receivable sends; `asked` may change it between two requests. */
function account(waiting: string[], asked: (action: string) => void = () => undefined) {
  const chain = { height: 0 }
  const node = nodeOf((action, { offset }) => {
    asked(action)
    if (action === 'account_info') {
      if (chain.height === 0) throw new LedgerRefusal('Account not found')
      return { frontier: hashOf(chain.height), block_count: `${chain.height}` }
    }
    const from = Number(offset ?? 0)
    const page = waiting.slice(from, from + 1_000)
    return { blocks: page.length === 0 ? '' : Object.fromEntries(page.map((hash) => [hash, { amount: '1' }])) }
  })
  return { node, chain }
}

test('a send received during the look has left the list and is below the height; an unused address has no height', async () => {
  const waiting = [hashOf(7)]
  const { node, chain } = account(waiting, (action) => {
    if (action === 'receivable' && waiting.pop()) chain.height++
  })
  assert.deepEqual(await look(node, ADDRESS), { frontier: hashOf(1), height: 1, waiting: [] })
  assert.deepEqual(await look(account([]).node, ADDRESS), { frontier: null, height: 0, waiting: [] })
})

test('payments beyond the first thousand that wait at an address are found in a look at many addresses, too', async () => {
  const waiting = Array.from({ length: 1_001 }, (_, at) => hashOf(at))
  const { node } = account(waiting)
  const many = nodeOf((action) => {
    if (action === 'accounts_frontiers') return { frontiers: { [ADDRESS]: hashOf(1) } }
    return { blocks: { [ADDRESS]: Object.fromEntries(waiting.slice(0, 1_000).map((hash) => [hash, { amount: '1' }])) } }
  })
  const read: NodePort['read'] = (...question) => (question[0].startsWith('accounts_') ? many : node).read(...question)
  const asked = { ...node, read, readAgreed: believeOne(read) }
  const [state] = await readStates(asked, [ADDRESS])
  assert.deepEqual([new Set(state!.waiting), state!.frontier], [new Set(waiting), hashOf(1)])
})

test('a page that shifted because something was received is read again with all others', async () => {
  const waiting = Array.from({ length: 2_500 }, (_, at) => hashOf(at))
  let questions = 0
  const { node, chain } = account(waiting, (action) => {
    if (action === 'receivable' && ++questions === 3) {
      waiting.splice(0, 700)
      chain.height += 700
    }
  })
  const { waiting: found, height } = await look(node, ADDRESS)
  assert.deepEqual([new Set(found), height], [new Set(waiting), 700])
})

test('an address with too many receivable blocks is refused, and so is one that changes during every read', async () => {
  const endless = nodeOf((action, { offset }) =>
    action === 'receivable'
      ? { blocks: Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [hashOf(Number(offset ?? 0) + at), {}])) }
      : { frontier: hashOf(1), block_count: '1' },
  )
  await assert.rejects(look(endless, ADDRESS), { code: 'invalid_request', body: { field: 'address' } })
  const waiting = Array.from({ length: 1_500 }, (_, at) => hashOf(at))
  const restless = account(waiting, () => restless.chain.height++)
  await assert.rejects(look(restless.node, ADDRESS), { code: 'no_node' })
})

test('a node that refuses the request, or gives no count, has not reported an empty address', async () => {
  const refusing = nodeOf(() => {
    throw new LedgerRefusal('Internal server error in RPC')
  })
  await assert.rejects(look(refusing, ADDRESS), LedgerRefusal)
  const odd = nodeOf((action) => (action === 'receivable' ? { blocks: '' } : { frontier: hashOf(1), block_count: 'x' }))
  await assert.rejects(look(odd, ADDRESS))
})

test('nodes that name different heights for a moment are asked again, and a look is refused when they never agree', async () => {
  const { node, chain } = account([])
  chain.height = 3
  const clock = { after: (_: number, run: () => void) => (setImmediate(run), () => undefined) }
  let apart = 3
  const disagreeing: NodePort = {
    ...node,
    readAgreed: async (action, ...rest) => {
      const agreed = await node.readAgreed(action, ...rest)
      return action === 'account_info' && apart-- > 0 ? { ...agreed, facts: new Set() } : agreed
    },
  }
  assert.equal((await lookAt(disagreeing, ADDRESS, clock)).height, 3)
  apart = Infinity
  await assert.rejects(lookAt(disagreeing, ADDRESS, clock), { code: 'nodes_disagree' })
})

test('a block of its chain about which nodes contradict each other is not passed over for good', async () => {
  const receive = (at: number) => ({
    type: 'state',
    subtype: 'receive',
    link: hashOf(at),
    height: `${at}`,
    hash: hashOf(20 + at),
  })
  const honest = [receive(5), receive(4), receive(3)]
  const lying = [receive(5), { ...receive(4), height: '9' }, receive(3)]
  const both: NodePort = {
    ...nodeOf(() => ({})),
    readAgreed: (_action, _params, toFacts) => {
      const answers = [honest, lying].map((history) => ({ history }))
      const [first, second] = answers.map((answer) => new Set(toFacts(answer))) as [Set<string>, Set<string>]
      return Promise.resolve({ answers, isEnough: true, facts: new Set([...first].filter((fact) => second.has(fact))) })
    },
  }
  assert.deepEqual(await readReceived(both, ADDRESS, { knownHead: null, floor: 1, since: 0 }), {
    sends: [{ hash: hashOf(5), height: 5 }],
    newest: null,
  })
})

test('a chain is read past its own sends and changes, and past receives that a node reports incompletely', async () => {
  const receive = { type: 'state', subtype: 'receive', link: hashOf(9), height: '5' }
  const history = [
    { ...receive, hash: hashOf(1) },
    { type: 'state', subtype: 'send', link: PAYER, height: '4', hash: hashOf(2) },
    { type: 'state', subtype: 'change', height: '4', hash: hashOf(3) },
    { ...receive, link: 'half', hash: hashOf(4) },
    { ...receive, height: 'x', hash: hashOf(5) },
    { type: 'receive', source: hashOf(8), height: '3', hash: hashOf(6) },
  ]
  const node = nodeOf(() => ({ history }))
  assert.deepEqual(await readReceived(node, ADDRESS, { knownHead: null, floor: 1, since: 0 }), {
    sends: [
      { hash: hashOf(9), height: 5 },
      { hash: hashOf(8), height: 3 },
    ],
    newest: hashOf(1),
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Devnet } from '../../src/devnet/index.ts'
import type { Raw } from '../../src/kernel/money.ts'
import { type StateBlock, ZERO_HASH, hashBlock } from '../../src/kernel/nano/block.ts'
import { Signer, frontierAfter, frontierOf, publish } from '../support/blocks.ts'
import { assertConsistent, dumpLedger } from '../support/ledger-file.ts'
import { SeededRandom, repeat } from '../support/random.ts'
import { openPeopled } from './peopled.ts'

// The supply is always 2^128 - 1 raw, whatever blocks are published in whatever order.
test('300 random operations neither make nor lose a raw', async (t) => {
  await repeat(1, async (random) => {
    const { node, file } = await openPeopled(t)
    const people = Array.from({ length: 6 }, (_, index) => new Signer(index + 1))
    const counts: Record<string, number> = {}
    const late: StateBlock[] = []
    for (let done = 0, tried = 0; done < 300; tried++) {
      assert.ok(tried < 3000, 'there is something to do')
      const name = random.pick(OPERATION_NAMES)
      if (!(await OPERATIONS[name](node, random, people, late))) continue
      counts[name] = (counts[name] ?? 0) + 1
      if (++done % 50 === 0) assertConsistent(dumpLedger(file))
    }
    await node.release()
    for (const block of late) await node.process(block)
    const dump = dumpLedger(file)
    assertConsistent(dump)
    assert.equal(dump.totals[0]!.blocks, dump.totals[0]!.cemented)
    t.diagnostic(`operations done: ${JSON.stringify(counts)}, blocks: ${dump.blocks.length}`)
    for (const name of OPERATION_NAMES) assert.ok(counts[name], `no ${name} in 300 operations`)
  })
})

type Operation = (
  node: Devnet['node'],
  random: SeededRandom,
  people: Signer[],
  late: StateBlock[],
) => Promise<boolean> | boolean

/** Each returns false if there was nothing to do. */
const OPERATIONS = {
  fund: async (node, random, people) => {
    await node.fund(random.pick(people).key, (random.bigint(100) + 1n) as Raw)
    return true
  },
  send: async (node, random, people) => {
    const block = randomSend(node, random, people)
    if (block) await publish(node, block)
    return block !== undefined
  },
  receive: async (node, random, people) => {
    const person = random.pick(people)
    const [entry] = node.ledger.store.receivableOf(person.key)
    if (!entry) return false
    await publish(node, person.receive(frontierOf(node, person.key), entry.hash, entry.amount))
    return true
  },
  change: async (node, random, people) => {
    const person = random.pick(people)
    const head = frontierOf(node, person.key)
    if (head.previous === ZERO_HASH) return false
    await publish(node, person.change(head, random.pick(people).key))
    return true
  },
  hold: (node) => {
    node.hold()
    return true
  },
  release: async (node, random) => {
    // Only now and then, so that there is something to drop.
    if (random.below(3) > 0) return false
    await node.release()
    return true
  },
  confirm: async (node, random) => {
    const waiting = node.ledger.listUnconfirmed()
    if (waiting.length === 0) return false
    await node.confirm(random.pick(waiting).hash)
    return true
  },
  drop: async (node, random) => {
    const waiting = node.ledger.listUnconfirmed()
    if (waiting.length === 0) return false
    await node.drop(random.pick(waiting).hash)
    return true
  },
  force: async (node, random, people) => {
    const person = random.pick(people)
    const { store } = node.ledger
    const head = store.findAccount(person.key)
    const block = head && store.findBlock(head.head)?.block
    if (block?.type !== 'state' || block.previous === ZERO_HASH) return false
    const previous = store.findBlock(block.previous)!
    if (previous.block.type !== 'state') return false
    await node.process(person.change(frontierAfter(previous.block), random.pick(people).key), { force: true })
    return true
  },
  /** A receive that arrives before its send. */
  overtake: async (node, random, people, late) => {
    const send = randomSend(node, random, people)
    const receiver = people.find(({ key }) => key === send?.link)
    if (!send || !receiver) return false
    const amount = frontierOf(node, send.account).balance - send.balance
    await node.process(receiver.receive(frontierOf(node, receiver.key), hashBlock(send), amount))
    late.push(send)
    return true
  },
  catchUp: async (node, _random, _people, late) => {
    const block = late.shift()
    if (block) await node.process(block)
    return block !== undefined
  },
} satisfies Record<string, Operation>
const OPERATION_NAMES = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]

function randomSend(node: Devnet['node'], random: SeededRandom, people: Signer[]): StateBlock | undefined {
  const person = random.pick(people)
  const head = frontierOf(node, person.key)
  if (head.balance === 0n) return undefined
  const amount = random.below(5) === 0 ? head.balance : (random.bigint(100) % head.balance) + 1n
  return person.send(head, random.pick(people).key, amount > head.balance ? head.balance : amount)
}

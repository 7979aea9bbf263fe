import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Announced } from '../../../kernel/feed/ledger-feed.ts'
import { ReceivedQueue } from './received-queue.ts'

const at = (address: string, hash: string, tries = 0): Announced => ({ address, hash, direction: 'received', tries })
const watcher = (accountId: string, address: string, events = ['*']) => ({
  accountId,
  endpointId: `we_${accountId}`,
  address,
  events,
})

/** New entries are queued for the account with which their name begins. */
function share(queue: ReceivedQueue): void {
  for (const [address, blocks] of queue.takeFresh(1_000_000)) {
    queue.place(address, blocks, [watcher(address.split(' ')[0]!, address)])
  }
}

test('a shop waited for its one payment until thousands of addresses of an exchange had been checked: accounts take turns', () => {
  const queue = new ReceivedQueue()
  for (let i = 0; i < 90_000; i++) queue.add(at(`exchange ${i}`, 'A'))
  share(queue)
  queue.add(at('shop 1', 'B'))
  queue.add(at('other 1', 'C'))
  share(queue)
  assert.deepEqual([...queue.take(4).keys()], ['exchange 0', 'shop 1', 'other 1', 'exchange 1'])
  let rest = 0
  while (!queue.isEmpty) rest += queue.take(1_000).size
  assert.equal(rest, 50_000 - 2, 'one account has at most half of what there is')
})

test('however full it is, each account has a few places', () => {
  const queue = new ReceivedQueue()
  for (let account = 0; account < 30; account++) {
    for (let i = 0; i < 20_000; i++) queue.add(at(`exchange${account} ${i}`, 'A'))
    share(queue)
  }
  for (let i = 0; i < 100; i++) queue.add(at(`shop ${i}`, 'B'))
  share(queue)
  const taken: string[] = []
  while (!queue.isEmpty) taken.push(...queue.take(1_000).keys())
  assert.equal(taken.filter((address) => address.startsWith('shop')).length, 50)
  assert.ok(taken.length < 110_000, `${taken.length}`)
})

test('a payment was given up after one look, because another block of its address had been looked for before: tries are of a block', () => {
  const queue = new ReceivedQueue()
  queue.add(at('shop 1', 'OLD', 19))
  queue.add(at('shop 1', 'NEW'))
  share(queue)
  queue.add(at('shop 1', 'LATER', 3))
  const blocks = [...queue.take(1).get('shop 1')!].map(([hash, [announced]]) => `${hash} ${announced!.tries}`)
  assert.deepEqual(blocks, ['OLD 19', 'NEW 0', 'LATER 3'])
})

test('an address that two accounts watch is looked at in the turn of the one with less to look at', () => {
  const queue = new ReceivedQueue()
  for (let i = 0; i < 100; i++) queue.add(at(`exchange ${i}`, 'A'))
  share(queue)
  queue.add({ ...at('shared', 'B'), direction: 'sent' })
  for (const [address, blocks] of queue.takeFresh(10)) {
    queue.place(address, blocks, [watcher('exchange', address), watcher('shop', address)])
  }
  assert.ok(queue.take(2).has('shared'))
})

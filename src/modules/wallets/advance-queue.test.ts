import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AdvanceQueue } from './advance-queue.ts'

const never = () => new Promise<void>(() => undefined)

test('of two clients who wait for one block, the second is notified though the first has gone', async () => {
  const line = new AdvanceQueue(never)
  const [first, second] = [line.watchBlock('wbl_1'), line.watchBlock('wbl_1')]
  const third = line.watchBlock('wbl_1')
  first.forget()
  line.reportBlock('wbl_1')
  await Promise.all([second.settled, third.settled])
})

test('one pass over a wallet at a time; all who ask meanwhile share the next', async () => {
  const ends: (() => void)[] = []
  const line = new AdvanceQueue(() => new Promise<void>((resolve) => ends.push(resolve)))
  const first = line.advance('wal_1')
  const [second, third] = [line.advance('wal_1'), line.advance('wal_1')]
  void line.advance('wal_2')
  assert.equal(ends.length, 2, 'another wallet waits for nobody')
  ends[0]!()
  await first
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(ends.length, 3)
  ends[2]!()
  await Promise.all([second, third])
})

test('a line that closes begins nothing more, and says so', async () => {
  const line = new AdvanceQueue(() => Promise.resolve())
  await line.close()
  await assert.rejects(line.advance('wal_1'), { code: 'wallet_busy' })
})

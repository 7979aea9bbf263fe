import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BatchWriter, LedgerClosed } from '../../src/devnet/writer.ts'
import { until } from '../support/until.ts'

/** A disk whose syncs end when the test says so. */
function slowDisk() {
  const syncs: { resolve: () => void; reject: (error: Error) => void }[] = []
  const commits: number[] = []
  let jobs = 0
  return {
    syncs,
    commits,
    count: () => jobs++,
    disk: {
      inTransaction(run: () => void) {
        const before = jobs
        run()
        commits.push(jobs - before)
      },
      sync: () => new Promise<void>((resolve, reject) => syncs.push({ resolve, reject })),
    },
  }
}

test('no block is acknowledged before it is on the disk, and blocks that arrive meanwhile share the next sync', async () => {
  const { disk, syncs, commits, count } = slowDisk()
  const writer = new BatchWriter(disk)
  const answered: string[] = []
  const submit = (name: string) => writer.submit(count).then(() => answered.push(name))
  const first = submit('first')
  await until(() => syncs.length === 1)
  const others = Promise.all(['second', 'third', 'fourth'].map(submit))
  // The first caller waits for its sync, and the others for their turn, however long the disk takes.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([answered, commits], [[], [1]])
  assert.ok(writer.syncing, 'who only reads can wait for it as well')

  syncs[0]!.resolve()
  await first
  await until(() => syncs.length === 2)
  assert.deepEqual([answered, commits], [['first'], [1, 3]])
  syncs[1]!.resolve()
  await others
  assert.deepEqual(answered, ['first', 'second', 'third', 'fourth'])
  assert.equal(writer.syncing, undefined)
})

test('where the disk is quick, blocks that come one after another share a commit all the same', async () => {
  const { disk, syncs, commits, count } = slowDisk()
  const writer = new BatchWriter(disk)
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const come = async () => {
    const answers = []
    for (let at = 0; at < 5; at++) {
      const next = turn()
      answers.push(writer.submit(count))
      await next
    }
    return answers
  }
  const answers = await come()
  await until(() => syncs.length === 1)
  assert.deepEqual(commits, [5])
  syncs[0]!.resolve()
  await Promise.all(answers)
})

test('a failed disk is not trusted again: waiting and later writers get the error', async () => {
  const { disk, syncs, commits, count } = slowDisk()
  const writer = new BatchWriter(disk)
  const first = writer.submit(count)
  await until(() => syncs.length === 1)
  const second = writer.submit(count)
  const failed = Promise.all([assert.rejects(first, /no space/), assert.rejects(second, /no space/)])
  syncs[0]!.reject(new Error('no space left on the disk'))
  await failed
  await assert.rejects(writer.submit(count), /no space/)
  await assert.rejects(async () => writer.syncing, /no space/)
  assert.deepEqual(commits, [1], 'nothing was written after it')
})

test('a closing ledger finishes what it has begun, and accepts nothing more', async () => {
  const { disk, syncs, count } = slowDisk()
  const writer = new BatchWriter(disk)
  const begun = writer.submit(count)
  await until(() => syncs.length === 1)
  const closed = writer.close()
  await assert.rejects(writer.submit(count), LedgerClosed)
  syncs[0]!.resolve()
  await begun
  await until(() => syncs.length === 2)
  syncs[1]!.resolve()
  await closed
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newHash } from '../../../test/support/random.ts'
import { turn, workFor } from '../../../test/support/scripted-engine.ts'
import { openFile } from '../../../test/support/sqlite-store.ts'
import { until } from '../../../test/support/until.ts'
import { WORK_THRESHOLDS, workValue } from '../../kernel/nano/work.ts'
import { type FoundWork, type WorkRequest } from '../../kernel/work-port.ts'
import { WorkGenerator } from './generator.ts'

const { send, receive } = WORK_THRESHOLDS.dev
const ACCOUNT = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'

function foundFor(root: string, threshold: bigint, below?: bigint): FoundWork {
  const work = workFor(root, threshold, below)
  return { work, value: workValue(root, work) }
}

async function openLocal(t: TestContext, precompute = true) {
  const { ctx, clock } = await openFile(t)
  const asked: WorkRequest[] = []
  const cancelled: string[] = []
  const searches = {
    engines: ['one'],
    async search(request: WorkRequest) {
      asked.push(request)
      return foundFor(request.root, request.threshold, request.threshold === receive ? send : undefined)
    },
    cancel(root: string) {
      cancelled.push(root)
      return true
    },
  }
  const open = () => new WorkGenerator({ searches, store: ctx, precompute })
  return { desk: open(), open, asked, cancelled, clock, ctx }
}

const ask = (root: string, threshold: bigint): WorkRequest => ({ root, threshold, class: 'interactive', payer: 'a' })

const confirmation = (hash: string, previous: string) =>
  ({ account: ACCOUNT, hash, amount: '1', block: { previous }, type: '', time: '' }) as const

test('found work is stored for a day, also across a restart', async (t) => {
  const { desk, open, asked, clock } = await openLocal(t)
  const root = newHash()
  const found = await desk.generate(ask(root, send))
  const known = { ...found, prepared: false }
  assert.deepEqual(await desk.find(root, send), known)
  assert.deepEqual(await desk.generate(ask(root, send)), known)
  assert.deepEqual(await open().find(root, send), known)
  assert.equal(asked.length, 1)
  clock.advance(24 * 3_600_000 + 1)
  assert.equal(await open().find(root, send), undefined)
})

test('work that is too weak is not served, and the stronger one takes its place', async (t) => {
  const { desk, open } = await openLocal(t)
  const root = newHash()
  await desk.generate(ask(root, receive))
  assert.equal(await desk.find(root, send), undefined)
  assert.equal(await open().find(root, send), undefined)
  const strong = await desk.generate(ask(root, send))
  assert.deepEqual(await open().find(root, receive), { ...strong, prepared: false })
})

test('a burst of blocks prepares only the last', async (t) => {
  const { desk, asked, clock } = await openLocal(t)
  const roots = [newHash(), newHash(), newHash()]
  for (const root of roots) {
    desk.prepare(ACCOUNT, root, send)
    clock.advance(500)
  }
  clock.advance(1_000)
  await until(() => asked.length > 0)
  assert.deepEqual([asked.length, asked[0]!.root, asked[0]!.class], [1, roots[2], 'precompute'])
  await until(async () => (await desk.find(roots[2]!, send)) !== undefined)
})

test('when an account has a new frontier, work for its old one is dropped or cancelled', async (t) => {
  const { desk, open, cancelled, clock, ctx } = await openLocal(t)
  const [old, next] = [newHash(), newHash()]
  desk.prepare(ACCOUNT, old, send)
  clock.advance(1_000)
  const stored = async () => (await ctx.db.selectFrom('works').select('root').execute()).map(({ root }) => root)
  await until(async () => (await stored()).includes(old))
  // Somebody else has published the next block; its confirmation shows that, even after a restart.
  const restarted = open()
  await restarted.start()
  restarted.note(confirmation(next, old), send)
  assert.deepEqual(cancelled, [old])
  clock.advance(1_000)
  await until(async () => (await stored()).join() === next)
  assert.ok(await restarted.find(next, send))
})

test('a confirmation of an older block changes nothing, and an account that left us a day ago is not followed', async (t) => {
  const { desk, asked, clock } = await openLocal(t)
  const root = newHash()
  desk.prepare(ACCOUNT, root, send)
  clock.advance(1_000)
  await until(() => asked.length === 1)
  desk.note(confirmation(newHash(), newHash()), send)
  clock.advance(1_000)
  await turn()
  assert.equal(asked.length, 1)
  clock.advance(24 * 3_600_000 + 1)
  desk.note(confirmation(newHash(), root), send)
  clock.advance(1_000)
  await turn()
  assert.equal(asked.length, 1)
})

test('work that another instance has prepared is not searched again', async (t) => {
  const { desk, cancelled } = await openLocal(t)
  const root = newHash()
  desk.prepare(ACCOUNT, root, send)
  desk.noteReady(root)
  assert.deepEqual(cancelled, [root])
})

test('stored work that is weaker than recorded is not served', async (t) => {
  const { desk, ctx } = await openLocal(t)
  const root = newHash()
  const work = { root, work: workFor(root, 0n, receive), value: 'ffffffffffffffff', account: null, prepared: 0 }
  const kept = { ...work, created_at: 1, expires_at: 2 ** 41 }
  await ctx.db.insertInto('works').values(kept).execute()
  assert.equal(await desk.find(root, send), undefined)
})

test('nothing is prepared where that is switched off', async (t) => {
  const { desk, asked, clock } = await openLocal(t, false)
  desk.prepare(ACCOUNT, newHash(), send)
  clock.advance(10_000)
  await turn()
  assert.deepEqual(asked, [])
})

test('work for a wallet that is found sooner than a row is written is not written', async (t) => {
  const { desk, open } = await openLocal(t)
  const [easy, hard] = [newHash(), newHash()]
  await desk.generate({ ...ask(easy, send), class: 'wallet' })
  assert.equal(await open().find(easy, receive), undefined)
  const strong = WORK_THRESHOLDS.dev.send + 0x003e_0000_0000_0000n
  await desk.generate({ ...ask(hard, strong), class: 'wallet' })
  assert.ok(await open().find(hard, strong), 'what takes longer is kept')
})

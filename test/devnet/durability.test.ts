import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { systemClock } from '../../src/infra/clock.ts'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import {
  type Frontier,
  NO_WORK,
  Signer,
  UNOPENED,
  frontierAfter,
  frontierOf,
  nano,
  openAccount,
  publish,
} from '../support/blocks.ts'
import { ledgerFile, openDevnet } from '../support/devnet.ts'
import { type LedgerDump, assertConsistent, dumpLedger } from '../support/ledger-file.ts'
import { type SeededRandom, repeat } from '../support/random.ts'
import { call } from '../support/rpc.ts'
import { type DevnetProcess, spawnDevnet } from '../support/spawn-devnet.ts'
import { isThorough } from '../support/thorough.ts'

const ROUNDS = isThorough ? 5 : 2

// Clients rely on acknowledged hashes: the block must survive any crash.
test('every acknowledged block survives a kill at a random moment under load, and the ledger stays whole', async (t) => {
  await repeat(1, async (random) => {
    const file = ledgerFile(t)
    const people = Array.from({ length: 12 }, (_, index) => new Signer(index + 1))
    const acknowledged = new Set<string>()
    let dump: LedgerDump | undefined
    for (let round = 0; round < ROUNDS; round++) {
      const ledger = await spawnDevnet(file, { anyWork: true })
      t.after(() => ledger.kill())
      const known = acknowledged.size
      const killAt = known + 10 + random.below(80)
      const acknowledge = (hash: string) => {
        acknowledged.add(hash)
        // At a random moment of the next batch, which the other clients fill: while it is validated, written or acknowledged.
        if (acknowledged.size === killAt) systemClock.after(random.below(40), () => void ledger.kill())
      }
      const cutOff = await Promise.all(
        people.map((person) =>
          publishUntilKilled(ledger, person, people, random, frontierIn(dump, person), acknowledge),
        ),
      )
      await ledger.kill()
      dump = dumpLedger(file)
      assertConsistent(dump)
      const present = new Set(dump.blocks.map(({ hash }) => hash))
      const lost = [...acknowledged].filter((hash) => !present.has(hash))
      assert.deepEqual(lost, [], `round ${round}`)
      const open = cutOff.filter((hash) => hash !== undefined)
      const kept = open.filter((hash) => present.has(hash)).length
      const counts = `${acknowledged.size - known} acknowledged and kept`
      t.diagnostic(`round ${round}: ${counts}, ${open.length} without an answer, of which ${kept} kept`)
    }

    const devnet = await openDevnet(t, { file, thresholds: NO_WORK })
    for (const hash of acknowledged) {
      assert.equal((await call(devnet.rpcUrl, 'block_info', { hash })).confirmed, 'true')
    }
    const { count, cemented } = await call(devnet.rpcUrl, 'block_count')
    assert.deepEqual([Number(count), Number(cemented)], [dump!.blocks.length, dump!.blocks.length])
    await openAccount(devnet.node, new Signer(99), nano(1))
    assertConsistent(dumpLedger(file))
  })
})

/** One account's activity: it receives, sends, and sometimes changes its representative. Returns the block whose result is unknown at the end. */
async function publishUntilKilled(
  { rpcUrl }: DevnetProcess,
  person: Signer,
  people: Signer[],
  random: SeededRandom,
  start: Frontier,
  acknowledge: (hash: string) => void,
): Promise<string | undefined> {
  let frontier = start
  let unanswered: string | undefined
  try {
    for (;;) {
      const request = { account: person.address, count: 1, threshold: '1' }
      const { blocks } = await call<{ blocks: Record<string, string> | '' }>(rpcUrl, 'receivable', request)
      const [waiting] = Object.entries(blocks)
      const block = nextBlock(person, people, random, frontier, waiting)
      unanswered = block && hashBlock(block)
      const answer = block
        ? await call(rpcUrl, 'process', { json_block: true, block: toBlockJson(block) })
        : await call(rpcUrl, 'devnet_fund', { account: person.address, amount_nano: '5' })
      assert.ok(answer.hash, answer.error)
      unanswered = undefined
      acknowledge(answer.hash)
      if (block) frontier = frontierAfter(block)
    }
  } catch (error) {
    // The connection broke, so the block may be on the ledger or not.
    if (error instanceof assert.AssertionError) throw error
    return unanswered
  }
}

function nextBlock(
  person: Signer,
  people: Signer[],
  random: SeededRandom,
  frontier: Frontier,
  waiting: [hash: string, amount: string] | undefined,
): StateBlock | undefined {
  if (waiting) return person.receive(frontier, waiting[0], BigInt(waiting[1]))
  if (frontier.balance < nano(1)) return undefined
  if (random.below(4) === 0) return person.change(frontier, random.pick(people).key)
  return person.send(frontier, random.pick(people).key, nano(1))
}

function frontierIn(dump: LedgerDump | undefined, { key }: Signer): Frontier {
  const row = dump?.accounts.find(({ account }) => account === key)
  if (!row) return UNOPENED
  return {
    previous: String(row.head),
    balance: BigInt(row.balance!),
    representative: String(row.representative),
  }
}

test('a ledger that is opened again has the same contents', async (t) => {
  const file = ledgerFile(t)
  const alice = new Signer(1)
  const first = await openDevnet(t, { file, thresholds: NO_WORK })
  await openAccount(first.node, alice, nano(10))
  await publish(first.node, alice.send(frontierOf(first.node, alice.key), new Signer(2).key, nano(3)))
  const asked = { account: alice.address, count: '10', raw: true }
  const history = await call(first.rpcUrl, 'account_history', asked)
  await first.close()

  const before = dumpLedger(file)
  const second = await openDevnet(t, { file, thresholds: NO_WORK })
  assert.deepEqual(dumpLedger(file), before)
  assert.deepEqual(await call(second.rpcUrl, 'account_history', asked), history)
  await publish(second.node, alice.change(frontierOf(second.node, alice.key), new Signer(2).key))
  assertConsistent(dumpLedger(file))
})

test('blocks that were unconfirmed when the ledger closed are confirmed when it opens', async (t) => {
  const file = ledgerFile(t)
  const alice = new Signer(1)
  const first = await openDevnet(t, { file, thresholds: NO_WORK })
  first.node.hold()
  await openAccount(first.node, alice, nano(10))
  await first.close()
  const second = await openDevnet(t, { file, thresholds: NO_WORK })
  assert.equal((await call(second.rpcUrl, 'account_balance', { account: alice.address })).balance, `${nano(10)}`)
  assertConsistent(dumpLedger(file))
})

test('blocks that were accepted before close are on the disk after it, and nothing reaches for the file any more', async (t) => {
  const file = ledgerFile(t)
  const failures: unknown[] = []
  const devnet = await openDevnet(t, { file, thresholds: NO_WORK, onFailure: (error) => failures.push(error) })
  const alice = new Signer(1)
  await openAccount(devnet.node, alice, nano(1))
  const blocks: StateBlock[] = []
  for (
    let frontier = frontierOf(devnet.node, alice.key);
    blocks.length < 150;
    frontier = frontierAfter(blocks.at(-1)!)
  ) {
    blocks.push(alice.change(frontier, new Signer(blocks.length % 2).key))
  }
  // More blocks than one batch of the writer, and none is awaited before the close.
  const processed = Promise.all(blocks.map((block) => devnet.node.process(block)))
  await devnet.close()
  const present = new Set(dumpLedger(file).blocks.map(({ hash }) => hash))
  assert.deepEqual(
    (await processed).filter((result) => 'refused' in result || !present.has(result.hash)),
    [],
  )
  assert.equal(present.size, 155)
  // Elections that end while the ledger closes must not fail to be written.
  assert.deepEqual(failures, [])
})

test('a file of a newer version is refused and left as it is', async (t) => {
  const file = ledgerFile(t)
  const db = new DatabaseSync(file)
  db.exec('create table future (x); pragma user_version = 2')
  db.close()
  await assert.rejects(openDevnet(t, { file }), { message: /written by a newer nano-gateway/ })
  const again = new DatabaseSync(file)
  assert.deepEqual(
    { ...again.prepare('select group_concat(name) as names from sqlite_schema').get() },
    { names: 'future' },
  )
  again.close()
})

test('a second gateway started in the same folder is refused, says why, and the first goes on', async (t) => {
  const file = ledgerFile(t)
  const devnet = await openDevnet(t, { file })
  await assert.rejects(openDevnet(t, { file }), { message: /is in use by another process\. .*DATA_DIR, PORT/ })
  assert.equal((await call(devnet.rpcUrl, 'version')).rpc_version, '1')
  await devnet.close()
  const next = await openDevnet(t, { file })
  assert.equal((await call(next.rpcUrl, 'version')).rpc_version, '1')
})

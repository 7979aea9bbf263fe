/*
 * Measures the development ledger: signed blocks a second over HTTP, each acknowledged after the disk write, next to a baseline of the same run; its
 * memory afterwards; and how long it takes to open a large ledger.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LedgerStore } from '../src/devnet/store.ts'
import { startDevnet } from '../src/devnet/index.ts'
import { systemClock } from '../src/infra/clock.ts'
import { systemRandom } from '../src/infra/random.ts'
import { useFastestCurve } from '../src/infra/sodium-curve.ts'
import { type StateBlock, ZERO_HASH, hashBlock, toBlockJson } from '../src/kernel/nano/block.ts'
import { signHash, verifyHash } from '../src/kernel/nano/keys.ts'
import { Signer, UNOPENED, frontierAfter, nano } from '../test/support/blocks.ts'
import { type LedgerProcess, startLedger } from './cost/ledger-process.ts'
import { type Asker, startAsker } from './kit/helpers.ts'
import { writeRequests } from './kit/load.ts'
import type { Options } from './kit/options.ts'
import { type Report, show, toTable } from './kit/report.ts'
import { familyMicroseconds } from './kit/machine.ts'
import { Bench, buildGateway, freePort, untilAnswers } from './kit/servers.ts'

const SIGNERS = 128
/** That many requests share a disk write; each signer has at most one block in flight. */
const CONNECTIONS = 64

export async function benchLedger(options: Options): Promise<Report> {
  useFastestCurve()
  buildGateway()
  await using bench = new Bench()
  using asker = startAsker()
  const ledger = await startLedger(bench, ['--work', 'none'])
  const turns = options.long ? 6 : 3
  const eachTurn = options.long ? 80 : 20
  const list = await writeBlocks(bench, ledger, eachTurn * (turns + 1))
  const count = SIGNERS * eachTurn
  const checker = await startChecker(bench)
  const best = {
    rate: 0,
    processor: Infinity,
    least: Infinity,
    leastRate: 0,
    check: Infinity,
    insert: Infinity,
    insertRate: 0,
  }
  for (let turn = 0; turn <= turns; turn++) {
    const { rate, processor } = await takeTurn(ledger, asker, { list, from: turn * count, count })
    // The first turn is warm-up.
    if (turn === 0) continue
    const least = await takeTurn(checker, asker, { list, from: turn * count, count })
    best.least = Math.min(best.least, least.processor)
    best.leastRate = Math.max(best.leastRate, least.rate)
    const insert = bareInserts(join(bench.folder, `bare-${turn}.db`), options.long ? 300 : 100)
    best.rate = Math.max(best.rate, rate)
    best.processor = Math.min(best.processor, processor)
    best.check = Math.min(best.check, bareChecks())
    best.insert = Math.min(best.insert, insert.processor)
    best.insertRate = Math.max(best.insertRate, insert.rate)
  }
  const memory = ledger.megabytes()
  await ledger.end()
  const opened = await openLarge(join(bench.folder, 'large.db'), options.rows)
  const checkRate = 1_000_000 / best.check
  const rows = [
    ['signed blocks a second, over HTTP and durable', show(best.rate), '3,000'],
    ['processor time of one, µs', show(best.processor), '333'],
    ['blocks for each second of processor time', show(1_000_000 / best.processor), '3,000'],
    ['a check and an answer on a connection of its own, a second', show(best.leastRate), '–'],
    ['processor time of that, µs', show(best.least), '–'],
    ['bare signature checks a second', show(checkRate), '–'],
    ['blocks for each check', (best.rate / checkRate).toFixed(2), '–'],
    ['bare durable inserts a second, one by one', show(best.insertRate), '–'],
    ['blocks for each insert', (best.rate / best.insertRate).toFixed(2), '–'],
    ['processor time against one check and one insert', (best.processor / (best.check + best.insert)).toFixed(2), '–'],
    [`resident after ${show(count * (turns + 1))} blocks, MB`, show(memory), '–'],
    [`opening ${show(options.rows)} blocks, ms`, opened.toFixed(1), '50'],
  ]
  return {
    tables: [toTable(['development ledger', 'measured', 'goal'], rows)],
    figures: { blockRate: best.rate, blockProcessor: best.processor, openMilliseconds: opened, megabytes: memory },
  }
}

/** Blocks of chains that only pay each other, in rounds, so that no block overtakes its predecessor. */
async function writeBlocks(bench: Bench, ledger: LedgerProcess, length: number): Promise<string> {
  const chains: StateBlock[][] = []
  for (let at = 0; at < SIGNERS; at++) {
    const signer = new Signer(at)
    const blocks = [signer.receive(UNOPENED, await ledger.fund(signer.address, '10'), nano(10))]
    while (blocks.length < length) {
      const send = signer.send(frontierAfter(blocks.at(-1)!), signer.key, nano(1))
      blocks.push(send, signer.receive(frontierAfter(send), hashBlock(send), nano(1)))
    }
    chains.push(blocks)
  }
  const rounds = Array.from({ length }, (_, at) => chains.map((blocks) => blocks[at]!))
  const toRequest = (block: StateBlock) => ({
    body: { action: 'process', json_block: true, block: toBlockJson(block) },
  })
  return writeRequests(bench.folder, 'blocks', rounds.flat().map(toRequest))
}

async function takeTurn(
  ledger: Pick<LedgerProcess, 'port' | 'spent'>,
  asker: Asker,
  turn: { list: string; from: number; count: number },
): Promise<{ rate: number; processor: number }> {
  const before = ledger.spent()
  const { bodies, seconds } = await asker.ask({ port: ledger.port, ...turn, connections: CONNECTIONS, keep: true })
  const refused = bodies.find((body) => body.includes('"error"'))
  if (refused !== undefined) throw new Error(`A block was refused: ${refused}`)
  return { rate: turn.count / seconds, processor: (ledger.spent() - before) / turn.count }
}

/** Baseline: a server that checks the signature of each block and stores nothing. */
async function startChecker(bench: Bench): Promise<Pick<LedgerProcess, 'port' | 'spent'>> {
  const port = await freePort()
  const child = bench.spawn('checker', ['--import', 'tsx', 'bench/kit/bare.ts', 'checker', String(port)])
  await untilAnswers(port, child)
  return { port, spent: () => familyMicroseconds(child.pid!) }
}

/** Processor time of one signature check by the ledger's library, in microseconds. */
function bareChecks(times = 1_000): number {
  const signer = new Signer(1)
  const hash = 'A'.repeat(64)
  const signature = signHash(signer.privateKey, hash)
  const before = process.cpuUsage()
  for (let at = 0; at < times; at++) verifyHash(signer.key, hash, signature)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

/** Baseline: one row per transaction, with one sync each. */
function bareInserts(file: string, times: number): { rate: number; processor: number } {
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; pragma synchronous = full; create table bare (id integer primary key, text text)')
  const insert = db.prepare('insert into bare (text) values (?)')
  const [began, before] = [performance.now(), process.cpuUsage()]
  for (let at = 0; at < times; at++) insert.run('x'.repeat(700))
  const { user, system } = process.cpuUsage(before)
  const rate = times / ((performance.now() - began) / 1_000)
  db.close()
  return { rate, processor: (user + system) / times }
}

/** Milliseconds until a ledger listens, started on a file with that many made-up blocks. */
async function openLarge(file: string, blocks: number): Promise<number> {
  const options = { file, clock: systemClock, random: systemRandom }
  await (await startDevnet(options)).close()
  new LedgerStore(file).close()
  const db = new DatabaseSync(file)
  db.exec(`
    pragma synchronous = off; pragma cache_size = -200000;
    begin;
    insert into blocks
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${blocks})
      select null, hex(randomblob(32)), printf('%064X', i % 100000 + 1),
        json_object('type', 'state', 'signature', hex(randomblob(64)), 'previous', hex(randomblob(32))),
        hex(randomblob(32)), '1', '1', iif(i % 2, 'send', 'receive'), i / 100000 + 1, 2, 1700000000, '${ZERO_HASH}' from n;
    insert into accounts select account, hash, hash, account, '1', timestamp, height, 2, height, hash
      from blocks where height = 1 and length(account) = 64 and account like '000%';
    update totals set blocks = blocks + ${blocks};
    commit;`)
  db.close()
  let best = Infinity
  for (let turn = 0; turn < 7; turn++) {
    const began = performance.now()
    const devnet = await startDevnet(options)
    best = Math.min(best, performance.now() - began)
    await devnet.close()
  }
  return best
}

/*
 * Measures the development ledger at 100,000 blocks: how long it takes to open, how many blocks it takes per second and how
 * many reads it answers. Run it as `npm run bench -- devnet`; it needs about a minute and cleans up after itself.
 *
 * The 100,000 blocks are filler: chains with real hashes, links, balances and weights, written straight into the file
 * without signatures and work, because signing and checking that many takes minutes. Blocks that are measured are real:
 * signed, worked for the thresholds of the development network and judged by the ledger, over HTTP from another process.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '../src/devnet/index.ts'
import { Ledger } from '../src/devnet/ledger.ts'
import { answerBody } from '../src/devnet/server.ts'
import { LedgerStore, type Subtype } from '../src/devnet/store.ts'
import { systemClock } from '../src/infra/clock.ts'
import { systemRandom } from '../src/infra/random.ts'
import type { Raw } from '../src/kernel/money.ts'
import { type PublicKey, toAddress } from '../src/kernel/nano/address.ts'
import { type StateBlock, ZERO_HASH, hashBlock, toBlockJson } from '../src/kernel/nano/block.ts'
import { DEV_NETWORK } from '../src/kernel/nano/network.ts'
import { WORK_THRESHOLDS } from '../src/kernel/nano/work.ts'
import { Signer, UNOPENED, frontierAfter, nano } from '../test/support/blocks.ts'
import { assertConsistent, dumpLedger } from '../test/support/ledger-file.ts'
import { SeededRandom } from '../test/support/random.ts'
import { call, post } from '../test/support/rpc.ts'
import { spawnDevnet } from '../test/support/spawn-devnet.ts'

/** Each account has its chain and a send on the genesis chain: 100,000 blocks, after the three that begin the ledger. */
const ACCOUNTS = 1000
const CHAIN_LENGTH = 99
const CONCURRENCY = 32
const PAIRS_PER_SIGNER = 32
const READS_HTTP = 4000
const READS_IN_PROCESS = 20_000

const fillerKey = (index: number): PublicKey => `F${index.toString(16).toUpperCase().padStart(63, '0')}`
const results: [what: string, figure: string][] = []

function progress(text: string): void {
  console.log(`  ${text}`)
}

async function seconds(run: () => Promise<unknown> | void): Promise<number> {
  const started = performance.now()
  await run()
  return (performance.now() - started) / 1000
}

/** Fills a file the way the ledger itself would have, but for signatures and work; returns every hash. */
function fillLedger(file: string): string[] {
  const store = new LedgerStore(file)
  const hashes: string[] = []
  try {
    const ledger = new Ledger(store, systemClock, WORK_THRESHOLDS.dev)
    const timestamp = Math.floor(systemClock.now() / 1000)
    const append = (chain: Chain, link: string, balance: bigint, subtype: Subtype): string => {
      const { account, representative } = chain
      const block: StateBlock = {
        type: 'state',
        account,
        previous: chain.head,
        representative,
        balance: balance as Raw,
        link,
        signature: '0'.repeat(128),
        work: '0'.repeat(16),
      }
      const hash = hashBlock(block)
      const change = balance - chain.balance
      const amount = (change < 0n ? -change : change) as Raw
      store.insertBlock(
        { hash, block, account, balance: block.balance, amount, subtype, height: ++chain.height, epoch: 2, timestamp },
        chain.head,
        ZERO_HASH,
      )
      Object.assign(chain, { head: hash, balance, open: chain.open ?? hash })
      hashes.push(hash)
      return hash
    }
    const save = ({ account, representative, head, balance, height, open }: Chain, confirmedBefore: number) => {
      store.putAccount({
        account,
        head,
        openBlock: open!,
        representative,
        balance: balance as Raw,
        modifiedAt: timestamp,
        blockCount: height,
        epoch: 2,
        confirmedHeight: confirmedBefore,
        confirmedFrontier: ZERO_HASH,
      })
      store.markConfirmed(account, height, head, height - confirmedBefore)
    }

    const record = ledger.store.findAccount(DEV_NETWORK.genesisAccount)!
    const genesis: Chain = { ...record, height: record.blockCount, open: record.openBlock }
    for (let first = 0; first < ACCOUNTS; first += 100) {
      store.inTransaction(() => {
        const confirmed = genesis.height
        for (let index = first; index < first + 100; index++) {
          const account = fillerKey(index)
          const representative = fillerKey(index % 50)
          const chain: Chain = { account, representative, head: ZERO_HASH, balance: 0n, height: 0, open: undefined }
          const funded = append(genesis, account, genesis.balance - nano(100), 'send')
          append(chain, funded, nano(100), 'receive')
          while (chain.height < CHAIN_LENGTH) {
            const sent = append(chain, account, chain.balance - nano(1), 'send')
            append(chain, sent, chain.balance + nano(1), 'receive')
          }
          save(chain, 0)
          store.addWeight(genesis.representative, -chain.balance)
          store.addWeight(representative, chain.balance)
        }
        save(genesis, confirmed)
      })
      if ((first + 100) % 200 === 0) progress(`${store.totals().blocks} blocks`)
    }
  } finally {
    store.close()
  }
  assertConsistent(dumpLedger(file))
  return hashes
}

interface Chain {
  account: PublicKey
  representative: PublicKey
  head: string
  balance: bigint
  height: number
  open: string | undefined
}

async function measureRestart(file: string): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const started = performance.now()
    const devnet = await startDevnet({ file, clock: systemClock, random: systemRandom })
    times.push(performance.now() - started)
    await devnet.close()
  }
  const [median] = times.sort((a, b) => a - b).slice(2)
  results.push(['restart at 100,000 blocks, median of 5', `${median!.toFixed(0)} ms`])
}

/** Runs what is in the queue with a bounded number at a time; returns how many finished per second. */
async function perSecond<T>(jobs: Iterable<T>, run: (job: T) => Promise<unknown>): Promise<number> {
  const queue = [...jobs]
  const remaining = queue.values()
  const took = await seconds(() =>
    Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (const job of remaining) await run(job)
      }),
    ),
  )
  return queue.length / took
}

/** Each signer opens an account and pays itself back and forth; no chain waits for another. */
async function signChains(rpcUrl: string): Promise<string[][]> {
  const signers = Array.from({ length: CONCURRENCY }, (_, index) => new Signer(index, WORK_THRESHOLDS.dev))
  const chains: string[][] = []
  for (const signer of signers) {
    const { hash } = await call(rpcUrl, 'devnet_fund', { account: signer.address, amount_nano: '10' })
    const blocks = [signer.receive(UNOPENED, hash!, nano(10))]
    for (let pair = 0; pair < PAIRS_PER_SIGNER; pair++) {
      const send = signer.send(frontierAfter(blocks.at(-1)!), signer.key, nano(1))
      blocks.push(send, signer.receive(frontierAfter(send), hashBlock(send), nano(1)))
    }
    chains.push(
      blocks.map((block) => JSON.stringify({ action: 'process', json_block: true, block: toBlockJson(block) })),
    )
    if (chains.length % 8 === 0) progress(`${chains.flat().length} blocks signed`)
  }
  return chains
}

async function measureProcess(rpcUrl: string): Promise<void> {
  const chains = await signChains(rpcUrl)
  const took = await seconds(() =>
    Promise.all(
      chains.map(async (bodies) => {
        for (const body of bodies) {
          const { text } = await post(rpcUrl, body)
          if (!text.includes('"hash"')) throw new Error(`A block was refused: ${text}`)
        }
      }),
    ),
  )
  const count = chains.flat().length
  results.push([`process over HTTP, ${count} signed blocks`, `${(count / took).toFixed(0)} blocks/s`])
}

/** The same requests for everybody, from a fixed seed. */
function readRequests(hashes: string[]): Record<string, (random: SeededRandom) => string> {
  const addresses = Array.from({ length: ACCOUNTS }, (_, index) => toAddress(fillerKey(index)))
  const about = (action: string, more: object = {}) => {
    return (random: SeededRandom) => JSON.stringify({ action, account: random.pick(addresses), ...more })
  }
  return {
    account_balance: about('account_balance'),
    account_info: about('account_info', { representative: true, weight: true, receivable: true }),
    'account_history, 10': about('account_history', { count: 10 }),
    block_info: (random) => JSON.stringify({ action: 'block_info', json_block: true, hash: random.pick(hashes) }),
  }
}

function draw(count: number, make: (random: SeededRandom) => string): string[] {
  const random = new SeededRandom(1)
  return Array.from({ length: count }, () => make(random))
}

async function measureReads(
  hashes: string[],
  column: string,
  count: number,
  answer: (body: string) => Promise<string>,
) {
  for (const [name, make] of Object.entries(readRequests(hashes))) {
    const ask = async (body: string) => {
      const text = await answer(body)
      if (text.includes('"error"')) throw new Error(`${body} was refused: ${text}`)
    }
    const bodies = draw(count, make)
    // The first answers come from code that is not compiled yet.
    await perSecond(bodies.slice(0, count / 8), ask)
    const rate = await perSecond(bodies, ask)
    results.push([`${name} ${column}`, `${rate.toFixed(0)} answers/s`])
    progress(`${name} ${column} measured`)
  }
}

const folder = mkdtempSync(join(tmpdir(), 'devnet-bench-'))
try {
  const file = join(folder, 'ledger.db')
  console.log('Filling a ledger')
  let hashes: string[] = []
  const took = await seconds(() => {
    hashes = fillLedger(file)
  })
  progress(`${hashes.length} blocks in ${took.toFixed(1)} s`)
  await measureRestart(file)

  console.log('Measuring over HTTP; as with the node, each request takes a connection of its own')
  const ledger = await spawnDevnet(file)
  try {
    await measureReads(hashes, 'over HTTP', READS_HTTP, async (body) => (await post(ledger.rpcUrl, body)).text)
    await measureProcess(ledger.rpcUrl)
  } finally {
    await ledger.kill()
  }

  console.log('Measuring in the process, without HTTP')
  const devnet = await startDevnet({ file, clock: systemClock, random: systemRandom })
  try {
    await measureReads(hashes, 'in the process', READS_IN_PROCESS, (body) => answerBody(devnet.node, body, true))
  } finally {
    await devnet.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

console.log(`\n${CONCURRENCY} at a time, one process for the ledger, one for the client`)
const width = Math.max(...results.map(([what]) => what.length))
for (const [what, figure] of results) console.log(`${what.padEnd(width)}  ${figure.padStart(18)}`)

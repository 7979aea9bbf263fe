import { OPERATOR } from '../../src/kernel/actor.ts'
import type { TestContext } from 'node:test'
import { believeOne } from '../../src/kernel/agreed-read.ts'
import { setImmediate } from 'node:timers/promises'
import { type Config, loadConfig } from '../../src/config/config.ts'
import type { Devnet, LedgerNode } from '../../src/devnet/index.ts'
import { answerBody } from '../../src/devnet/server.ts'
import { LocalNotices } from '../../src/infra/db/notices.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { BlockReader } from '../../src/infra/node/block-reader.ts'
import { openIds } from '../../src/infra/random.ts'
import type { Ctx } from '../../src/kernel/ctx.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { AppError, LedgerRefusal, noNode } from '../../src/kernel/errors.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import type { Raw } from '../../src/kernel/money.ts'
import { fromAddress, toAddress } from '../../src/kernel/nano/address.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import {
  type Confirmation,
  type ConfirmationBus,
  type NodeAnswer,
  type NodePort,
  type Random,
} from '../../src/kernel/ports.ts'
import { type WorkPort } from '../../src/kernel/work-port.ts'
import type { Db } from '../../src/kernel/db.ts'
import { createAccount } from '../../src/modules/accounts/index.ts'
import { type AskLedger, type WalletContext, createWallet } from '../../src/modules/wallets/index.ts'
import { NO_WORK, fundsOf } from './blocks.ts'
import { TestClock } from './clock.ts'
import { openDevnet } from './devnet.ts'
import { emptyUrl } from './empty-store.ts'
import { Faults } from './faults.ts'
import { openLastingStore } from './mortal-store.ts'
import { receiveFailures } from './failures.ts'
import { type ProcessNeeds, type ProcessWallets, openProcessContext } from './open-wallets.ts'

/** The default master key. */
export const MASTER_KEY = { id: 'test', key: new Uint8Array(Buffer.alloc(32, 'wallet master key!')) }
const SEALED_BY = `test:${Buffer.from(MASTER_KEY.key).toString('base64')}`

/** After this many checks without activity, everything pending waits for the clock. */
const IDLE_TICKS = 20
const LOOK_EVERY = 200

/** Faults of the connection to the ledger. */
export type Trouble =
  | 'none'
  | 'no reply'
  | 'request lost'
  | 'reply lost'
  | 'blocks lost'
  | 'blocks refused'
  | 'node behind'
  | 'no balance shown'

/** One process with wallets. It may die; the store and the ledger stay. */
export interface Instance {
  faults: Faults
  ctx: WalletContext & Pick<Ctx, 'charged'>
  wallets: ProcessWallets
  /** Runs the jobs once, as the runner would. */
  settle(): Promise<void>
  look(): Promise<void>
}

export interface WalletWorld {
  clock: TestClock
  ledger: LedgerNode
  devnet: Devnet
  /** A view of the store that never fails. */
  db: Db
  accountId: string
  ctx: StoreCtx
  /** Confirmations of the ledger that were not delivered yet. */
  told: Confirmation[]
  /** Drawn for every call to the ledger. */
  trouble: () => Trouble
  alarms: string[]
  /** Errors with which nodes refused blocks. */
  refusals: string[]
  /** A new process on the same store. */
  start(): Promise<Instance>
  hear(confirmation: Confirmation): void
  /** Awaits an operation and advances the clock whenever nothing else is pending. */
  finish<T>(operation: Promise<T>): Promise<T>
  create(
    instance: Instance,
    terms?: { refundAddress?: string | string[]; lifetimeMilliseconds?: number },
  ): Promise<string>
  /** A confirmed deposit. */
  deposit(address: string, amount: Raw): Promise<string>
  /** An address's balance plus everything receivable. */
  fundsOf(address: string): bigint
}

export interface WorldOptions {
  /** With `memory` the order of events is deterministic. */
  engine?: StoreEngine | 'memory'
  random: Random
  env?: Record<string, string>
  /** The nodes of each process; by default one with the ledger. */
  openNodes?: (ledger: LedgerNode, faults: Faults) => Pick<ProcessNeeds, 'node' | 'askAllNodes'>
}

/** Calls the ledger of a world as a command does. */
export const askOf =
  ({ ledger }: Pick<WalletWorld, 'ledger'>): AskLedger =>
  async (action, fields) =>
    JSON.parse(await answerBody(ledger, JSON.stringify({ action, ...fields }), false)) as unknown

/** Wallets on a real store and a real ledger, in processes that may die; without work, and with a test clock. */
export async function openWalletWorld(
  t: TestContext,
  { engine = 'sqlite', random, env, openNodes }: WorldOptions,
): Promise<WalletWorld> {
  const clock = new TestClock()
  // Tests draw when a block is confirmed (`hold`) and when the confirmation is delivered (`told`).
  const devnet = await openDevnet(t, { clock, random, thresholds: NO_WORK, confirmAfterMilliseconds: 0 })
  const ledger = devnet.node
  const lasting = await openLastingStore(engine === 'memory' ? 'memory:' : await emptyUrl(t, engine))
  t.after(() => lasting.close())
  const ids = openIds(random)
  const storeOf = (faults: Faults): StoreCtx => ({
    db: lasting.openFor(faults),
    clock,
    ids,
    random,
    wakeJobs: () => undefined,
    notifyAccount: () => undefined,
    failures: receiveFailures(),
  })
  const storeCtx = storeOf(new Faults())
  const { db } = storeCtx
  const { id: accountId } = await createAccount(storeCtx, { email: null, role: 'user', actor: OPERATOR })
  const config: Config = loadConfig({ WALLET_KEYS: SEALED_BY, WALLET_RECEIVE_MIN_NANO: '0', ...env })
  const processes: Faults[] = []
  const listeners = new Set<(confirmation: Confirmation) => void>()
  const bus: ConfirmationBus = {
    connected: true,
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    watch: () => () => undefined,
    onGap: () => undefined,
  }
  const world: WalletWorld = {
    clock,
    ledger,
    devnet,
    db,
    accountId,
    ctx: storeCtx,
    told: [],
    trouble: () => 'none',
    alarms: [],
    refusals: [],
    hear: (confirmation) => {
      for (const listener of listeners) listener(confirmation)
    },
    start: async () => {
      const faults = new Faults()
      processes.push(faults)
      const store = storeOf(faults)
      // A dead process receives nothing.
      listeners.clear()
      const wallets = await openProcessContext(config, {
        store,
        ...(openNodes?.(ledger, faults) ?? { node: ledgerPort(ledger, faults, () => world.trouble()) }),
        work: anyWork(faults),
        notices: new LocalNotices(receiveFailures()),
        confirmations: bus,
        alarm: (kind, { reason }) => void world.alarms.push(`${kind}: ${reason}`),
        onRefusal: ({ words }) => void world.refusals.push(words),
      })
      await wallets.start()
      const [settle, look] = wallets.jobs
      const { signal } = new AbortController()
      return {
        faults,
        ctx: { ...wallets.context, charged: (_meter, run) => run(0) },
        wallets,
        settle: () => settle!.run({}, signal),
        look: () => look!.run({}, signal),
      }
    },
    finish: async (operation) => {
      const ended = { is: false }
      const end = () => {
        ended.is = true
      }
      operation.then(end, end)
      let idle = 0
      while (!ended.is) {
        await setImmediate()
        idle = processes.some(({ pending }) => pending > 0) ? 0 : idle + 1
        if (idle < IDLE_TICKS) continue
        clock.advance(LOOK_EVERY)
        idle = 0
      }
      return operation
    },
    create: async ({ ctx }, terms = {}) => {
      const lifetimeMilliseconds = terms.lifetimeMilliseconds ?? 90 * 86_400_000
      const wallet = await createWallet(ctx, {
        accountId,
        actor: OPERATOR,
        purpose: 'cloud',
        ...terms,
        lifetimeMilliseconds,
      })
      return wallet.address
    },
    deposit: (address, amount) => ledger.fund(fromAddress(address)!, amount),
    fundsOf: (address) => fundsOf(ledger, address),
  }
  ledger.listen((event) => {
    if (event.kind !== 'confirmed' || event.stored.block.type !== 'state') return
    const { hash, account, amount, subtype, block } = event.stored
    world.told.push({
      hash,
      account: toAddress(account),
      amount: amount.toString(),
      block: { ...toBlockJson(block), subtype: subtype ?? '' },
      type: event.type,
      time: String(clock.now()),
    })
  })
  return world
}

/** The ledger behind a connection that loses requests and replies. */
function ledgerPort(ledger: LedgerNode, faults: Faults, trouble: () => Trouble): NodePort {
  const call = (body: object, publishes = false): Promise<NodeAnswer> => {
    const wrong = trouble()
    // The request times out, by the test clock.
    if (wrong === 'no reply') return new Promise(() => undefined)
    return faults.call(async (): Promise<NodeAnswer> => {
      if (wrong === 'request lost' || (wrong === 'blocks lost' && publishes)) throw noNode()
      if (wrong === 'blocks refused' && publishes) throw new LedgerRefusal('Bad signature')
      const answer = JSON.parse(await answerBody(ledger, JSON.stringify(body), false)) as NodeAnswer
      if (wrong === 'reply lost') throw new AppError('publish_unknown', 'The reply was lost.')
      // Another node answers that does not know the account yet.
      if (wrong === 'no balance shown' && 'balance' in answer && 'receivable' in answer) {
        return { ...answer, balance: '0', receivable: '0' }
      }
      if (typeof answer.error === 'string') throw new LedgerRefusal(answer.error)
      return answer
    })
  }
  const accounts = new Map<string, NodeAnswer[]>()
  /** Another node answers that does not have the latest block yet. */
  const readAccount = async (account: string, body: object): Promise<NodeAnswer> => {
    const answer = await call(body)
    const known = accounts.get(account) ?? []
    if (known.at(-1)?.frontier !== answer.frontier) accounts.set(account, [...known, answer])
    return trouble() === 'node behind'
      ? (known.findLast(({ frontier }) => frontier !== answer.frontier) ?? answer)
      : answer
  }
  const read: NodePort['read'] = (action, params) => {
    const texts = Object.entries(params).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)])
    const body = { action, ...(Object.fromEntries(texts) as object) }
    return action === 'account_info' ? readAccount(String(params.account), body) : call(body)
  }
  const reader = new BlockReader({
    pool: { order: () => [], upstreams: [], leastWork: 0n },
    clock: systemClock,
    rules: { nodes: 1, above: [], alone: 'wait', waitMilliseconds: 10_000 },
    read,
    ask: (_, action, params) => read(action, params),
    onDisagreement: () => undefined,
  })
  return {
    read,
    readBlocks: (hashes) => reader.readBlocks(hashes),
    readSends: (hashes, previous = []) => reader.readSends(hashes, previous),
    readAgreed: believeOne(read),
    publish: async (block) => {
      const { hash } = await call({ action: 'process', json_block: 'true', block: toBlockJson(block) }, true)
      return String(hash)
    },
  }
}

function anyWork(faults: Faults): WorkPort {
  const found = { work: '0'.repeat(16), value: 0n }
  return {
    offered: true,
    find: () => undefined,
    generate: () => faults.call(() => Promise.resolve(found)),
    cancel: () => false,
    prepare: () => undefined,
    markAsked: () => Promise.resolve(),
  }
}

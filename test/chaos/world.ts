import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/infra/clock.ts'
import type { Store } from '../../src/infra/db/open.ts'
import { openStore } from '../../src/store/schema.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { WORK_THRESHOLDS, type WorkThresholds } from '../../src/kernel/nano/work.ts'
import type { Options as GivenNode } from '../scenario/options.ts'
import { openCustomer } from '../support/customer.ts'
import { sharedKeys } from '../support/gateway.ts'
import { PostgresServer, query } from '../support/postgres.ts'
import { patienceOf } from '../support/purse.ts'
import type { SeededRandom } from '../support/random.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { toStoreCtx } from '../support/sqlite-store.ts'
import { TcpRelay } from '../support/tcp-relay.ts'
import { Client } from './client.ts'
import { Instance } from './instance.ts'
import { PRICES } from './load/caller.ts'
import { SOLD } from './load/buy.ts'
import { LedgerReader, type NodePlace, OwnLedger } from './ledger.ts'
import { Liar } from './liar.ts'
import { type Market, openMarket } from './market.ts'
import { Money } from './money.ts'
import { Mailbox, Receiver } from './receivers.ts'
import { OWNER, type Staff, openStaff } from './staff.ts'

const DATABASE = 'chaos'
export const CREDITS = 1_000_000
const WEBHOOK_SECRET = 'a shop knows this'

/** Two gateways, their dependencies and their clients. */
export interface ChaosWorld {
  instances: readonly Instance[]
  postgres: PostgresServer
  redis: RedisServer
  /** Undefined with a foreign node. */
  ledger: OwnLedger | undefined
  /** The second of three nodes; undefined with a foreign node. */
  liar: Liar | undefined
  reader: LedgerReader
  thresholds: WorkThresholds
  money: Money
  store: Store
  receiver: Receiver
  mailbox: Mailbox
  client: Client
  webhookUrl: string
  webhookSecret: string
  accountId: string
  market: Market
  staff: Staff
  folder: string
  /** Called when the ledger has restarted on other ports. */
  pointAtLedger(): void
  close(): Promise<void>
}

const portOf = (url: string) => Number(new URL(url).port || 80)
const lineTo = (url: string) => TcpRelay.start(portOf(url), new URL(url).hostname.replace(/^\[|\]$/g, ''))

export interface WorldOptions {
  random: SeededRandom
  /** If unset, the world starts its own ledger. */
  given: GivenNode | undefined
  tell(line: string): void
}

export async function openChaosWorld(options: WorldOptions): Promise<ChaosWorld> {
  const opened = new AsyncDisposableStack()
  try {
    return await assemble(options, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

async function assemble({ random, given, tell }: WorldOptions, opened: AsyncDisposableStack): Promise<ChaosWorld> {
  let redis: RedisServer | undefined
  let ledger: OwnLedger | undefined
  let money: Money | undefined
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-chaos-'))
  tell('PostgreSQL, Redis and what they serve are started')
  const postgres = await PostgresServer.create()
  const removeStore = () => {
    if (!money?.isOut) {
      postgres.remove()
      rmSync(folder, { recursive: true, force: true })
      return
    }
    // With a foreign node the folder is kept, because the wallet keys in it may hold real money.
    postgres.end()
    tell(`Money is still out. The store with the wallets is in ${postgres.folder}, what opens it in ${folder}.`)
  }
  opened.defer(removeStore)
  // On an aborted run all processes are killed; gateways exit by themselves.
  const leaveNothing = () => {
    redis?.remove()
    ledger?.killNow()
    removeStore()
  }
  process.once('exit', leaveNothing)
  opened.defer(() => void process.off('exit', leaveNothing))
  await postgres.start()
  await query(`${postgres.url}/postgres`, `create database ${DATABASE}`)
  redis = await startRedis()
  opened.defer(() => redis.remove())
  if (!given) {
    ledger = new OwnLedger(join(folder, 'ledger.db'))
    await ledger.start()
    opened.defer(() => ledger!.kill())
  }
  const node: NodePlace = ledger ?? { rpcUrl: given!.nodeUrls, wsUrl: given!.nodeWsUrls }
  const liar = ledger && new Liar(ledger, random)
  if (liar) {
    await liar.start()
    opened.defer(() => liar.close())
  }
  const receiver = new Receiver(random, WEBHOOK_SECRET)
  const webhookUrl = await receiver.start()
  opened.defer(() => receiver.close())
  const mailbox = new Mailbox(random)
  const smtpUrl = await mailbox.start()
  opened.defer(() => mailbox.close())

  const store = await openStore(`${postgres.url}/${DATABASE}`, systemClock)
  opened.defer(() => store.close())
  const ctx = toStoreCtx(store, systemClock)
  const { accountId, key, grant } = await openCustomer(ctx, { email: OWNER })
  await grant(CREDITS)

  const network = given?.network ?? 'dev'
  const reader = new LedgerReader(node)
  const firstAccount = randomInt(2 ** 31)
  money = new Money({
    node,
    reader,
    firstAccount,
    funds: given?.funds ?? DEV_NETWORK.genesisPrivateKey,
    rpcUrl: () => node.rpcUrl,
    patience: patienceOf(network),
    isPlay: !given,
  })
  const keys = sharedKeys()
  const lines = Object.entries(keys).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(folder, 'keys.env'), lines.join(''), { mode: 0o600 })
  const env = {
    PORT: '0',
    METRICS_PORT: '0',
    NODE_NETWORK: network,
    ...keys,
    SMTP_URL: smtpUrl,
    PRICE_PROVIDERS: 'sandbox',
    SWAP_PROVIDER: 'none',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    // Visitors of the market come from many addresses.
    TRUSTED_PROXIES: 'loopback',
    CHECKOUT_GENERATED_WALLETS: 'all',
    CHECKOUT_OPEN_MAX: '0',
    // Too high to be reached, but still counted in Redis.
    LIMIT_PREPAID_PER_MINUTE: '1000000',
    LIMIT_ANONYMOUS_PER_MINUTE: '1000000',
    LIMIT_ANONYMOUS_CONCURRENCY: '0',
    FREE_SENDS_PER_MONTH: '1',
    X402_PAY_TO: money.seller.address,
    ...SOLD,
    EMAIL_FEE_NANO: '0',
    EMAIL_RECIPIENTS_PER_DAY_MAX: '0',
    // A foreign node usually does not compute work for others.
    WORK_THREADS: given ? 'auto' : '0',
    WORK_NODES: String(!given),
    LOG_LEVEL: 'info',
  }
  const instances: Instance[] = []
  for (const name of ['a', 'b']) {
    const lines = {
      postgres: await lineTo(postgres.url),
      redis: await lineTo(redis.url),
      node: await lineTo(node.rpcUrl),
      ...(liar && { otherNode: await lineTo(node.rpcUrl) }),
      ...(node.wsUrl !== '' && { nodeEvents: await lineTo(node.wsUrl) }),
    }
    for (const line of Object.values(lines)) opened.defer(() => line.close())
    const instance = new Instance({ name, lines, node, liarUrl: liar?.url, env, database: DATABASE, folder })
    opened.defer(() => instance.kill())
    instances.push(instance)
  }
  tell('the gateways start')
  await Promise.all(instances.map((instance) => instance.start()))

  const client = new Client(instances, key, random)
  const market = await openMarket(ctx, { client, credits: CREDITS, price: PRICES[0]! })
  const staff = await openStaff(ctx, { accountId, secretKey: keys.SECRET_KEY })
  if (given) tell(`accounts of this run follow from the key of the funds, at ${firstAccount} and after it`)
  try {
    await money.handOut(client, tell)
  } catch (error) {
    if (money.isOut) for (const line of await money.giveBack(client)) tell(line)
    throw error
  }
  return {
    instances,
    postgres,
    redis,
    ledger,
    liar,
    reader,
    thresholds: WORK_THRESHOLDS[network],
    money,
    store,
    receiver,
    mailbox,
    client,
    webhookUrl,
    webhookSecret: WEBHOOK_SECRET,
    accountId,
    market,
    staff,
    folder,
    pointAtLedger() {
      for (const { lines } of instances) {
        lines.node.targetPort = portOf(node.rpcUrl)
        if (lines.otherNode) lines.otherNode.targetPort = portOf(node.rpcUrl)
        if (lines.nodeEvents) lines.nodeEvents.targetPort = portOf(node.wsUrl)
      }
    },
    close: () => opened.disposeAsync(),
  }
}

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/infra/clock.ts'
import type { Store } from '../../src/infra/db/open.ts'
import { openStore } from '../../src/schema.ts'
import { openIds } from '../../src/infra/ids.ts'
import { systemRandom } from '../../src/infra/random.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { createAccount, grantCredits, issueKey } from '../../src/modules/accounts/index.ts'
import { Signer } from '../support/blocks.ts'
import { PostgresServer, query } from '../support/postgres.ts'
import type { SeededRandom } from '../support/random.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { call } from '../support/rpc.ts'
import { type DevnetProcess, spawnDevnet } from '../support/spawn-devnet.ts'
import { TcpRelay } from '../support/tcp-relay.ts'
import { Client } from './client.ts'
import { Instance } from './instance.ts'
import { Payer } from './payer.ts'
import { Mailbox, Receiver } from './receivers.ts'
import { hearFailures } from '../support/failures.ts'

const DATABASE = 'chaos'
const CALLERS = 6
const WALLETS = 6
const WALLET_NANO = 1_000
const PAYER_NANO = 1_000_000
export const CREDITS = 1_000_000
const WEBHOOK_SECRET = 'a shop knows this'

/** The ledger as a process of its own, on a file that outlives it. */
class Ledger {
  readonly file: string
  #process: DevnetProcess | undefined

  constructor(file: string) {
    this.file = file
  }

  get rpcUrl(): string {
    return this.#process!.rpcUrl
  }

  get wsUrl(): string {
    return this.#process!.wsUrl
  }

  async start(): Promise<void> {
    this.#process = await spawnDevnet(this.file)
  }

  kill(): Promise<void> {
    return this.#process!.kill()
  }

  /** At the very end of the run. */
  killNow(): void {
    this.#process?.signal('SIGKILL')
  }

  pause(): void {
    this.#process!.signal('SIGSTOP')
  }

  resume(): void {
    this.#process!.signal('SIGCONT')
  }
}

/** Two gateways, all they depend on, and those who use them. */
export interface ChaosWorld {
  instances: readonly Instance[]
  postgres: PostgresServer
  redis: RedisServer
  ledger: Ledger
  store: Store
  receiver: Receiver
  mailbox: Mailbox
  client: Client
  payers: readonly Payer[]
  wallets: readonly string[]
  merchants: readonly Signer[]
  webhookUrl: string
  webhookSecret: string
  accountId: string
  folder: string
  /** After the ledger has come back on other ports. */
  pointAtLedger(): void
  close(): Promise<void>
}

const portOf = (url: string) => Number(new URL(url).port)

export async function openChaosWorld(random: SeededRandom): Promise<ChaosWorld> {
  const opened = new AsyncDisposableStack()
  try {
    return await assemble(random, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

async function assemble(random: SeededRandom, opened: AsyncDisposableStack): Promise<ChaosWorld> {
  let redis: RedisServer | undefined
  let ledger: Ledger | undefined
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-chaos-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const postgres = await PostgresServer.create()
  opened.defer(() => postgres.remove())
  // A run that is broken off leaves nobody behind; gateways leave by themselves.
  const leaveNothing = () => {
    postgres.remove()
    redis?.remove()
    ledger?.killNow()
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', leaveNothing)
  opened.defer(() => void process.off('exit', leaveNothing))
  await postgres.start()
  await query(`${postgres.url}/postgres`, `create database ${DATABASE}`)
  redis = await startRedis()
  opened.defer(() => redis.remove())
  ledger = new Ledger(join(folder, 'ledger.db'))
  await ledger.start()
  opened.defer(() => ledger.kill())
  const receiver = new Receiver(random, WEBHOOK_SECRET)
  const webhookUrl = await receiver.start()
  opened.defer(() => receiver.close())
  const mailbox = new Mailbox(random)
  const smtpUrl = await mailbox.start()
  opened.defer(() => mailbox.close())

  const store = await openStore(`${postgres.url}/${DATABASE}`, systemClock)
  opened.defer(() => store.close())
  const ids = openIds(systemRandom)
  const ctx: StoreCtx = {
    db: store.db,
    clock: systemClock,
    ids,
    random: systemRandom,
    wakeJobs: () => undefined,
    failures: hearFailures(),
  }
  const { id: accountId } = await createAccount(ctx, { email: null, role: 'user', actor: 'chaos' })
  const { text: key } = await issueKey(ctx, { accountId, kind: 'secret', name: 'chaos', origins: [], actor: 'chaos' })
  await grantCredits(ctx, { accountId, amount: CREDITS, reason: 'chaos', reference: 'chaos', actor: 'chaos' })

  const env = {
    PORT: '0',
    METRICS_PORT: '0',
    NODE_NETWORK: 'dev',
    WALLET_KEYS: `one:${randomBytes(32).toString('base64')}`,
    SECRET_KEY: randomBytes(32).toString('base64'),
    SMTP_URL: smtpUrl,
    PRICE_PROVIDERS: 'sandbox',
    SWAP_PROVIDER: 'none',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    CHECKOUT_GENERATED_WALLETS: 'all',
    CHECKOUT_OPEN_MAX: '0',
    // High enough that nobody is refused, and still counted in Redis.
    LIMIT_PREPAID_PER_MINUTE: '1000000',
    LIMIT_ANONYMOUS_PER_MINUTE: '1000000',
    LIMIT_ANONYMOUS_CONCURRENCY: '0',
    FREE_SENDS_PER_MONTH: '1',
    WORK_THREADS: '0',
    WORK_NODES: 'true',
    LOG_LEVEL: 'info',
  }
  const instances: Instance[] = []
  for (const name of ['a', 'b']) {
    const lines = {
      postgres: await TcpRelay.start(portOf(postgres.url)),
      redis: await TcpRelay.start(portOf(redis.url)),
      node: await TcpRelay.start(portOf(ledger.rpcUrl)),
      nodeEvents: await TcpRelay.start(portOf(ledger.wsUrl)),
    }
    for (const line of Object.values(lines)) opened.defer(() => line.close())
    const instance = new Instance({ name, lines, env, database: DATABASE, folder })
    opened.defer(() => instance.kill())
    instances.push(instance)
  }
  await Promise.all(instances.map((instance) => instance.start()))

  const client = new Client(instances, key, random)
  const payers: Payer[] = []
  for (let at = 0; at < CALLERS; at++) {
    const payer = new Payer(100 + at, () => ledger.rpcUrl)
    await payer.open(PAYER_NANO)
    payers.push(payer)
  }
  const wallets: string[] = []
  for (let at = 0; at < WALLETS; at++) {
    const made = await client.post({ action: 'cloud_wallet', wallet_action: 'create_wallet' })
    const address = String(made?.body.address)
    await call(ledger.rpcUrl, 'devnet_fund', { account: address, amount_nano: String(WALLET_NANO) })
    await client.post({ action: 'cloud_wallet', account: address, receive: true })
    wallets.push(address)
  }
  return {
    instances,
    postgres,
    redis,
    ledger,
    store,
    receiver,
    mailbox,
    client,
    payers,
    wallets,
    merchants: [new Signer(41), new Signer(42), new Signer(43)],
    webhookUrl,
    webhookSecret: WEBHOOK_SECRET,
    accountId,
    folder,
    pointAtLedger() {
      for (const { lines } of instances) {
        lines.node.targetPort = portOf(ledger.rpcUrl)
        lines.nodeEvents.targetPort = portOf(ledger.wsUrl)
      }
    },
    close: () => opened.disposeAsync(),
  }
}

import { OPERATOR } from '../../src/kernel/actor.ts'
import { hash as digest } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Db } from '../../src/kernel/db.ts'
import { enqueue } from '../../src/kernel/job.ts'
import { type Raw, toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { openIds } from '../../src/infra/random.ts'
import { createAccount } from '../../src/modules/accounts/index.ts'
import { grantCredits } from '../../src/modules/accounts/domain/credits.ts'
import type { Fulfil } from '../../src/modules/billing/index.ts'
import { CREDITS } from '../../src/modules/billing/domain/sell-credits.ts'
import { type Settlement, settlePayment } from '../../src/modules/billing/domain/settle.ts'
import type { Checkout, CheckoutContext } from '../../src/modules/checkout/index.ts'
import { creditSend } from '../../src/modules/checkout/domain/credit.ts'
import { readSends } from '../../src/modules/checkout/domain/read-ledger.ts'
import { NAME, leaseName } from '../../src/modules/usernames/domain/lease-name.ts'
import { treasury } from '../../src/modules/wallets/index.ts'
import { Signer, frontierOf, nano, openAccount, publish } from './blocks.ts'
import { callerOf, openWith, toCheckoutCtx } from './checkout-context.ts'
import { receiveFailures } from './failures.ts'
import { Faults } from './faults.ts'
import { addressOf } from './many-checkouts.ts'
import { offerCredits, offerName, toSales } from './market.ts'
import { openLastingStore } from './mortal-store.ts'
import type { SeededRandom } from './random.ts'
import { type Instance, type WalletWorld, openWalletWorld } from './wallet-world.ts'

const HAND_OVER = 'shards.credits'
/** Longer than any lease of a wallet. */
const LEASE = 11_000
/** This many of ten calls end in a crash or a lost reply. */
const TROUBLE_TENTHS = 4
/** Index of the one-year plan. */
const YEAR = 2

/** The store of an account and all its rows. */
export const shardOf = (accountId: string, shards: number) =>
  Number.parseInt(digest('sha256', accountId, 'hex').slice(0, 8), 16) % shards

interface Shard {
  /** A view for checks that never fails. */
  db: Db
  process: Mortal
  context: () => CheckoutContext
}

interface Mortal {
  faults: () => Faults
  revive(): Promise<void>
}

interface Sold {
  hash: string
  payer: string
  amount: bigint
}

export interface ShardedWorld {
  shards: Shard[]
  wallets: WalletWorld
  treasuryAddress: string
  paid: { hash: string; checkoutId: string; owner: string; amount: bigint }[]
  races: { name: string; rivals: Sold[] }[]
  bought: { accountId: string; credits: number; amount: bigint }[]
  /** The sum taken from the genesis account, and all accounts that may have some of it. */
  given: bigint
  holders: Set<string>
  troubles: number
  sell(): Promise<void>
  pay(): Promise<void>
  buyCredits(): Promise<void>
  /** Transfers sold credits to the buyers' stores; it may stop anywhere and be repeated. */
  handOver(): Promise<void>
  raceFor(name: string): Promise<void>
}

interface WorldSize {
  shards: number
  accounts: number
  random: SeededRandom
}

/** SQLite stores for accounts, and one for global rows: names, the treasury and its sales. */
export async function openShardedWorld(t: TestContext, size: WorldSize): Promise<ShardedWorld> {
  const { random } = size
  const wallets = await openWalletWorld(t, { engine: 'memory', random })
  const { clock } = wallets
  const reader = await wallets.start()
  let global: Instance = await wallets.start()
  const globalProcess: Mortal = {
    faults: () => global.faults,
    revive: async () => {
      clock.advance(LEASE)
      global = await wallets.start()
    },
  }
  const { address: treasuryAddress } = await treasury(reader.ctx)
  const shards = await Promise.all(Array.from({ length: size.shards }, () => openShard(t, wallets, random)))
  const accounts: string[] = []
  for (let at = 0; at < size.accounts; at++) {
    // The directory only has the account's id; its own store has everything else.
    const account = await createAccount(reader.ctx.store, {
      email: `a${at}@example.org`,
      role: 'user',
      actor: OPERATOR,
    })
    accounts.push(account.id)
    const { db } = shards[shardOf(account.id, size.shards)]!
    const row = { id: account.id, email: null, role: 'user', created_at: clock.now() } as const
    await db.insertInto('accounts').values(row).execute()
  }
  const payer = new Signer(5_000)
  await openAccount(wallets.ledger, payer, nano(1_000_000))
  let signers = 5_001
  let orders = 0
  const open: { owner: string; checkout: Checkout }[] = []

  const world: ShardedWorld = {
    shards,
    wallets,
    treasuryAddress,
    paid: [],
    races: [],
    bought: [],
    given: nano(1_000_000),
    holders: new Set([payer.address, treasuryAddress]),
    troubles: 0,
    sell: async () => {
      const owner = random.pick(accounts)
      const shard = shards[shardOf(owner, size.shards)]!
      const checkout = await persist(shard.process, () => {
        // A third of all shops use an address of the same exchange, in whatever store they are.
        const shop = addressOf(random.below(3) === 0 ? 'exchange' : `shop ${owner}`)
        const fields =
          random.below(3) === 0
            ? { address: addressOf(`order ${++orders}`), amount: '1', mode: 'unique_address' }
            : { address: shop, amount: '2' }
        return openWith(shard.context(), callerOf(owner), fields)
      })
      world.holders.add(checkout.address)
      open.push({ owner, checkout })
    },
    pay: async () => {
      if (open.length === 0) return
      const [{ owner, checkout }] = open.splice(random.below(open.length), 1) as [(typeof open)[number]]
      const amount = toRaw(checkout.amountRaw!)
      const hash = await send(payer, checkout.address, amount)
      world.paid.push({ hash, checkoutId: checkout.id, owner, amount })
      // Every store gets every block, in any order, some of them twice.
      const hearing = shuffle([...shards, ...shards.filter(() => random.below(3) === 0)])
      for (const shard of hearing) await credit(shard.process, shard.context, hash)
    },
    buyCredits: async () => {
      const accountId = random.pick(accounts)
      const checkout = await persist(globalProcess, () => offerCredits(shop(), accountId))
      const amount = checkout.plans[0]!.amountRaw!
      const hash = await send(payer, checkout.address, amount)
      await settle([hash])
      world.bought.push({ accountId, credits: 1_000, amount })
    },
    handOver: async () => {
      const waiting = await wallets.db
        .selectFrom('jobs')
        .select(['id', 'payload'])
        .where('kind', '=', HAND_OVER)
        .where('status', '=', 'ready')
        .execute()
      for (const { id, payload } of waiting) {
        const grant = JSON.parse(payload) as { accountId: string; amount: number; reference: string }
        const { process, context } = shards[shardOf(grant.accountId, size.shards)]!
        await persist(process, () => grantCredits(context(), { ...grant, reason: 'bought', actor: OPERATOR }))
        // Sometimes the reply is lost and the operation is repeated.
        if (random.below(3) === 0) continue
        const done = () =>
          global.ctx.store.db.updateTable('jobs').set({ status: 'done' }).where('id', '=', id).execute()
        await persist(globalProcess, done)
      }
    },
    raceFor: async (name) => {
      const rivals: Sold[] = []
      for (let rival = 0; rival < 2; rival++) {
        const checkout = await persist(globalProcess, () => offerName(shop(), name))
        const signer = new Signer(signers++)
        await openAccount(wallets.ledger, signer, nano(10))
        world.given += nano(10)
        world.holders.add(signer.address)
        const amount = checkout.plans[YEAR]!.amountRaw!
        rivals.push({ hash: await send(signer, checkout.address, amount), payer: signer.address, amount })
      }
      await settle(shuffle(rivals.map(({ hash }) => hash)))
      world.races.push({ name, rivals })
    },
  }
  return world

  /** The service's own sales, in the global store. */
  function shop(): CheckoutContext {
    return toCheckoutCtx(global.ctx.store, 'sqlite', { sales: { ...toSales(treasuryAddress), settle: handingOver } })
  }

  function send(from: Signer, to: string, amount: Raw): Promise<string> {
    return publish(wallets.ledger, from.send(frontierOf(wallets.ledger, from.key), fromAddress(to)!, amount))
  }

  async function credit(process: Mortal, context: () => CheckoutContext, hash: string): Promise<void> {
    await persist(process, async () => {
      for (const seen of await readSends(reader.ctx.node, [hash], clock.now())) {
        await creditSend(context(), { ...seen, receivedAt: null })
      }
    })
  }

  /** Credits payments to the treasury, and refunds those without an effect. */
  async function settle(hashes: readonly string[]): Promise<void> {
    for (const hash of hashes) await credit(globalProcess, shop, hash)
    await persist(globalProcess, () => wallets.finish(global.settle()))
    clock.advance(LEASE)
    await wallets.finish(global.look())
    await wallets.finish(global.settle())
  }

  /** Repeats an operation until it succeeds, through all crashes. */
  async function persist<T>(process: Mortal, act: () => Promise<T>): Promise<T> {
    for (;;) {
      const faults = process.faults()
      const isTroubled = random.below(10) < TROUBLE_TENTHS
      const moment = random.below(2) === 0 ? 'before' : 'after'
      if (isTroubled && random.below(2) === 0) faults.crashAt(1 + random.below(3), moment)
      else if (isTroubled) faults.failAt(1 + random.below(3), moment)
      try {
        return await act()
      } catch (error) {
        if (!faults.fired) throw error
        world.troubles++
      } finally {
        faults.disarm()
        faults.fired = false
        if (faults.dead) await process.revive()
      }
    }
  }

  function shuffle<T>(list: T[]): T[] {
    for (let at = list.length - 1; at > 0; at--) {
      const other = random.below(at + 1)
      ;[list[at], list[other]] = [list[other]!, list[at]!]
    }
    return list
  }
}

/** A sale for an account in another store: a job that commits with the sale, and a grant identified by its block. */
const handOverCredits: Fulfil = async (tx, { accountId, detail }, { plan, blockHash }) => {
  const amount = (detail.credits as number[])[plan ?? -1]!
  const reference = `payment:${blockHash}`
  await enqueue(tx, { kind: HAND_OVER, payload: { accountId, amount, reference }, key: reference })
  return { what: `${amount} credits` }
}

const SETTLEMENT: Settlement = {
  fulfil: (kind) => (kind === CREDITS ? handOverCredits : kind === NAME ? leaseName(() => undefined) : undefined),
  isExchange: () => false,
  onRefund: () => undefined,
}

const handingOver: ReturnType<typeof toSales>['settle'] = (tx, payment) => settlePayment(SETTLEMENT, tx, payment)

async function openShard(t: TestContext, { clock }: WalletWorld, random: SeededRandom): Promise<Shard> {
  const lasting = await openLastingStore('memory:')
  t.after(() => lasting.close())
  let faults = new Faults()
  let db = lasting.openFor(faults)
  const ids = openIds(random)
  return {
    db: lasting.openFor(new Faults()),
    process: {
      faults: () => faults,
      revive: () => {
        faults = new Faults()
        db = lasting.openFor(faults)
        return Promise.resolve()
      },
    },
    context: () =>
      toCheckoutCtx(
        {
          db,
          clock,
          ids,
          random,
          wakeJobs: () => undefined,
          notifyAccount: () => undefined,
          failures: receiveFailures(),
        },
        'sqlite',
      ),
  }
}

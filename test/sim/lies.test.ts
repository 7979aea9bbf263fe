import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { LedgerNode } from '../../src/devnet/index.ts'
import { OPERATOR } from '../../src/kernel/actor.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { type Raw, toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { ZERO_HASH } from '../../src/kernel/nano/block.ts'
import { receiveDeposits } from '../../src/modules/wallets/domain/receive.ts'
import { sendFromWallet } from '../../src/modules/wallets/domain/send.ts'
import { findWalletByAddress } from '../../src/modules/wallets/store.ts'
import { listUnsettled } from '../../src/modules/wallets/unsettled-store.ts'
import { NO_WORK, Signer, frontierOf, nano, publish } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { ENGINES } from '../support/engines.ts'
import { type NodeView, feed, openViews } from '../support/node-views.ts'
import { SEED, SeededRandom } from '../support/random.ts'
import { isThorough } from '../support/thorough.ts'
import { type Instance, type WalletWorld, openWalletWorld } from '../support/wallet-world.ts'
import { WalletLife } from './wallet-life.ts'

/*
 * Wallets with nodes that randomly lie together, stop lying, fall behind, go down and come back. A lie is a separate ledger in which a thief has paid; now
 * and then it turns out to be true. In the end all nodes have the same ledger. `SEED=…` repeats a run, `STEPS=…` makes it longer.
 */

const STEPS = Number(process.env.STEPS ?? (isThorough ? 300 : 120))
const MINUTE = 60_000
const WALLETS = 4
/** A payment that a customer wants to make once. A new key is used only after the answer that nothing was sent. */
interface Intent {
  from: string
  destination: string
  amount: Raw
  keys: string[]
}

class Life extends WalletLife {
  readonly #nodes: NodeView[]
  readonly #lie: LedgerNode
  readonly #late: LedgerNode
  readonly #thief = new Signer(666)
  readonly #recipients = [501, 502, 503].map((index) => new Signer(index).address)
  readonly #intents: Intent[] = []
  #wallets: string[] = []
  #deposited = 0n

  constructor(
    world: WalletWorld,
    random: SeededRandom,
    { nodes, lie, late }: { nodes: NodeView[]; lie: LedgerNode; late: LedgerNode },
  ) {
    super(world, random, ['send_void', 'nodes_disagree'])
    this.#nodes = nodes
    this.#lie = lie
    this.#late = late
  }

  async begin(): Promise<void> {
    const { world } = this
    const { ledger } = world
    await this.startTwo()
    const source = await world.deposit(this.#thief.address, nano(1_000_000))
    await publish(ledger, this.#thief.receive(frontierOf(ledger, this.#thief.key), source, nano(1_000_000)))
    for (let at = 0; at < WALLETS; at++) this.#wallets.push(await world.create(this.instances[0]!))
    await this.#deposit()
  }

  async step(): Promise<void> {
    await this.world.finish(this.tolerate(this.#choose()))
    await this.replaceDead()
  }

  /** All nodes are honest, and time passes: no wallet may stay stuck because of a lie. */
  async rest(): Promise<void> {
    const { clock } = this.world
    for (const { faults } of this.instances) faults.disarm()
    for (const node of this.#nodes) Object.assign(node, { ledger: this.world.ledger, isAway: false })
    await this.step()
    for (const { faults } of this.instances) faults.disarm()
    for (const node of this.#nodes) Object.assign(node, { ledger: this.world.ledger, isAway: false })
    for (let round = 0; round < 30; round++) {
      clock.advance(5 * MINUTE)
      await this.world.finish(this.instances[round % 2]!.settle())
      await this.world.finish(this.instances[round % 2]!.look())
    }
    await this.#assertAtRest()
    // Each wallet still works: it can send its whole balance.
    const [{ ctx }] = this.instances as [Instance]
    for (const from of this.#wallets) {
      this.#deposited += nano(1)
      await this.world.deposit(from, nano(1))
      const { accountId } = this.world
      const terms = { accountId, actor: OPERATOR, from, destination: this.#recipients[0]!, amount: 'all' as const }
      await this.world.finish(sendFromWallet(ctx, { ...terms, idempotencyKey: undefined }))
    }
    for (let round = 0; round < 4; round++) {
      clock.advance(5 * MINUTE)
      await this.world.finish(this.instances[0]!.look())
    }
    await this.#assertAtRest()
    assert.deepEqual(
      this.#wallets.filter((wallet) => this.#balanceOf(wallet) !== 0n),
      [],
    )
  }

  async #assertAtRest(): Promise<void> {
    const { db, ledger, alarms, fundsOf } = this.world
    const { store } = ledger.ledger
    const wallets = await db.selectFrom('wallets').selectAll().where('purpose', '=', 'cloud').execute()
    const blocks = await db.selectFrom('wallet_blocks').selectAll().execute()
    assert.deepEqual(
      alarms.filter((alarm) => !/^(void|refused): /.test(alarm)),
      [],
    )
    assert.deepEqual(await listUnsettled(db, 9), [])
    const thief = this.#thief.address
    const held = [...this.#wallets, ...this.#recipients, thief].reduce((sum, address) => sum + fundsOf(address), 0n)
    assert.equal(held, this.#deposited + nano(1_000_000), 'not one raw was lost or made')
    for (const wallet of wallets) {
      const own = blocks.filter(({ wallet_id: id, status }) => id === wallet.id && status === 'confirmed')
      const account = store.findAccount(fromAddress(wallet.address)!)
      assert.equal(wallet.frozen_at, null)
      assert.equal(wallet.denied_at, null)
      assert.equal(account?.head ?? ZERO_HASH, wallet.frontier, 'the wallet stands where the ledger does')
      assert.equal(account?.balance ?? 0n, BigInt(wallet.balance_raw))
      assert.equal(account?.blockCount ?? 0, own.length, 'the ledger has our blocks and no others')
    }
    for (const { status, hash, kind } of blocks) {
      assert.ok(['confirmed', 'refused', 'void'].includes(status), `a ${kind} is ${status}`)
      if (status === 'confirmed') assert.ok(store.hasBlock(hash!), 'what counts as confirmed is on the ledger')
      if (status === 'void') assert.ok(!store.hasBlock(hash!), 'what is void is not')
    }
    for (const { keys, amount } of this.#intents) {
      const paid = blocks.filter(
        ({ reference, status }) => status === 'confirmed' && keys.some((key) => reference?.endsWith(`:${key}`)),
      )
      assert.ok(paid.length <= 1, `an intent of ${amount} was sent ${paid.length} times`)
    }
    for (const recipient of this.#recipients) {
      const sent = blocks.filter(({ destination, status }) => destination === recipient && status === 'confirmed')
      assert.equal(
        fundsOf(recipient),
        sent.reduce((sum, { amount_raw: raw }) => sum + BigInt(raw!), 0n),
      )
    }
  }

  #choose(): () => Promise<unknown> {
    const random = this.random
    const instance = random.pick(this.instances)
    const choices: [number, () => Promise<unknown>][] = [
      [6, () => this.#deposit()],
      [10, () => this.#send(instance, this.#newIntent())],
      [8, () => this.#send(instance, random.pick(this.#intents))],
      [8, () => this.#receive(instance)],
      [6, () => this.#invent()],
      [3, () => this.#deceive(instance)],
      [3, () => this.#repent(instance)],
      [5, () => this.#setAll(this.#lie)],
      [7, () => this.#setAll(this.world.ledger)],
      [4, () => this.#setOne()],
      [3, () => this.#comeAndGo()],
      [2, () => this.#catchUp()],
      [1, () => feed(this.#lie, this.world.ledger)],
      [3, () => this.#holdLies()],
      [12, () => this.#passTime(instance)],
      [6, () => instance.settle()],
      [
        3,
        () => Promise.resolve(instance.faults.crashAt(1 + random.below(40), random.pick(['before', 'after'] as const))),
      ],
    ]
    return this.pick(choices)
  }

  #balanceOf(address: string): bigint {
    return this.world.ledger.ledger.store.findAccount(fromAddress(address)!)?.balance ?? 0n
  }

  async #deposit(): Promise<void> {
    const amount = toRaw(this.random.bigint(90) + 1n)
    await this.world.deposit(this.random.pick(this.#wallets), amount)
    this.#deposited += amount
  }

  #newIntent(): Intent {
    const from = this.random.pick(this.#wallets)
    const amount = toRaw(this.random.bigint(90) + 1n)
    const intent = {
      from,
      destination: this.random.pick(this.#recipients),
      amount,
      keys: [`intent-${this.#intents.length}-0`],
    }
    this.#intents.push(intent)
    return intent
  }

  async #send({ ctx }: Instance, intent: Intent | undefined): Promise<void> {
    if (!intent) return
    const { from, destination, amount, keys } = intent
    const { accountId } = this.world
    try {
      await sendFromWallet(ctx, { accountId, actor: OPERATOR, from, destination, amount, idempotencyKey: keys.at(-1)! })
    } catch (error) {
      if (error instanceof AppError && error.code === 'send_void') {
        keys.push(`${keys[0]!.slice(0, -1)}${keys.length}`)
      }
      throw error
    }
  }

  async #receive({ ctx }: Instance): Promise<void> {
    const wallet = await findWalletByAddress(ctx.store.db, this.random.pick(this.#wallets))
    await receiveDeposits(ctx, wallet!)
  }

  async #invent(): Promise<void> {
    const lie = this.#lie
    await feed(this.world.ledger, lie)
    const from = frontierOf(lie, this.#thief.key)
    await publish(
      lie,
      this.#thief.send(from, fromAddress(this.random.pick(this.#wallets))!, this.random.bigint(90) + 1n),
    )
  }

  async #setAll(ledger: LedgerNode): Promise<void> {
    if (ledger !== this.world.ledger) await feed(this.world.ledger, ledger)
    for (const node of this.#nodes) node.ledger = ledger
  }

  /** All nodes report a payment that never happened, and one wallet spends it. */
  async #deceive(instance: Instance): Promise<void> {
    await this.#invent()
    await this.#setAll(this.#lie)
    for (const from of this.#wallets) {
      const wallet = await findWalletByAddress(instance.ctx.store.db, from)
      await receiveDeposits(instance.ctx, wallet!)
    }
    await this.#send(instance, this.#newIntent())
  }

  /** The nodes stop lying; now and then the lie becomes true. */
  async #repent(instance: Instance): Promise<void> {
    for (const node of this.#nodes) Object.assign(node, { ledger: this.world.ledger, isAway: false })
    for (let look = 0; look < 6; look++) {
      this.world.clock.advance(4 * MINUTE)
      await instance.look()
    }
    if (this.random.below(3) === 0) await feed(this.#lie, this.world.ledger)
  }

  #setOne(): Promise<void> {
    this.random.pick(this.#nodes).ledger = this.random.pick([this.#lie, this.#late, this.world.ledger])
    return Promise.resolve()
  }

  #comeAndGo(): Promise<void> {
    const node = this.random.pick(this.#nodes)
    node.isAway = !node.isAway
    return Promise.resolve()
  }

  /** Nodes that are behind catch up: unconfirmed blocks that conflict are replaced. */
  async #catchUp(): Promise<void> {
    const { ledger } = this.world
    await feed(ledger, this.#late, { force: true })
  }

  async #holdLies(): Promise<void> {
    if (this.random.below(2) === 0) this.#lie.hold()
    else await this.#lie.release()
  }

  async #passTime(instance: Instance): Promise<void> {
    this.world.clock.advance(this.random.below(6 * MINUTE))
    await instance.look()
  }
}

async function live(
  t: TestContext,
  seed: number,
  { steps, count, engine }: { steps: number; count: number; engine: 'memory' | 'sqlite' | 'postgres' },
) {
  const random = new SeededRandom(seed)
  const nodes: NodeView[] = []
  const world = await openWalletWorld(t, {
    engine,
    random,
    env: { WALLET_WAIT_MS: '1000' },
    openNodes: (ledger, faults) => {
      for (let at = nodes.length + 1; at <= count; at++)
        nodes.push({ name: `node-${at}`, ledger, isAway: false, before: 1_000_000 })
      const order = () => nodes.toSorted(() => random.below(3) - 1)
      return openViews({ nodes, confirmNodes: Math.min(count, 2), order }, faults)
    },
  })
  const open = async () =>
    (await openDevnet(t, { clock: world.clock, random, thresholds: NO_WORK, confirmAfterMilliseconds: 0 })).node
  const life = new Life(world, random, { nodes, lie: await open(), late: await open() })
  await life.live(t, seed, steps)
  const voids = await world.db.selectFrom('wallet_blocks').select('id').where('status', '=', 'void').execute()
  const returned = world.alarms.filter((alarm) => alarm.includes('after all'))
  t.diagnostic(`${voids.length} void, ${returned.length} returned`)
}

for (const count of [1, 2, 3]) {
  test(
    `wallets before ${count} nodes that lie and repent lose no raw, send nothing twice, and none stays locked`,
    { timeout: Infinity },
    (t) => live(t, SEED + count, { steps: STEPS, count, engine: 'memory' }),
  )
}

for (const engine of ENGINES) {
  test(`${engine}: the same on a store with a disk`, { timeout: Infinity }, (t) =>
    live(t, SEED, { steps: 60, count: 2, engine }),
  )
}

import { OPERATOR } from '../../src/kernel/actor.ts'
import { type TestContext, test } from 'node:test'
import { type Raw, toRaw } from '../../src/kernel/money.ts'
import { deleteWallet, migrateKey, queuePayment, recoverWallets, treasury } from '../../src/modules/wallets/index.ts'
import { receiveDeposits } from '../../src/modules/wallets/domain/receive.ts'
import { sendFromWallet } from '../../src/modules/wallets/domain/send.ts'
import { listUnsettled } from '../../src/modules/wallets/unsettled-store.ts'
import { type Wallet, findOwnedWallet } from '../../src/modules/wallets/store.ts'
import { Signer, nano } from '../support/blocks.ts'
import { SEED, SeededRandom } from '../support/random.ts'
import { isThorough } from '../support/thorough.ts'
import { type Instance, askOf, openWalletWorld } from '../support/wallet-world.ts'
import { type Acknowledged, assertAtRest } from './invariants.ts'
import { WalletLife } from './wallet-life.ts'

/*
 * A random life of wallets: they are made, funded, emptied and ended, while nodes fail, replies are lost, confirmations come late, twice or never, and the
 * process dies at any call. In the end all amounts must add up to the raw. `SEED=… npm run sim` repeats a run; `STEPS=…` makes it longer.
 */

const STEPS = Number(process.env.STEPS ?? (isThorough ? 600 : 400))
const MINUTE = 60_000
/** An ended wallet is checked once a day. Only then is money found that another wallet's end sent there without a confirmation. */
const LOOKED_AT_WITHIN = 25 * 60 * MINUTE
const WALLETS_MAX = 25
interface Wish {
  from: string
  destination: string
  amount: Raw | 'all'
  key: string
  hash?: string
}

class Life extends WalletLife {
  readonly #recipients = Array.from({ length: 8 }, (_, at) => new Signer(500 + at).address)
  /** Wallets that may be alive, and some that have ended. */
  #living: string[] = []
  readonly #ended: string[] = []
  readonly #wishes: Wish[] = []
  #deposited = 0n
  #payments = 0

  async begin(): Promise<void> {
    await this.startTwo()
    const { address } = await treasury(this.#one().ctx)
    await this.#deposit(address, nano(1_000_000))
  }

  /** One step, or several at once. */
  async step(): Promise<void> {
    const atOnce = this.random.below(8) === 0 ? 3 : 1
    const operations = Array.from({ length: atOnce }, () => this.tolerate(this.#choose()))
    await this.world.finish(Promise.all(operations))
    await this.replaceDead()
  }

  async rest(): Promise<void> {
    const { clock, ledger, db } = this.world
    this.world.trouble = () => 'none'
    await ledger.release()
    for (const { faults } of this.instances) faults.disarm()
    await this.replaceDead()
    let known = -1
    for (let round = 0; round < 50; round++) {
      clock.advance(LOOKED_AT_WITHIN)
      const instance = this.instances[round % 2]!
      await this.world.finish(instance.settle())
      await this.world.finish(instance.look())
      const blocks = (await db.selectFrom('wallet_blocks').select('id').execute()).length
      if (blocks === known && (await listUnsettled(db, 1)).length === 0) break
      known = blocks
    }
    const acknowledged = this.#wishes.flatMap(({ hash, from, destination, amount }): Acknowledged[] =>
      hash === undefined ? [] : [{ hash, from, destination, amount: amount === 'all' ? undefined : amount }],
    )
    await assertAtRest(this.world, { deposited: this.#deposited, recipients: this.#recipients, acknowledged })
  }

  #choose(): () => Promise<unknown> {
    const instance = this.#one()
    const choices: [number, () => Promise<unknown>][] = [
      [5, () => this.#create(instance)],
      [12, () => this.#deposit(this.#anyWallet(), this.#amount())],
      [18, () => this.#sendNew(instance)],
      [8, () => this.#send(instance, this.random.pick(this.#wishes))],
      [6, () => this.#receive(instance)],
      [3, () => this.#delete(instance)],
      [2, () => this.#migrate(instance)],
      [1, () => this.#recover(instance)],
      [8, () => this.#passTime()],
      [8, () => instance.settle()],
      [2, () => instance.look()],
      [4, () => this.#pay(instance)],
      [5, () => this.#changeWeather()],
      [4, () => this.#holdConfirmations()],
      [10, () => this.#hear()],
      [7, () => this.#doom(instance)],
    ]
    if (this.#living.length === 0) return choices[0]![1]
    return this.pick(choices)
  }

  #one(): Instance {
    return this.random.pick(this.instances)
  }

  /** Usually one that is alive. */
  #anyWallet(): string {
    const ended = this.#ended.length > 0 && this.random.below(6) === 0
    return this.random.pick(ended || this.#living.length === 0 ? this.#ended : this.#living)
  }

  async #create(instance: Instance): Promise<void> {
    if (this.#living.length >= WALLETS_MAX) return
    const count = this.random.below(4)
    const first = this.random.below(this.#recipients.length)
    const refunds = Array.from({ length: count }, (_, at) => this.#recipients[(first + at) % this.#recipients.length]!)
    // Sometimes one wallet ends in another.
    if (count > 0 && this.#living.length > 0 && this.random.below(5) === 0) refunds[0] = this.#anyWallet()
    const lifetimeMilliseconds = (5 + this.random.below(60)) * MINUTE
    const terms = count === 0 ? { lifetimeMilliseconds } : { lifetimeMilliseconds, refundAddress: refunds }
    this.#living.push(await this.world.create(instance, terms))
  }

  async #deposit(address: string, amount: Raw): Promise<void> {
    await this.world.deposit(address, amount)
    this.#deposited += amount
  }

  #amount(): Raw {
    return toRaw(this.random.bigint(100) + 1n)
  }

  #wish(): Wish {
    const from = this.random.pick(this.#living)
    const destination = this.random.below(6) === 0 ? this.#anyWallet() : this.random.pick(this.#recipients)
    const amount = this.random.below(4) === 0 ? 'all' : this.#amount()
    const wish: Wish = { from, destination, amount, key: `wish-${this.#wishes.length}` }
    this.#wishes.push(wish)
    return wish
  }

  async #sendNew(instance: Instance): Promise<void> {
    if (await this.#find(instance)) await this.#send(instance, this.#wish())
  }

  /** Sometimes repeated, after any answer: the answer must be the same. */
  async #send({ ctx }: Instance, wish: Wish | undefined): Promise<void> {
    if (!wish) return
    const { from, destination, amount, key } = wish
    const { accountId } = this.world
    const hash = await sendFromWallet(ctx, {
      accountId,
      actor: OPERATOR,
      from,
      destination,
      amount,
      idempotencyKey: key,
    })
    if (wish.hash !== undefined && wish.hash !== hash) throw new Error('One key led to two blocks.')
    wish.hash = hash
    this.note('sent')
  }

  async #receive(instance: Instance): Promise<void> {
    const wallet = await this.#find(instance)
    if (wallet) await receiveDeposits(instance.ctx, wallet)
  }

  /** A wallet that is alive; those found to have ended are remembered. */
  async #find({ ctx }: Instance): Promise<Wallet | undefined> {
    const address = this.random.pick(this.#living)
    const wallet = await findOwnedWallet(ctx.store.db, this.world.accountId, address)
    if (!wallet && this.#living.includes(address)) {
      this.#living = this.#living.filter((other) => other !== address)
      this.#ended.push(address)
    }
    return wallet
  }

  async #delete(instance: Instance): Promise<void> {
    const wallet = await this.#find(instance)
    if (wallet) await deleteWallet(instance.ctx, wallet, { actor: OPERATOR })
  }

  /** Moves a wallet to a new address; the balance and later deposits of the old one must follow. */
  async #migrate(instance: Instance): Promise<void> {
    const wallet = await this.#find(instance)
    if (!wallet) return
    const { ctx } = instance
    const { to } = await migrateKey({ ...ctx.store, vault: ctx.vault }, wallet, OPERATOR)
    this.#living = [...this.#living.filter((other) => other !== wallet.address), to]
    this.#ended.push(wallet.address)
    this.note('moved')
  }

  /** Nothing was lost, so there must be nothing to adopt. */
  async #recover({ ctx }: Instance): Promise<void> {
    const how = { ask: askOf(this.world), ahead: 20, actor: OPERATOR }
    const recovered = await recoverWallets({ ...ctx.store, vault: ctx.vault }, how)
    if (recovered.length > 0) throw new Error('A wallet of the ledger was unknown to the store.')
  }

  async #pay({ ctx, wallets }: Instance): Promise<void> {
    const { id: walletId } = await treasury(ctx)
    const destination = this.random.pick(this.#recipients)
    const terms = { walletId, destination, amount: this.#amount(), purpose: 'faucet' as const }
    const payment = { ...terms, reference: `${this.#payments++}` }
    await ctx.store.db.transaction().execute((db) => queuePayment({ db, store: ctx.store }, payment))
    await wallets.context.queue.advance(walletId)
  }

  #passTime(): Promise<void> {
    this.world.clock.advance(this.random.below(this.random.below(5) === 0 ? 20 * MINUTE : MINUTE))
    return Promise.resolve()
  }

  /** From now on some calls to the ledger are lost, as requests or as replies. */
  #changeWeather(): Promise<void> {
    const rough = this.random.below(2) === 0
    const random = this.random
    this.world.trouble = () => {
      if (!rough || random.below(5) > 0) return 'none'
      return random.below(2) === 0 ? 'request lost' : 'reply lost'
    }
    return Promise.resolve()
  }

  async #holdConfirmations(): Promise<void> {
    if (this.random.below(3) === 0) this.world.ledger.hold()
    else await this.world.ledger.release()
  }

  /** Delivers a confirmation: in any order, sometimes twice, sometimes never. */
  #hear(): Promise<void> {
    const { told } = this.world
    const at = this.random.below(told.length)
    const confirmation = told[at]
    if (confirmation) this.world.hear(confirmation)
    if (this.random.below(4) > 0) told.splice(at, 1)
    if (told.length > 200) told.splice(0, 100)
    return Promise.resolve()
  }

  #doom({ faults }: Instance): Promise<void> {
    faults.crashAt(1 + this.random.below(40), this.random.below(2) === 0 ? 'before' : 'after')
    return Promise.resolve()
  }
}

async function live(t: TestContext, seed: number, steps: number): Promise<void> {
  const random = new SeededRandom(seed)
  const world = await openWalletWorld(t, { engine: 'memory', random, env: { WALLET_WAIT_MS: '1000' } })
  await new Life(world, random, ['wallet_not_found', 'wallet_not_empty', 'conflict']).live(t, seed, steps)
}

test('wallets lose no raw and spend none twice, whatever happens', { timeout: Infinity }, (t) => live(t, SEED, STEPS))

import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { type WalletOptions, receiveFunds } from '../../src/client/index.ts'
import { openWallet } from '../../src/client/wallet.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { type Raw, parseNano } from '../../src/kernel/money.ts'
import { fromAddress, toAddress } from '../../src/kernel/nano/address.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { deriveKey, publicKeyOf } from '../../src/kernel/nano/keys.ts'
import { type Gateway, type Lifetime, type Reply, ask, openGateway } from '../support/gateway.ts'
import { type Receiver, openReceiver } from '../webhooks/world.ts'
import { type Shape, shapeOf } from './shapes.ts'

export interface Account {
  privateKey: string
  address: string
}

/** Where a walk happens, and with whose money. */
export interface Ground {
  /** Settings of the gateway: its nodes and their network. */
  env: Record<string, string>
  /** Private key of the account that pays for everything. */
  funds: string
  /** Accounts of the walk follow from the key and this number, so that whoever has the key can find their money again. */
  firstAccount: number
}

/** On a development network everything is quick; elsewhere a block takes a processor minutes of work. */
const PATIENCE = { dev: 60_000, elsewhere: 600_000 }
const LOOK_EVERY = 20

/** Somebody who uses a gateway for everything it is there for, over HTTP, and notes what was answered. */
export class Walker {
  readonly gateway: Gateway
  readonly receiver: Receiver
  readonly funds: Account
  readonly key: string
  readonly headers: { authorization: string }
  /** The node behind the gateway, to ask it the same. */
  readonly nodeUrl: string
  /** Who is paid by request. */
  readonly seller: Account
  /** Has money once the walk has begun. */
  customer: Account
  readonly accounts: Account[]
  readonly answers = new Map<string, Shape>()
  readonly #pass: (milliseconds: number) => void
  readonly #next: () => Account
  readonly #patience: number

  private constructor(
    opened: Pick<Walker, 'gateway' | 'receiver' | 'funds' | 'seller' | 'accounts' | 'nodeUrl'>,
    { pass, next, patience }: { pass: (milliseconds: number) => void; next: () => Account; patience: number },
  ) {
    this.gateway = opened.gateway
    this.nodeUrl = opened.nodeUrl
    this.receiver = opened.receiver
    this.funds = opened.funds
    this.seller = opened.seller
    this.accounts = opened.accounts
    this.key = opened.gateway.app.createdKey!
    this.headers = { authorization: `Bearer ${this.key}` }
    this.#pass = pass
    this.#next = next
    this.#patience = patience
    this.customer = next()
  }

  static async open(t: Lifetime, { env, funds, firstAccount }: Ground): Promise<Walker> {
    let ahead = 0
    const clock = { ...systemClock, now: () => systemClock.now() + ahead }
    const accounts: Account[] = []
    const next = () => {
      const privateKey = deriveKey(funds, firstAccount + accounts.length)
      const account = { privateKey, address: toAddress(publicKeyOf(privateKey)) }
      accounts.push(account)
      return account
    }
    const seller = next()
    const bank = { privateKey: funds, address: toAddress(publicKeyOf(funds)) }
    const settings = {
      X402_PAY_TO: seller.address,
      X402_ACTIONS: 'account_weight=0.00001 nano',
      NAME_PLANS: '2 Days=0.00001, 1 Month=0.00002',
      EMAIL_FEE_NANO: '0',
      // The embedded ledger has a name for where its money comes from; here both have.
      KNOWN_NAMES: JSON.stringify({ bank: bank.address }),
      FREE_WORK_PER_HALF_HOUR: '0',
      LIMIT_FREE_PER_MINUTE: '0',
      LIMIT_CHECK_PER_MINUTE: '0',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      CHECKOUT_GENERATED_WALLETS: 'all',
      ...env,
    }
    const gateway = await openGateway(t, settings, clock)
    const receiver = await openReceiver(t)
    const nodeUrl = gateway.app.devnet?.rpcUrl ?? /^[^,#]+/.exec(env.NODE_URLS!)![0]
    const opened = {
      gateway,
      receiver,
      seller,
      accounts,
      nodeUrl,
      funds: bank,
    }
    const patience = (env.NODE_NETWORK ?? 'dev') === 'dev' ? PATIENCE.dev : PATIENCE.elsewhere
    return new Walker(opened, { next, patience, pass: (milliseconds) => void (ahead += milliseconds) })
  }

  /** An account of the walk that nobody has used. */
  fresh(): Account {
    return this.#next()
  }

  /** Lets time go by for the gateway, not for its nodes. */
  pass(milliseconds: number): void {
    this.#pass(milliseconds)
  }

  /** What was answered, to be compared with what is answered elsewhere. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape it is about to check
  note<T = Record<string, string>>(what: string, reply: Pick<Reply, 'status' | 'json'>): T {
    assert.ok(!this.answers.has(what), `${what} is noted twice`)
    this.answers.set(what, shapeOf(reply))
    return reply.json<T>()
  }

  /** Calls an action with the key, notes the answer and expects it to be good. */
  async call<T = Record<string, string>>(what: string, action: string, fields: object = {}): Promise<T> {
    const reply = await this.gateway.call(action, fields, this.headers)
    assert.equal(reply.status, 200, `${what}: ${reply.text}`)
    return this.note<T>(what, reply)
  }

  /** Looks with GET until the answer is as expected, and notes only that one. */
  async look<T = Record<string, string>>(what: string, url: string, isSo: (answer: T) => boolean): Promise<T> {
    let last: Reply | undefined
    const look = async () => {
      last = await ask(url, { method: 'GET', headers: this.headers })
      return last.status === 200 && isSo(last.json<T>())
    }
    await this.until(what, look, () => last!.text)
    return this.note<T>(what, last!)
  }

  async until(what: string, isSo: () => Promise<boolean>, tell = () => ''): Promise<void> {
    const end = performance.now() + this.#patience
    while (!(await isSo())) {
      if (performance.now() > end) throw new Error(`It never came true: ${what} ${tell()}`)
      await setTimeout(LOOK_EVERY)
    }
  }

  /** What a wallet of this account needs. */
  options({ privateKey }: Account): WalletOptions {
    return { privateKey, rpcUrl: this.gateway.url, findWork: this.#findWork }
  }

  /** Takes what waits for an account, and answers its balance. */
  receive(account: Account): Promise<bigint> {
    return receiveFunds(this.options(account))
  }

  /** The gateway finds the work, as strong as asked for. */
  #findWork = async (root: string, threshold: bigint): Promise<string> => {
    const difficulty = threshold.toString(16).padStart(16, '0')
    const reply = await this.gateway.call('work_generate', { hash: root, difficulty }, this.headers)
    assert.equal(reply.status, 200, reply.text)
    return reply.json().work!
  }

  /** Sends through the gateway, and waits for the confirmation. */
  async send(from: Account, to: string, amount: string | Raw): Promise<string> {
    const raw = typeof amount === 'string' ? parseNano(amount)! : amount
    const wallet = openWallet(this.options(from))
    const head = await wallet.readHead()
    if (!head || head.balance < raw) throw new Error(`${from.address} does not have ${amount}.`)
    const block = await wallet.seal({ ...head, balance: (head.balance - raw) as Raw, link: fromAddress(to)! })
    const request = { json_block: 'true', subtype: 'send', block: toBlockJson(block) }
    const reply = await this.gateway.call('process', request)
    const { hash } = reply.json()
    assert.ok(hash !== undefined, reply.text)
    await this.confirmed(hash)
    return hash
  }

  confirmed(hash: string): Promise<void> {
    return this.until(`${hash} is confirmed`, async () => {
      const reply = await this.gateway.call('block_info', { hash, json_block: 'true' })
      return reply.status === 200 && reply.json().confirmed === 'true'
    })
  }
}

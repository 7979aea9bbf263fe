import assert from 'node:assert/strict'
import type { WalletOptions } from '../../src/exports/x402.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { type Raw, parseNano } from '../../src/kernel/money.ts'
import { type Gateway, type Lifetime, type Reply, ask, openGateway } from '../support/gateway.ts'
import { type Account, Purse, patienceOf } from '../support/purse.ts'
import { waitFor } from '../support/until.ts'
import { type Receiver, openReceiver } from '../support/webhook-steps.ts'
import { type Shape, shapeOf } from './shapes.ts'

/** Where a scenario runs, and whose money it uses. */
export interface Ground {
  /** Settings of the gateway: its nodes and their network. */
  env: Record<string, string>
  /** Private key of the account that pays for everything. */
  funds: string
  firstAccount: number
}

/** A client that uses all features of a gateway over HTTP and records the answers. */
export class Walker {
  readonly gateway: Gateway
  readonly receiver: Receiver
  readonly purse: Purse
  readonly key: string
  readonly headers: { authorization: string }
  /** The node behind the gateway, for comparison. */
  readonly nodeUrl: string
  /** Receives x402 payments. */
  readonly seller: Account
  /** Has money once the scenario has begun. */
  customer: Account
  readonly answers = new Map<string, Shape>()
  readonly #pass: (milliseconds: number) => void
  readonly #patience: number

  private constructor(
    opened: Pick<Walker, 'gateway' | 'receiver' | 'purse' | 'seller' | 'nodeUrl'>,
    { pass, patience }: { pass: (milliseconds: number) => void; patience: number },
  ) {
    this.gateway = opened.gateway
    this.nodeUrl = opened.nodeUrl
    this.receiver = opened.receiver
    this.purse = opened.purse
    this.seller = opened.seller
    this.key = opened.gateway.app.createdKey!
    this.headers = { authorization: `Bearer ${this.key}` }
    this.#pass = pass
    this.#patience = patience
    this.customer = this.fresh()
  }

  static async open(t: Lifetime, { env, funds, firstAccount }: Ground): Promise<Walker> {
    let ahead = 0
    const clock = { ...systemClock, now: () => systemClock.now() + ahead }
    const patience = patienceOf(env.NODE_NETWORK ?? 'dev')
    const purse = new Purse({
      funds,
      firstAccount,
      patience,
      rpcUrl: () => gateway.url,
      findWork: (root, threshold) => findWork(gateway, root, threshold),
    })
    const seller = purse.fresh()
    const settings = {
      X402_PAY_TO: seller.address,
      X402_ACTIONS: 'account_weight=0.00001 nano',
      NAME_PLANS: '2 Days=0.00001, 1 Month=0.00002',
      EMAIL_FEE_NANO: '0',
      // The development ledger names its funding account; this setting gives both sides the name.
      KNOWN_NAMES: JSON.stringify({ bank: purse.source.address }),
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
    const opened = { gateway, receiver, seller, nodeUrl, purse }
    return new Walker(opened, { patience, pass: (milliseconds) => void (ahead += milliseconds) })
  }

  /** A new account of the scenario. */
  fresh(): Account {
    return this.purse.fresh()
  }

  /** Advances the gateway's clock, not the nodes'. */
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

  /** Calls an action with the key, records the answer and expects success. */
  async call<T = Record<string, string>>(what: string, action: string, fields: object = {}): Promise<T> {
    const reply = await this.gateway.call(action, fields, this.headers)
    assert.equal(reply.status, 200, `${what}: ${reply.text}`)
    return this.note<T>(what, reply)
  }

  /** Repeats a GET until the answer is as expected, and records only that one. */
  async look<T = Record<string, string>>(what: string, url: string, isSo: (answer: T) => boolean): Promise<T> {
    let last: Reply | undefined
    const look = async () => {
      last = await ask(url, { method: 'GET', headers: this.headers })
      return last.status === 200 && isSo(last.json<T>())
    }
    await this.until(what, look, () => last!.text)
    return this.note<T>(what, last!)
  }

  until(what: string, isSo: () => Promise<boolean>, tell = () => ''): Promise<void> {
    return waitFor(what, isSo, { patience: this.#patience, tell })
  }

  /** Options for a wallet of this account. */
  options(account: Account): WalletOptions {
    return this.purse.walletOf(account)
  }

  /** Receives everything receivable of an account, and returns its balance. */
  receive(account: Account): Promise<bigint> {
    return this.purse.receive(account)
  }

  /** Sends through the gateway, and waits for the confirmation. */
  send(from: Account, to: string, amount: string | Raw): Promise<string> {
    return this.purse.send(from, to, typeof amount === 'string' ? parseNano(amount)! : amount)
  }

  confirmed(hash: string): Promise<void> {
    return this.purse.confirmed(hash)
  }
}

/** The gateway computes the work at the given threshold. */
async function findWork({ call, app }: Gateway, root: string, threshold: bigint): Promise<string> {
  const difficulty = threshold.toString(16).padStart(16, '0')
  const headers = { authorization: `Bearer ${app.createdKey}` }
  const reply = await call('work_generate', { hash: root, difficulty }, headers)
  assert.equal(reply.status, 200, reply.text)
  return reply.json().work!
}

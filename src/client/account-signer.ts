import type { Raw } from '../kernel/money.ts'
import type { StateBlock } from '../kernel/nano/block.ts'
import { whenOver } from '../kernel/when-over.ts'
import type { AccountChain, Subtype, Head } from './account-chain.ts'
import { GatewayError } from './gateway-error.ts'
import { publish } from './publish.ts'
import { rest } from './rest.ts'

const LOOK_EVERY = 250
const LOOKS_MAX = 40

/** Signs for one account, one block after the other: each needs the one before it. */
export class AccountSigner {
  readonly chain: AccountChain
  #underWay: Promise<unknown> = Promise.resolve()
  /** What the last payment that another program publishes builds on. */
  #spent: string | undefined
  /** A block of ours of which it is not known whether the ledger has it. */
  #unknown: { block: StateBlock; subtype: Subtype } | undefined

  constructor(chain: AccountChain) {
    this.chain = chain
  }

  inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#underWay.then(run)
    this.#underWay = whenOver(turn)
    return turn
  }

  /** The newest block of an account that must have one. */
  async nextHead(): Promise<Head> {
    const head = await this.findHead()
    if (head) return head
    throw new GatewayError(`${this.chain.address} has not received anything yet.`, { code: 'insufficient_funds' })
  }

  /**
   * The newest block of the account. While it is one we have already built upon, the payment before this one is still on
   * its way and is waited for, but not for ever: it may have been refused.
   */
  async findHead(): Promise<Head | undefined> {
    await this.#resolve()
    for (let looks = 1; ; looks++) {
      const head = await this.chain.readHead()
      if (head?.previous !== this.#spent || head === undefined || looks === LOOKS_MAX) return head
      await rest(LOOK_EVERY)
    }
  }

  /** Signs a send. One that another program publishes is waited for before the next block. */
  async signSend(head: Head, link: string, amount: bigint): Promise<StateBlock> {
    if (head.balance < amount) {
      throw new GatewayError(`${this.chain.address} has less than that.`, { code: 'insufficient_funds' })
    }
    return this.chain.seal({ ...head, balance: (head.balance - amount) as Raw, link })
  }

  /** Another program publishes this block. */
  handOver({ previous }: StateBlock): void {
    this.#spent = previous
  }

  /** It will not be published: the next block takes its place. */
  takeBack({ previous }: StateBlock): void {
    if (this.#spent === previous) this.#spent = undefined
  }

  async publish(block: StateBlock, subtype: Subtype): Promise<string> {
    try {
      return await publish(this.chain.rpc, block, subtype)
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'publish_unknown') this.#unknown = { block, subtype }
      throw error
    }
  }

  /** Another block in place of one that may still arrive would be a second payment, or a fork. */
  async #resolve(): Promise<void> {
    if (!this.#unknown) return
    const { block, subtype } = this.#unknown
    try {
      await publish(this.chain.rpc, block, subtype)
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'ledger_refused') throw error
    }
    this.#unknown = undefined
  }
}

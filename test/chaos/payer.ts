import { setTimeout as sleep } from 'node:timers/promises'
import type { Head } from '../../src/client/account-chain.ts'
import { openOwnChain } from '../../src/client/exact-nano.ts'
import type { Raw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import type { Account, Purse } from '../support/purse.ts'
import { call } from '../support/rpc.ts'
import type { Client } from './client.ts'
import type { NodePlace } from './ledger.ts'

const AGAIN_AFTER = 200
/** A broken connection can hang for minutes. All requests here can be repeated. */
const ANSWER_MAX = 15_000

/** A payer. Each block is signed once and published until the ledger has it, so that it never pays twice. */
export class Payer {
  readonly account: Account
  /** One of its blocks is being published elsewhere, so nothing can be built on it yet. */
  isBusy = false
  readonly #purse: Purse
  readonly #node: NodePlace
  #head: Head | undefined

  constructor(purse: Purse, node: NodePlace) {
    this.account = purse.fresh()
    this.#purse = purse
    this.#node = node
  }

  get frontier(): string {
    return this.#head!.previous
  }

  get balance(): bigint {
    return this.#head!.balance
  }

  /** Receives its first funds, before the faults begin. */
  async open(amount: Raw): Promise<void> {
    await this.#purse.send(this.#purse.source, this.account.address, amount)
    await this.#purse.receive(this.account)
    this.#head = await openOwnChain(this.#purse.walletOf(this.account)).readHead()
    await this.#purse.confirmed(this.frontier)
  }

  /** Sends through a gateway or directly to the node. Returns the hash once the ledger has the block. */
  async pay(
    to: string,
    amount: bigint,
    { through, over }: { through: Client | undefined; over: AbortSignal },
  ): Promise<string> {
    const block = await this.sign(to, amount, over)
    const hash = hashBlock(block)
    const request = { action: 'process', json_block: 'true', subtype: 'send', block: toBlockJson(block) }
    for (let tries = 0; ; tries++) {
      // After some failures of a gateway it pays directly.
      if (through && tries < 5) {
        const answer = await through.post(request)
        if (answer?.status === 200 && answer.body.hash === hash) break
        if (answer?.status === 200 && tries === 0 && answer.body.error !== undefined) {
          through.violations.push(`a fresh block was refused: ${answer.text}`)
        }
      } else await attempt(() => call(this.#node.rpcUrl, 'process', request))
      const found = await attempt(() => call(this.#node.rpcUrl, 'block_info', { hash, json_block: 'true' }))
      if (found?.block_account !== undefined) break
      await sleep(AGAIN_AFTER, undefined, { signal: over })
    }
    this.advance(block)
    return hash
  }

  /** Records that the ledger has the block, so that the next one builds on it. */
  advance(block: StateBlock): void {
    this.#head = { ...this.#head!, previous: hashBlock(block), balance: block.balance }
  }

  /** Signs its next send. The node says how much work it needs. */
  async sign(to: string, amount: bigint, over: AbortSignal): Promise<StateBlock> {
    const head = this.#head!
    const draft = { ...head, balance: (head.balance - amount) as Raw, link: fromAddress(to)! }
    for (;;) {
      const block = await attempt(() => openOwnChain(this.#purse.walletOf(this.account)).seal(draft))
      if (block) return block
      await sleep(AGAIN_AFTER, undefined, { signal: over })
    }
  }
}

/** An unreachable node is part of the test: undefined means try again. */
async function attempt<T>(ask: () => Promise<T>): Promise<T | undefined> {
  const patience = new AbortController()
  const late = sleep(ANSWER_MAX, undefined, { signal: patience.signal }).catch(() => undefined)
  try {
    return await Promise.race([ask(), late])
  } catch {
    return undefined
  } finally {
    patience.abort()
  }
}

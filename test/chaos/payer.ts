import { setTimeout as sleep } from 'node:timers/promises'
import type { PublicKey } from '../../src/kernel/nano/address.ts'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { type Frontier, Signer, UNOPENED, frontierAfter } from '../support/blocks.ts'
import { call } from '../support/rpc.ts'
import type { Client } from './client.ts'

const AGAIN_AFTER = 200

/** Somebody who pays. Its blocks are signed once and published until the ledger has them, so that it never pays twice. */
export class Payer {
  readonly signer: Signer
  /** All that was ever sent. */
  sent = 0n
  #frontier: Frontier = UNOPENED
  readonly #nodeUrl: () => string

  constructor(index: number, nodeUrl: () => string) {
    this.signer = new Signer(index, WORK_THRESHOLDS.dev)
    this.#nodeUrl = nodeUrl
  }

  get frontier(): string {
    return this.#frontier.previous
  }

  get balance(): bigint {
    return this.#frontier.balance
  }

  /** Gets its first funds, while nothing is broken yet. */
  async open(nano: number): Promise<void> {
    const amount_nano = String(nano)
    const account = this.signer.address
    const { hash } = await call(this.#nodeUrl(), 'devnet_fund', { account, amount_nano })
    const amount = BigInt(nano) * 10n ** 30n
    const block = this.signer.receive(this.#frontier, hash!, amount)
    await call(this.#nodeUrl(), 'process', { json_block: 'true', block: toBlockJson(block) })
    this.#frontier = frontierAfter(block)
  }

  /** Sends, through a gateway or straight to the node, and answers the hash once the ledger has the block. */
  async pay(to: PublicKey, amount: bigint, gateway: Client | undefined): Promise<string> {
    const block = this.signer.send(this.#frontier, to, amount)
    const hash = hashBlock(block)
    const request = { action: 'process', json_block: 'true', subtype: 'send', block: toBlockJson(block) }
    for (let tries = 0; ; tries++) {
      // A gateway that is away for long does not keep anybody from paying.
      if (gateway && tries < 5) {
        const answer = await gateway.post(request)
        if (answer?.status === 200 && answer.body.hash === hash) break
        if (answer?.status === 200 && tries === 0 && answer.body.error !== undefined) {
          gateway.violations.push(`a fresh block was refused: ${answer.text}`)
        }
      } else await this.#ask('process', request)
      if ((await this.#ask('block_info', { hash, json_block: 'true' }))?.block_account !== undefined) break
      await sleep(AGAIN_AFTER)
    }
    this.#frontier = frontierAfter(block)
    this.sent += amount
    return hash
  }

  async #ask(action: string, parameters: object): Promise<Record<string, string> | undefined> {
    return call(this.#nodeUrl(), action, parameters).catch(() => undefined)
  }
}

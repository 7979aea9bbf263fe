import { toAddress } from '../../src/kernel/nano/address.ts'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { Signer, UNOPENED, frontierAfter, nano } from './blocks.ts'
import type { EventRelay } from './event-relay.ts'
import type { FaultyNode } from './faulty-node.ts'

/** Payments that never happened, by an account without money. They are well-formed and signed. */
export class Inventions {
  readonly #thief = new Signer(666)
  readonly #blocks = new Map<string, StateBlock>()
  readonly #paid = new Map<string, string[]>()
  #frontier = frontierAfter(this.#thief.receive(UNOPENED, 'E'.repeat(64), nano(1_000_000)))

  constructor() {
    this.#keep(this.#thief.receive(UNOPENED, 'E'.repeat(64), nano(1_000_000)))
  }

  /** Invents a payment to an address; returns its hash. */
  pay(to: string, amountRaw: bigint, key: string): string {
    const block = this.#thief.send(this.#frontier, key, amountRaw)
    this.#frontier = frontierAfter(block)
    this.#paid.set(to, [...(this.#paid.get(to) ?? []), hashBlock(block)])
    return this.#keep(block)
  }

  /** Makes a node report them like real blocks from now on. */
  reportThrough(node: Pick<FaultyNode, 'lie'>): void {
    node.lie('blocks_info', (answer, body) => this.#inventBlocks(answer, body))
    node.lie('block_info', (answer, body) => {
      const block = this.#blocks.get((JSON.parse(body) as { hash: string }).hash)
      return block ? describe(block) : answer
    })
    node.lie('accounts_receivable', (answer, body) => {
      const { accounts } = JSON.parse(body) as { accounts: string[] }
      const told = toMembers(answer.blocks)
      const blocks = accounts.map((account) => [account, { ...toMembers(told[account]), ...this.#waitingAt(account) }])
      return { ...answer, blocks: Object.fromEntries(blocks) as object }
    })
    node.lie('receivable', (answer, body) => {
      const { account } = JSON.parse(body) as { account: string }
      return { blocks: { ...toMembers(answer.blocks), ...this.#waitingAt(account) } }
    })
  }

  /** Reports one on the node's websocket. */
  tellBy(relay: EventRelay, hash: string): void {
    const block = this.#blocks.get(hash)!
    const message = {
      account: toAddress(block.account),
      amount: '1',
      hash,
      confirmation_type: 'active_quorum',
      block: { ...toBlockJson(block), subtype: 'send' },
    }
    relay.say(JSON.stringify({ topic: 'confirmation', time: '0', message }))
  }

  #keep(block: StateBlock): string {
    const hash = hashBlock(block)
    this.#blocks.set(hash, block)
    return hash
  }

  #inventBlocks(answer: Record<string, unknown>, body: string): object {
    const { hashes } = JSON.parse(body) as { hashes: string[] }
    const invented = hashes
      .filter((hash) => this.#blocks.has(hash))
      .map((hash) => [hash, describe(this.#blocks.get(hash)!)])
    return { ...answer, blocks: { ...toMembers(answer.blocks), ...(Object.fromEntries(invented) as object) } }
  }

  #waitingAt(address: string): object {
    const hashes = this.#paid.get(address) ?? []
    return Object.fromEntries(hashes.map((hash) => [hash, { amount: '1', source: this.#thief.address }]))
  }
}

/** A node writes an empty list as a string. */
const toMembers = (told: unknown) => (typeof told === 'object' ? told : {}) as Record<string, object>

const describe = (block: StateBlock) => ({
  block_account: toAddress(block.account),
  amount: '1',
  balance: block.balance.toString(),
  height: '2',
  local_timestamp: '0',
  successor: '0'.repeat(64),
  confirmed: 'true',
  receivable: '1',
  subtype: 'send',
  contents: toBlockJson(block),
})

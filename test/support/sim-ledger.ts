import { hash as digest } from 'node:crypto'
import { believeOne } from '../../src/kernel/agreed-read.ts'
import { AppError, LedgerRefusal } from '../../src/kernel/errors.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import type { Confirmation, ConfirmationBus, NodeAnswer, NodeParams, NodePort } from '../../src/kernel/ports.ts'
import type { SeededRandom } from './random.ts'
import { noBlocks, sendsAsReported } from './sends-as-reported.ts'

export interface SimBlock {
  hash: string
  account: string
  subtype: 'send' | 'receive'
  /** The recipient of a send, or the send that a receive takes. */
  link: string
  amount: bigint
  height: number
  seconds: number
  confirmed: boolean
}

/**
 * A ledger of unsigned blocks, confirmed in order of arrival, and an unreliable node: some confirmations are dropped, repeated or false, and some requests
 * fail.
 */
export class SimLedger implements NodePort, ConfirmationBus {
  connected = true
  /** Confirmed sends, in order of confirmation. */
  readonly final: SimBlock[] = []
  /** In percent. */
  faults = { dropped: 0, doubled: 0, failed: 0 }
  readonly #random: SeededRandom
  readonly #chains = new Map<string, SimBlock[]>()
  readonly #blocks = new Map<string, SimBlock>()
  readonly #waiting = new Map<string, Set<string>>()
  readonly #unconfirmed: SimBlock[] = []
  readonly #listeners = new Set<(confirmation: Confirmation) => void>()
  readonly #gapListeners = new Set<() => void>()
  #seconds = 1_000

  constructor(random: SeededRandom) {
    this.#random = random
  }

  listen(listener: (confirmation: Confirmation) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  watch(): () => void {
    return () => undefined
  }

  onGap(listener: () => void): void {
    this.#gapListeners.add(listener)
  }

  readonly readBlocks = noBlocks
  readonly readSends = sendsAsReported((action, params) => this.read(action, params))
  readonly readAgreed = believeOne((action, params) => this.read(action, params))

  publish(): Promise<string> {
    return Promise.reject(new Error('Nobody sends here.'))
  }

  send(account: string, to: string, amount: bigint): void {
    const { hash } = this.#append({ account, subtype: 'send', link: to, amount })
    const waiting = this.#waiting.get(to) ?? new Set()
    this.#waiting.set(to, waiting.add(hash))
  }

  /** Receives one of an account's receivable sends, if any. */
  receive(account: string): void {
    const [source] = this.#waiting.get(account) ?? []
    if (source === undefined) return
    this.#waiting.get(account)!.delete(source)
    this.#append({ account, subtype: 'receive', link: source, amount: this.#blocks.get(source)!.amount })
  }

  /** Confirms the oldest blocks. */
  confirm(count: number): void {
    for (const block of this.#unconfirmed.splice(0, count)) {
      block.confirmed = true
      if (block.subtype === 'send') this.final.push(block)
      const { dropped, doubled } = this.faults
      if (this.#random.below(100) >= dropped) this.#tell(block)
      if (this.#random.below(100) < doubled) this.#tell(block)
    }
  }

  /** Reports a block that is not final, as a node does that is ahead of others or wrong. */
  lie(): void {
    const [block] = this.#unconfirmed
    if (block) this.#tell(block)
  }

  interrupt(isConnected: boolean): void {
    this.connected = isConnected
    for (const listener of this.#gapListeners) listener()
  }

  #append(block: Omit<SimBlock, 'hash' | 'height' | 'seconds' | 'confirmed'>): SimBlock {
    const chain = this.#chains.get(block.account) ?? []
    this.#chains.set(block.account, chain)
    const hash = digest('sha256', `${block.account} ${chain.length}`, 'hex').toUpperCase()
    const made = { ...block, hash, height: chain.length + 1, seconds: this.#seconds++, confirmed: false }
    chain.push(made)
    this.#blocks.set(hash, made)
    this.#unconfirmed.push(made)
    return made
  }

  #tell({ hash, account, subtype, link }: SimBlock): void {
    if (!this.connected) return
    const linked = subtype === 'send' ? { link: fromAddress(link)!, link_as_account: link } : { link }
    const block = { type: 'state', subtype, ...linked }
    for (const listener of this.#listeners) {
      listener({ hash, account, amount: '1', block, type: 'active_quorum', time: '0' })
    }
  }

  async read(action: string, params: NodeParams): Promise<NodeAnswer> {
    await new Promise((resolve) => setImmediate(resolve))
    if (this.#random.below(100) < this.faults.failed) throw new AppError('no_node', 'No node answers.')
    return this.#answer(action, params)
  }

  #answer(action: string, { accounts, account, hashes, head, offset, count }: NodeParams): NodeAnswer {
    const finalOf = (address: string) =>
      [...(this.#waiting.get(address) ?? [])].filter((hash) => this.#blocks.get(hash)!.confirmed)
    if (action === 'accounts_receivable') {
      const found = (accounts as string[]).map((one) => [
        one,
        Object.fromEntries(finalOf(one).map((hash) => [hash, {}])),
      ])
      return { blocks: Object.fromEntries(found) as never }
    }
    if (action === 'accounts_frontiers') {
      const found = (accounts as string[]).flatMap((one) => {
        const last = this.#chains.get(one)?.at(-1)
        return last ? [[one, last.hash]] : []
      })
      return { frontiers: Object.fromEntries(found) as never }
    }
    if (action === 'blocks_info') {
      const found = (hashes as string[]).flatMap((hash) =>
        this.#blocks.has(hash) ? [[hash, this.#describe(hash)]] : [],
      )
      return { blocks: Object.fromEntries(found) as never }
    }
    if (action === 'account_info') {
      const last = this.#chains.get(account as string)!.findLast(({ confirmed }) => confirmed)
      return { confirmed_height: String(last?.height ?? 0), confirmed_frontier: last?.hash ?? '0'.repeat(64) }
    }
    if (action === 'account_history') return this.#history({ account, head, offset, count })
    throw new Error(`Nobody asks for ${action} here.`)
  }

  #history({ account, head, offset, count }: NodeParams): NodeAnswer {
    const first = head === undefined ? undefined : this.#blocks.get(head as string)
    if (head !== undefined && !first) throw new LedgerRefusal('Block not found')
    const chain = this.#chains.get(first?.account ?? (account as string))
    if (!chain) throw new LedgerRefusal('Account not found')
    const from = (first ? first.height - 1 : 0) + Number(offset ?? 0)
    const history = chain.slice(from, from + Number(count)).map(({ hash, subtype, link, height, confirmed }) => ({
      hash,
      type: 'state',
      subtype,
      link: subtype === 'send' ? fromAddress(link)! : link,
      height: String(height),
      confirmed: String(confirmed),
    }))
    return { history }
  }

  #describe(hash: string) {
    const { account, subtype, link, amount, height, seconds, confirmed } = this.#blocks.get(hash)!
    return {
      block_account: account,
      subtype,
      amount: amount.toString(),
      height: String(height),
      local_timestamp: String(seconds),
      confirmed: String(confirmed),
      contents: { type: 'state', link: subtype === 'send' ? fromAddress(link)! : link },
    }
  }
}

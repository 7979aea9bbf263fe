import { believeOne } from '../../src/kernel/agreed-read.ts'
import { hash as digest } from 'node:crypto'
import type { Confirmation, ConfirmationBus, NodeAnswer, NodeParams, NodePort } from '../../src/kernel/ports.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { addressOf } from './many-checkouts.ts'
import { noBlocks, sendsAsReported } from './sends-as-reported.ts'

interface Payment {
  to: string
  amountRaw: bigint
  at: number
  /** How often the node still reports it as unconfirmed. */
  unsureFor: number
}

const STRANGERS = 5_000
const sender = addressOf('payer')

/**
 * A network that consists only of events: it reports unrelated sends and payments, and answers the monitor's requests about them. Blocks are unsigned,
 * because nothing here checks signatures; amounts and links are real.
 */
export class SyntheticNetwork implements NodePort, ConfirmationBus {
  connected = true
  /** Requests by action, and the requested blocks. */
  readonly asked = new Map<string, number>()
  readonly described: string[] = []
  #onQuestion: (() => void) | undefined
  readonly #payments = new Map<string, Payment>()
  readonly #byAddress = new Map<string, string[]>()
  readonly #listeners = new Set<(confirmation: Confirmation) => void>()
  readonly #strangers = Array.from({ length: STRANGERS }, (_, at) => addressOf(`stranger ${at}`))
  #told = 0

  listen(listener: (confirmation: Confirmation) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  watch(): () => void {
    return () => undefined
  }

  onGap(): void {}

  readonly readBlocks = noBlocks
  readonly readSends = sendsAsReported((action, params) => this.read(action, params))
  readonly readAgreed = believeOne((action, params) => this.read(action, params))

  publish(): Promise<string> {
    return Promise.reject(new Error('Nobody sends here.'))
  }

  /** Reports a send that concerns nobody here. */
  tellStrange(): void {
    const at = this.#told++
    const to = this.#strangers[at % STRANGERS]!
    this.#tell(to, nextHash(at), 'send', { link_as_account: this.#strangers[(at + 1) % STRANGERS]! })
  }

  /** Puts a payment on the ledger without reporting it. */
  pay({ to, amountRaw, at, unsureFor = 0 }: Omit<Payment, 'unsureFor'> & { unsureFor?: number }): string {
    const hash = nextHash(this.#told++)
    this.#payments.set(hash, { to, amountRaw, at, unsureFor })
    const hashes = this.#byAddress.get(to)
    if (hashes) hashes.push(hash)
    else this.#byAddress.set(to, [hash])
    return hash
  }

  reportSend(hash: string): void {
    this.#tell(sender, hash, 'send', { link_as_account: this.#payments.get(hash)!.to })
  }

  /** Reports a send to an address that is not on the ledger. */
  tellUnknown(to: string): string {
    const hash = nextHash(this.#told++)
    this.#tell(sender, hash, 'send', { link_as_account: to })
    return hash
  }

  /** Reports that the recipient has received it. */
  tellReceive(hash: string): void {
    this.#tell(this.#payments.get(hash)!.to, nextHash(this.#told++), 'receive', { link: hash })
  }

  /** Resolves at the next request. */
  nextQuestion(): Promise<void> {
    return new Promise((resolve) => (this.#onQuestion = resolve))
  }

  read(action: string, params: NodeParams): Promise<NodeAnswer> {
    this.#onQuestion?.()
    this.asked.set(action, (this.asked.get(action) ?? 0) + 1)
    const answer = this.#answer(action, params)
    // The answer comes after the caller has continued.
    return new Promise((resolve) => setImmediate(resolve, answer))
  }

  #answer(action: string, params: NodeParams): NodeAnswer {
    if (action === 'blocks_info') {
      const hashes = params.hashes as string[]
      this.described.push(...hashes)
      return { blocks: Object.fromEntries(hashes.flatMap((hash) => this.#describe(hash))) }
    }
    if (action === 'accounts_receivable') {
      const blocks = (params.accounts as string[]).flatMap((address) => {
        const hashes = this.#byAddress.get(address) ?? []
        return hashes.length === 0 ? [] : [[address, Object.fromEntries(hashes.map((hash) => [hash, {}]))] as const]
      })
      return { blocks: Object.fromEntries(blocks) }
    }
    if (action === 'accounts_frontiers') return { frontiers: {} }
    throw new Error(`Nobody asks for ${action} here.`)
  }

  #describe(hash: string): [string, object][] {
    const payment = this.#payments.get(hash)
    if (!payment) return []
    const confirmed = payment.unsureFor === 0
    if (!confirmed) payment.unsureFor--
    const { to, amountRaw, at } = payment
    const told = {
      block_account: sender,
      amount: amountRaw.toString(),
      subtype: 'send',
      local_timestamp: String(Math.floor(at / 1_000)),
      confirmed: String(confirmed),
      receivable: '1',
      contents: { link: fromAddress(to)! },
    }
    return [[hash, told]]
  }

  #tell(account: string, hash: string, subtype: string, rest: Record<string, string>): void {
    const block = { type: 'state', account, subtype, ...rest }
    const confirmation = { hash, account, amount: '1', block, type: 'active_quorum', time: '0' }
    for (const listener of this.#listeners) listener(confirmation)
  }
}

const nextHash = (at: number) => digest('sha256', `block ${at}`, 'hex').toUpperCase()

import { type Raw, formatNano, parseNano, toRaw } from '../../src/kernel/money.ts'
import { type Account, Purse, type PurseOptions } from '../support/purse.ts'
import { waitFor } from '../support/until.ts'
import type { Client } from './client.ts'
import type { LedgerReader, NodePlace } from './ledger.ts'
import { Payer } from './payer.ts'

const CALLERS = 6
const WALLETS = 6
const MERCHANTS = 3
const CLAIMANTS = 2
/** Together less than a tenth of a nano, so that a run on the live network is cheap even if it fails. */
const GIVEN = { payer: '0.01', buyer: '0.001', wallet: '0.004' }
/** On our own ledger nobody runs out of money. */
const PLENTY = { payer: '1000', buyer: '10', wallet: '10' }

export interface MoneyOptions extends PurseOptions {
  node: NodePlace
  reader: LedgerReader
  /** True on our own ledger, where money is free. */
  isPlay: boolean
}

/** All money of a run: where it comes from, who has it meanwhile, and its return. */
export class Money {
  readonly purse: Purse
  readonly payers: readonly Payer[]
  /** Payers for x402 requests. */
  readonly buyers: readonly Payer[]
  /** Paid through checkouts; they never send. */
  readonly merchants: readonly Account[]
  /** Receives from cloud wallets and never sends. */
  readonly friend: Account
  /** Receives x402 payments and never sends. */
  readonly seller: Account
  /** They claim links and never send. */
  readonly claimants: readonly Account[]
  /** Refund address of email payments; it never sends. */
  readonly home: Account
  readonly wallets: string[] = []
  /** Sum that left the funding account. */
  handedOut = 0n
  /** True while others may still have some of it. */
  isOut = false
  readonly #options: MoneyOptions

  constructor(options: MoneyOptions) {
    this.#options = options
    this.purse = new Purse(options)
    this.payers = Array.from({ length: CALLERS }, () => new Payer(this.purse, options.node))
    this.buyers = Array.from({ length: CALLERS }, () => new Payer(this.purse, options.node))
    this.merchants = Array.from({ length: MERCHANTS }, () => this.purse.fresh())
    this.friend = this.purse.fresh()
    this.seller = this.purse.fresh()
    this.claimants = Array.from({ length: CLAIMANTS }, () => this.purse.fresh())
    this.home = this.purse.fresh()
  }

  /** True if there is more than a run can spend. */
  get isPlay(): boolean {
    return this.#options.isPlay
  }

  /** Distributes the money before the faults begin. Each block needs work that is computed here, which takes a while; `tell` reports the progress. */
  async handOut(client: Client, tell: (line: string) => void): Promise<void> {
    const { isPlay, patience, reader } = this.#options
    const amounts = isPlay ? PLENTY : GIVEN
    const payerRaw = parseNano(amounts.payer)!
    const buyerRaw = parseNano(amounts.buyer)!
    const walletRaw = parseNano(amounts.wallet)!
    if (!isPlay) await this.#expect((payerRaw + buyerRaw) * BigInt(CALLERS) + walletRaw * BigInt(WALLETS))
    this.isOut = !isPlay
    for (const [at, payer] of this.payers.entries()) {
      tell(`payer ${at + 1} of ${CALLERS} gets money`)
      this.handedOut += payerRaw
      await payer.open(payerRaw)
    }
    for (const [at, buyer] of this.buyers.entries()) {
      tell(`buyer ${at + 1} of ${CALLERS} gets money`)
      this.handedOut += buyerRaw
      await buyer.open(buyerRaw)
    }
    for (let at = 0; at < WALLETS; at++) {
      tell(`wallet ${at + 1} of ${WALLETS} is made and gets money`)
      const address = await this.#openWallet(client)
      this.wallets.push(address)
      this.handedOut += walletRaw
      await this.purse.send(this.purse.source, address, walletRaw)
      const receives = async () => {
        await client.post({ action: 'cloud_wallet', account: address, receive: true })
        return (await reader.readAccount(address)).balance === walletRaw
      }
      await waitFor(`wallet ${address} has its money`, receives, { patience })
    }
  }

  /** Returns all money and deletes the gateways' wallets. Returns a sentence for each failure. */
  async giveBack(client: Client): Promise<string[]> {
    const { reader, patience } = this.#options
    try {
      for (const account of this.wallets) {
        const isEmpty = async () => {
          if ((await reader.readWealth(account)) === 0n) return true
          await client.post({ action: 'cloud_wallet', account, delete: true })
          await client.pause()
          return false
        }
        await waitFor(`wallet ${account} is empty`, isEmpty, { patience })
      }
      await this.purse.giveBack()
      this.isOut = false
      return []
    } catch (error) {
      return [`the money did not all go back: ${error instanceof Error ? error.message : String(error)}`]
    }
  }

  async #openWallet(client: Client): Promise<string> {
    let address: unknown
    const isOpened = async () => {
      const asked = { action: 'cloud_wallet', refund_address: this.purse.source.address }
      address = (await client.post(asked, `wallet-${this.wallets.length}`))?.body.address
      return typeof address === 'string'
    }
    await waitFor('a wallet is made', isOpened, { patience: this.#options.patience })
    return address as string
  }

  async #expect(needed: bigint): Promise<void> {
    const held = await this.purse.receive(this.purse.source)
    if (held >= needed) return
    const words = (amount: bigint): string => formatNano(toRaw(amount) satisfies Raw)
    throw new Error(`${this.purse.source.address} has ${words(held)} nano, and this run needs ${words(needed)}.`)
  }
}

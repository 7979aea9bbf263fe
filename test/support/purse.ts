import { type WalletOptions, receiveFunds } from '../../src/exports/x402.ts'
import { openOwnChain } from '../../src/client/exact-nano.ts'
import { searchWork } from '../../src/exports/search-work.ts'
import { type Raw, toRaw } from '../../src/kernel/money.ts'
import { fromAddress, toAddress } from '../../src/kernel/nano/address.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { deriveKey, publicKeyOf } from '../../src/kernel/nano/keys.ts'
import { waitFor } from './until.ts'

export interface Account {
  privateKey: string
  address: string
}

export interface PurseOptions {
  /** Private key of the account that pays for everything. */
  funds: string
  /** A run's accounts are derived from the key and this number, so that the owner of the key can always recover the money. */
  firstAccount: number
  /** Where blocks are published: a node, or a gateway. */
  rpcUrl: () => string
  /** If unset, work is computed here. */
  findWork?: WalletOptions['findWork']
  /** Milliseconds until a block must be confirmed. */
  patience: number
}

/** A development network is fast; on others the work of a block takes a processor minutes. */
export const patienceOf = (network: string) => (network === 'dev' ? 60_000 : 600_000)

const accountOf = (privateKey: string): Account => ({ privateKey, address: toAddress(publicKeyOf(privateKey)) })

/** The money of a run: spent with blocks signed here; the rest is returned. */
export class Purse {
  /** The account that provides the money and gets the rest back. */
  readonly source: Account
  /** The accounts of this run, in order of creation. */
  readonly accounts: Account[] = []
  readonly #options: PurseOptions

  constructor(options: PurseOptions) {
    this.#options = options
    this.source = accountOf(options.funds)
  }

  /** A new account of this run. */
  fresh(): Account {
    const account = accountOf(deriveKey(this.#options.funds, this.#options.firstAccount + this.accounts.length))
    this.accounts.push(account)
    return account
  }

  /** Options for a wallet of this account. */
  walletOf({ privateKey }: Account): WalletOptions {
    const { rpcUrl, findWork = searchWork } = this.#options
    return { privateKey, rpcUrl: rpcUrl(), findWork }
  }

  /** Receives everything receivable of an account; returns its balance. */
  async receive(account: Account): Promise<bigint> {
    let balance = await receiveFunds(this.walletOf(account))
    // One call receives at most a hundred blocks.
    for (let before = -1n; before !== balance;) {
      before = balance
      balance = await receiveFunds(this.walletOf(account))
    }
    return balance
  }

  /** Sends, and waits for the confirmation. */
  async send(from: Account, to: string, amount: Raw): Promise<string> {
    const wallet = openOwnChain(this.walletOf(from))
    const head = await wallet.readHead()
    if (!head || head.balance < amount) throw new Error(`${from.address} does not have ${amount} raw.`)
    const block = await wallet.seal({ ...head, balance: (head.balance - amount) as Raw, link: fromAddress(to)! })
    const answer = await wallet.rpc('process', { json_block: 'true', subtype: 'send', block: toBlockJson(block) })
    if (typeof answer.hash !== 'string') throw new Error(`A send was refused: ${JSON.stringify(answer)}`)
    await this.confirmed(answer.hash)
    return answer.hash
  }

  async confirmed(hash: string): Promise<void> {
    const { rpc } = openOwnChain(this.walletOf(this.source))
    const isConfirmed = async () => (await rpc('block_info', { hash, json_block: 'true' })).confirmed === 'true'
    await waitFor(`${hash} is confirmed`, isConfirmed, { patience: this.#options.patience })
  }

  /** Returns all money of the run's accounts to the source. Returns the sum. */
  async giveBack(): Promise<bigint> {
    let returned = 0n
    for (const account of this.accounts) {
      const left = await this.receive(account)
      if (left > 0n) await this.send(account, this.source.address, toRaw(left))
      returned += left
    }
    return returned
  }
}

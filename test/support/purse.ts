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
  /** Accounts of a run follow from the key and this number, so that whoever has the key can find their money again. */
  firstAccount: number
  /** Where blocks go: a node, or a gateway in front of one. */
  rpcUrl: () => string
  /** Unset, this machine finds the work. */
  findWork?: WalletOptions['findWork']
  /** Milliseconds that the network has for one block. */
  patience: number
}

/** On a development network everything is quick; elsewhere a block takes a processor minutes of work. */
export const patienceOf = (network: string) => (network === 'dev' ? 60_000 : 600_000)

const accountOf = (privateKey: string): Account => ({ privateKey, address: toAddress(publicKeyOf(privateKey)) })

/** Money that was given for a run: it is spent with blocks signed here, and what is left goes back. */
export class Purse {
  /** Where the money comes from, and goes back to. */
  readonly source: Account
  /** Those of this run, in the order in which they were asked for. */
  readonly accounts: Account[] = []
  readonly #options: PurseOptions

  constructor(options: PurseOptions) {
    this.#options = options
    this.source = accountOf(options.funds)
  }

  /** An account of this run that nobody has used. */
  fresh(): Account {
    const account = accountOf(deriveKey(this.#options.funds, this.#options.firstAccount + this.accounts.length))
    this.accounts.push(account)
    return account
  }

  /** What a wallet of this account needs. */
  walletOf({ privateKey }: Account): WalletOptions {
    const { rpcUrl, findWork = searchWork } = this.#options
    return { privateKey, rpcUrl: rpcUrl(), findWork }
  }

  /** Takes everything that waits for an account, and answers its balance. */
  async receive(account: Account): Promise<bigint> {
    let balance = await receiveFunds(this.walletOf(account))
    // One go takes a hundred of them at most.
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

  /** Everything that accounts of this run have goes back to where it came from. Answers how much that was. */
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

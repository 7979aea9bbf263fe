import type { Raw } from '../kernel/money.ts'
import { type PublicKey, fromAddress, toAddress } from '../kernel/nano/address.ts'
import { type StateBlock, ZERO_HASH, hashBlock, rootOf, toBlockJson } from '../kernel/nano/block.ts'
import { isHex } from '../kernel/nano/hex.ts'
import { publicKeyOf, signHash } from '../kernel/nano/keys.ts'
import { whenOver } from '../kernel/when-over.ts'
import { type Amount, type Ask, LedgerError, textOf, toRawAmount } from './call-ledger.ts'

/** An address, or an object that has one. */
export type Recipient = string | { readonly address: string }

interface AccountOptions {
  ask: Ask
  /** The representative of accounts that are opened. */
  representative: string
}

interface Head {
  previous: string
  balance: bigint
  representative: PublicKey
}

const UNSIGNED = '0'.repeat(128)
const RECEIVED_AT_ONCE = 1_000

/**
 * An account of the ledger that signs here. Its calls are those of an ordinary wallet, and get the faults that were
 * ordered.
 */
export class LedgerAccount {
  readonly address: string
  readonly publicKey: string
  /** Undefined for an impersonated account: its blocks carry no signature. */
  readonly privateKey: string | undefined
  readonly #ask: Ask
  readonly #representative: PublicKey
  #underWay: Promise<unknown> = Promise.resolve()

  /** Called by the ledger. */
  constructor(who: { privateKey: string } | { address: string }, { ask, representative }: AccountOptions) {
    this.privateKey = 'privateKey' in who ? who.privateKey : undefined
    this.publicKey = 'privateKey' in who ? publicKeyOf(requireKey(who.privateKey)) : keyOf(who)
    this.address = toAddress(this.publicKey)
    this.#ask = ask
    this.#representative = keyOf(representative)
  }

  /** In raw: the balance, and the sum of receivable sends. */
  async balance(): Promise<{ balance: bigint; receivable: bigint }> {
    const answer = await this.#ask('account_balance', { account: this.address })
    return { balance: BigInt(textOf(answer, 'balance')), receivable: BigInt(textOf(answer, 'receivable')) }
  }

  /** Returns the hash of the block. */
  send(to: Recipient, amount: Amount): Promise<string> {
    return this.#inTurn(async () => {
      const head = await this.#head()
      const left = (head?.balance ?? 0n) - toRawAmount(amount)
      if (!head || left < 0n) throw new LedgerError(`${this.address} has less than that.`, { action: 'process' })
      return this.#publish({ ...head, balance: left, link: keyOf(to) }, 'send')
    })
  }

  /** Receives everything receivable, which opens a new account; returns the hashes. */
  receive(): Promise<string[]> {
    return this.#inTurn(async () => {
      const answer = await this.#ask('receivable', { account: this.address, count: RECEIVED_AT_ONCE, threshold: '1' })
      let head = (await this.#head()) ?? { previous: ZERO_HASH, balance: 0n, representative: this.#representative }
      const hashes: string[] = []
      for (const [link, amount] of Object.entries(answer.blocks ?? {})) {
        const balance = head.balance + BigInt(String(amount))
        const previous = await this.#publish({ ...head, balance, link }, 'receive')
        hashes.push(previous)
        head = { ...head, previous, balance }
      }
      return hashes
    })
  }

  /** Names another representative; returns the hash of the block. */
  change(representative: Recipient): Promise<string> {
    return this.#inTurn(async () => {
      const head = await this.#head()
      if (!head) throw new LedgerError(`${this.address} has received nothing yet.`, { action: 'process' })
      return this.#publish({ ...head, representative: keyOf(representative), link: ZERO_HASH }, 'change')
    })
  }

  /** One block after the other: each needs the one before it. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#underWay.then(run)
    this.#underWay = whenOver(turn)
    return turn
  }

  async #head(): Promise<Head | undefined> {
    try {
      const info = await this.#ask('account_info', { account: this.address, representative: 'true' })
      return {
        previous: textOf(info, 'frontier'),
        balance: BigInt(textOf(info, 'balance')),
        representative: keyOf(textOf(info, 'representative')),
      }
    } catch (error) {
      if (error instanceof LedgerError && error.message === 'Account not found') return undefined
      throw error
    }
  }

  async #publish(draft: Head & { link: string }, subtype: 'send' | 'receive' | 'change'): Promise<string> {
    const { previous, representative, link } = draft
    const unsigned: StateBlock = {
      type: 'state',
      account: this.publicKey,
      previous,
      representative,
      balance: draft.balance as Raw,
      link,
      signature: UNSIGNED,
      work: '',
    }
    const reported = await this.#ask('active_difficulty')
    const difficulty = textOf(reported, subtype === 'receive' ? 'network_receive_minimum' : 'network_minimum')
    const work = textOf(await this.#ask('work_generate', { hash: rootOf(unsigned), difficulty }), 'work')
    const signature = this.privateKey === undefined ? UNSIGNED : signHash(this.privateKey, hashBlock(unsigned))
    const block = toBlockJson({ ...unsigned, signature, work })
    return textOf(await this.#ask('process', { json_block: 'true', subtype, block }), 'hash')
  }
}

function requireKey(privateKey: string): string {
  if (!isHex(privateKey, 64)) throw new TypeError('A private key has 64 hexadecimal digits.')
  return privateKey
}

export function addressOf(who: Recipient): string {
  return typeof who === 'string' ? who : who.address
}

function keyOf(who: Recipient): PublicKey {
  const key = fromAddress(addressOf(who))
  if (key === undefined) throw new TypeError(`Not an address: ${addressOf(who)}`)
  return key
}

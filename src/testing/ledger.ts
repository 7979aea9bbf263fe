import { randomBytes } from 'node:crypto'
import { LedgerAccount, type Recipient, addressOf } from './account.ts'
import { type Amount, type Answer, type Ask, LedgerError, askAt, listOf, textOf, toRawAmount } from './call-ledger.ts'
import type { Closable, KnownAccount } from './options.ts'

/** A whole ledger as text, meant for a file beside the tests. */
export interface LedgerState {
  format: string
  genesis: string
  began: string
  blocks: string[]
}

/**
 * A fault. `delay` answers later; `error` does nothing and answers with an error; `drop` acts but closes the connection without an
 * answer; `lag` answers reads as the ledger was that long ago.
 */
export type Fault = { kind: 'delay' | 'lag'; ms: number; count?: number } | { kind: 'error' | 'drop'; count?: number }

const LOOK_EVERY = 20
const CONFIRMED_WITHIN = 10_000

/** A running development ledger with all of its controls. */
export class Ledger {
  readonly rpcUrl: string
  readonly wsUrl: string
  /** Seed of the known accounts. */
  readonly seed: string
  /** The account from which all money comes, and the first block. */
  readonly genesis: { readonly address: string; readonly hash: string }
  /** Accounts that it was started with, each with 1,000 nano. */
  readonly accounts: readonly (LedgerAccount & KnownAccount)[]
  readonly #running: Closable
  readonly #ask: Ask
  #closing: Promise<void> | undefined

  /** Use `startLedger` instead. */
  constructor(running: Closable) {
    this.#running = running
    this.rpcUrl = running.rpcUrl
    this.wsUrl = running.wsUrl
    this.seed = running.seed
    this.genesis = running.genesis
    this.#ask = askAt(running.rpcUrl)
    this.accounts = running.accounts.map(({ index, privateKey }) =>
      Object.assign(this.account(privateKey) as LedgerAccount & { privateKey: string }, { index }),
    )
  }

  /** Calls any action of a node; an `error` is thrown as a `LedgerError`. */
  rpc(action: string, fields: object = {}): Promise<Answer> {
    return this.#ask(action, fields)
  }

  /** An account with a key of your own, opened or not. */
  account(privateKey: string): LedgerAccount {
    return this.#open({ privateKey })
  }

  /** A new account with a new key, opened with money. */
  async newAccount(amount: Amount = '1000'): Promise<LedgerAccount & { privateKey: string }> {
    const privateKey = randomBytes(32).toString('hex').toUpperCase()
    const account = this.account(privateKey)
    const hash = await this.fund(account, amount)
    // Confirmed even while blocks are held, because the caller wants to use the account.
    await this.confirm(hash)
    const [opened] = await account.receive()
    await this.confirm(opened!)
    return account as LedgerAccount & { privateKey: string }
  }

  /** Waits until a block is confirmed, by default for ten seconds. */
  async confirmed(hash: string, { timeoutMs = CONFIRMED_WITHIN } = {}): Promise<void> {
    const until = Date.now() + timeoutMs
    for (;;) {
      const { confirmed } = await this.#ask('block_info', { hash, json_block: 'true' })
      if (confirmed === 'true') return
      const late = `${hash} is not confirmed after ${timeoutMs} ms; is the ledger on hold?`
      if (Date.now() >= until) throw new LedgerError(late, { action: 'block_info' })
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_EVERY)
      })
    }
  }

  /** Sends any amount from the genesis account; returns the hash. */
  async fund(to: Recipient, amount: Amount): Promise<string> {
    const fields = { account: addressOf(to), amount: toRawAmount(amount).toString() }
    return textOf(await this.#ask('devnet_fund', fields), 'hash')
  }

  /** Keeps the state of the ledger; returns the id for `revert`. */
  async snapshot(): Promise<string> {
    return textOf(await this.#ask('devnet_snapshot'), 'id')
  }

  /** Reverts the ledger. The snapshot can be used again, unless `end` is set; later ones are deleted. */
  async revert(id: string, { end = false }: { end?: boolean } = {}): Promise<void> {
    await this.#ask('devnet_revert', { id, end: String(end) })
  }

  /** Runs something and reverts the ledger, whatever the outcome. */
  async around<T>(run: () => Promise<T> | T): Promise<T> {
    const id = await this.snapshot()
    try {
      return await run()
    } finally {
      await this.revert(id, { end: true })
    }
  }

  /** Goes back to the genesis and removes all blocks, accounts, snapshots and settings. */
  async reset(): Promise<void> {
    await this.#ask('devnet_reset')
  }

  /** Sets the ledger's clock, or advances it, in seconds; returns the new time. */
  async setTime(time: { unix: number } | { advance: number }): Promise<number> {
    return Number((await this.#ask('devnet_set_time', time)).unix)
  }

  /** Accepts blocks of this account without a signature from now on; returns an account that sends without its key. */
  async impersonate(who: Recipient): Promise<LedgerAccount> {
    await this.#ask('devnet_impersonate', { account: addressOf(who) })
    return this.#open({ address: addressOf(who) })
  }

  async stopImpersonating(who: Recipient): Promise<void> {
    await this.#ask('devnet_impersonate', { account: addressOf(who), end: 'true' })
  }

  /** Leaves new blocks unconfirmed. */
  async hold(): Promise<void> {
    await this.#ask('devnet_hold')
  }

  /** Confirms all waiting blocks, and new blocks automatically again. */
  async release(): Promise<void> {
    await this.#ask('devnet_release')
  }

  async confirm(hash: string): Promise<void> {
    await this.#ask('devnet_confirm', { hash })
  }

  /** Deletes an unconfirmed block and everything built on it; returns the deleted hashes. */
  async drop(hash: string): Promise<string[]> {
    return listOf((await this.#ask('devnet_drop', { hash })).dropped)
  }

  /** Rolls back a block, confirmed or not, and everything built on it; returns the hashes of the removed blocks. */
  async rollback(hash: string): Promise<string[]> {
    return listOf((await this.#ask('devnet_rollback', { hash })).rolled_back)
  }

  /** Gives an unconfirmed block a rival that wins, by default at once; returns the rival's hash. */
  async forkBlock(hash: string, { winsAfterMs = 0 }: { winsAfterMs?: number } = {}): Promise<string> {
    return textOf(await this.#ask('devnet_fork_block', { hash, wins_after_ms: winsAfterMs }), 'hash')
  }

  /** Orders a fault for an action, for every action (`*`), or for the `websocket`. */
  async fault(target: string, fault: Fault): Promise<void> {
    await this.#ask('devnet_fault', { target, ...fault })
  }

  async endFault(target: string): Promise<void> {
    await this.#ask('devnet_fault', { target, count: 0 })
  }

  /** Gives every block this time, as on a node that has just downloaded the ledger; unix seconds, by default now. */
  async resync(timestamp?: number): Promise<void> {
    await this.#ask('devnet_resync', timestamp === undefined ? {} : { timestamp })
  }

  /** The whole ledger. */
  async dump(): Promise<LedgerState> {
    const { state } = await this.#ask('devnet_dump')
    const { blocks, ...rest } = state as LedgerState
    return { ...rest, blocks: listOf(blocks) }
  }

  /** Replaces this ledger by a dumped one, completely or not at all; returns the number of blocks. */
  async load(state: LedgerState): Promise<number> {
    return Number((await this.#ask('devnet_load', { state })).blocks)
  }

  /** Stops the ledger. May be called more than once; every caller waits until it has stopped. */
  close(): Promise<void> {
    return (this.#closing ??= this.#running.close())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #open(who: { privateKey: string } | { address: string }): LedgerAccount {
    return new LedgerAccount(who, { ask: this.#ask, representative: this.genesis.address })
  }
}

import { randomBytes } from 'node:crypto'
import { LedgerAccount, type Recipient, addressOf } from './account.ts'
import { type Amount, type Answer, type Ask, LedgerError, askAt, listOf, textOf, toRawAmount } from './call-ledger.ts'
import type { Closable, KnownAccount } from './options.ts'

/** A whole ledger as text, made to lie in a file beside the tests. */
export interface LedgerState {
  format: string
  genesis: string
  began: string
  blocks: string[]
}

/**
 * What goes wrong. `delay` answers later; `error` does nothing and says so; `drop` does it and closes the connection without an answer; `lag`
 * answers reads from the ledger of so long ago.
 */
export type Fault = { kind: 'delay' | 'lag'; ms: number; count?: number } | { kind: 'error' | 'drop'; count?: number }

const LOOK_EVERY = 20
const CONFIRMED_WITHIN = 10_000

/** A development ledger that runs, with everything that can be done to it. */
export class Ledger {
  readonly rpcUrl: string
  readonly wsUrl: string
  /** Of the known accounts. */
  readonly seed: string
  /** The account that all money comes from, and the first block. */
  readonly genesis: { readonly address: string; readonly hash: string }
  /** Accounts that it was started with, each with 1,000 nano. */
  readonly accounts: readonly (LedgerAccount & KnownAccount)[]
  readonly #running: Closable
  readonly #ask: Ask
  #closing: Promise<void> | undefined

  /** `startLedger` makes it. */
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

  /** Asks anything a node answers; an `error` is thrown as a `LedgerError`. */
  rpc(action: string, fields: object = {}): Promise<Answer> {
    return this.#ask(action, fields)
  }

  /** An account of one's own key, opened or not. */
  account(privateKey: string): LedgerAccount {
    return this.#open({ privateKey })
  }

  /** A new account with a new key, opened with money. */
  async newAccount(amount: Amount = '1000'): Promise<LedgerAccount & { privateKey: string }> {
    const privateKey = randomBytes(32).toString('hex').toUpperCase()
    const account = this.account(privateKey)
    const hash = await this.fund(account, amount)
    // Also where everything is held: who asks for an account wants to use it.
    await this.confirm(hash)
    const [opened] = await account.receive()
    await this.confirm(opened!)
    return account as LedgerAccount & { privateKey: string }
  }

  /** Waits until a block is confirmed, ten seconds unless told. */
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

  /** Sends any amount from the genesis account; answers the hash. */
  async fund(to: Recipient, amount: Amount): Promise<string> {
    const fields = { account: addressOf(to), amount: toRawAmount(amount).toString() }
    return textOf(await this.#ask('devnet_fund', fields), 'hash')
  }

  /** Keeps the ledger as it is; answers the id to revert to. */
  async snapshot(): Promise<string> {
    return textOf(await this.#ask('devnet_snapshot'), 'id')
  }

  /** Puts the ledger back. The snapshot can be used again, unless `end` is set; later ones are gone. */
  async revert(id: string, { end = false }: { end?: boolean } = {}): Promise<void> {
    await this.#ask('devnet_revert', { id, end: String(end) })
  }

  /** Runs something and puts the ledger back, whatever came of it. */
  async around<T>(run: () => Promise<T> | T): Promise<T> {
    const id = await this.snapshot()
    try {
      return await run()
    } finally {
      await this.revert(id, { end: true })
    }
  }

  /** Back to the genesis: no block, account, snapshot or setting is left. */
  async reset(): Promise<void> {
    await this.#ask('devnet_reset')
  }

  /** Sets the ledger's clock, or advances it, in seconds; answers what it shows. */
  async setTime(time: { unix: number } | { advance: number }): Promise<number> {
    return Number((await this.#ask('devnet_set_time', time)).unix)
  }

  /** Blocks of this account need no signature from now on; answers it as an account that sends without its key. */
  async impersonate(who: Recipient): Promise<LedgerAccount> {
    await this.#ask('devnet_impersonate', { account: addressOf(who) })
    return this.#open({ address: addressOf(who) })
  }

  async stopImpersonating(who: Recipient): Promise<void> {
    await this.#ask('devnet_impersonate', { account: addressOf(who), end: 'true' })
  }

  /** From now on blocks stay unconfirmed. */
  async hold(): Promise<void> {
    await this.#ask('devnet_hold')
  }

  /** Confirms everything that waits, and goes back to confirming by itself. */
  async release(): Promise<void> {
    await this.#ask('devnet_release')
  }

  /** Confirms a block with everything it stands on. */
  async confirm(hash: string): Promise<void> {
    await this.#ask('devnet_confirm', { hash })
  }

  /** Forgets an unconfirmed block and everything built on it; answers what is gone. */
  async drop(hash: string): Promise<string[]> {
    return listOf((await this.#ask('devnet_drop', { hash })).dropped)
  }

  /** Takes back a block, confirmed or not, and everything built on it; answers what is gone. */
  async rollback(hash: string): Promise<string[]> {
    return listOf((await this.#ask('devnet_rollback', { hash })).rolled_back)
  }

  /** Gives an unconfirmed block a rival that wins, at once unless told; answers the rival's hash. */
  async forkBlock(hash: string, { winsAfterMs = 0 }: { winsAfterMs?: number } = {}): Promise<string> {
    return textOf(await this.#ask('devnet_fork_block', { hash, wins_after_ms: winsAfterMs }), 'hash')
  }

  /** Lets an action go wrong, every one (`*`), or the `websocket`. */
  async fault(target: string, fault: Fault): Promise<void> {
    await this.#ask('devnet_fault', { target, ...fault })
  }

  async endFault(target: string): Promise<void> {
    await this.#ask('devnet_fault', { target, count: 0 })
  }

  /** Every block carries this time, as on a node that has fetched the ledger anew; unix seconds, now unless told. */
  async resync(timestamp?: number): Promise<void> {
    await this.#ask('devnet_resync', timestamp === undefined ? {} : { timestamp })
  }

  /** The whole ledger. */
  async dump(): Promise<LedgerState> {
    const { state } = await this.#ask('devnet_dump')
    const { blocks, ...rest } = state as LedgerState
    return { ...rest, blocks: listOf(blocks) }
  }

  /** Puts a dumped ledger in the place of this one, all of it or nothing; answers how many blocks. */
  async load(state: LedgerState): Promise<number> {
    return Number((await this.#ask('devnet_load', { state })).blocks)
  }

  /** Ends it. May be called again; everybody waits for the same end. */
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

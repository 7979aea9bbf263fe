import { call } from '../support/rpc.ts'
import { type DevnetProcess, spawnDevnet } from '../support/spawn-devnet.ts'
import { ZERO_HASH } from '../../src/kernel/nano/block.ts'

/** The current address of a node. */
export interface NodePlace {
  readonly rpcUrl: string
  /** Empty if it has no websocket. */
  readonly wsUrl: string
}

/** A ledger in its own process, on a file that survives it. */
export class OwnLedger implements NodePlace {
  readonly #file: string
  #process: DevnetProcess | undefined

  constructor(file: string) {
    this.#file = file
  }

  get rpcUrl(): string {
    return this.#process!.rpcUrl
  }

  get wsUrl(): string {
    return this.#process!.wsUrl
  }

  async start(): Promise<void> {
    this.#process = await spawnDevnet(this.#file)
  }

  kill(): Promise<void> {
    return this.#process!.kill()
  }

  /** At the very end of the run. */
  killNow(): void {
    this.#process?.signal('SIGKILL')
  }

  pause(): void {
    this.#process!.signal('SIGSTOP')
  }

  resume(): void {
    this.#process!.signal('SIGCONT')
  }
}

interface BlockInfo {
  amount: string
  confirmed: string
  contents: { link_as_account?: string }
}

/** The number of hashes that any node accepts in one request. */
const HASHES_AT_ONCE = 50

/** Reads the ledger directly from a node, not through a gateway. Callers wait until everything is settled first. */
export class LedgerReader {
  readonly #node: NodePlace

  constructor(node: NodePlace) {
    this.#node = node
  }

  /** The account, unconfirmed blocks included. */
  async readAccount(account: string): Promise<{ frontier: string; balance: bigint }> {
    const { frontier, balance, error } = await call(this.#node.rpcUrl, 'account_info', { account })
    if (error === 'Account not found') return { frontier: ZERO_HASH, balance: 0n }
    if (frontier === undefined || balance === undefined) throw new Error(`The node does not tell ${account}: ${error}`)
    return { frontier, balance: BigInt(balance) }
  }

  /** Confirmed receivable blocks of an account: hash and amount. */
  async listReceivable(account: string): Promise<Map<string, bigint>> {
    const asked = { account, threshold: '1', include_only_confirmed: 'true' }
    const { blocks, error } = await call<{ blocks?: Record<string, string> | ''; error?: string }>(
      this.#node.rpcUrl,
      'receivable',
      asked,
    )
    if (blocks === undefined) throw new Error(`The node does not tell what waits for ${account}: ${error}`)
    return new Map(Object.entries(blocks).map(([hash, amount]) => [hash, BigInt(amount)]))
  }

  /** The account's balance plus everything receivable. */
  async readWealth(account: string): Promise<bigint> {
    const { balance } = await this.readAccount(account)
    return [...(await this.listReceivable(account)).values()].reduce((sum, amount) => sum + amount, balance)
  }

  /** The blocks that exist on the ledger. */
  async findBlocks(hashes: readonly string[]) {
    const found = new Map<string, { amount: bigint; to: string | undefined; confirmed: boolean }>()
    for (let at = 0; at < hashes.length; at += HASHES_AT_ONCE) {
      const asked = { hashes: hashes.slice(at, at + HASHES_AT_ONCE), json_block: 'true', include_not_found: 'true' }
      const { blocks, error } = await call<{ blocks?: Record<string, BlockInfo> | ''; error?: string }>(
        this.#node.rpcUrl,
        'blocks_info',
        asked,
      )
      if (blocks === undefined) throw new Error(`The node does not tell blocks: ${error}`)
      for (const [hash, { amount, confirmed, contents }] of Object.entries(blocks) as [string, BlockInfo][]) {
        found.set(hash, { amount: BigInt(amount), to: contents.link_as_account, confirmed: confirmed === 'true' })
      }
    }
    return found
  }
}

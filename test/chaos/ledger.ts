import { call } from '../support/rpc.ts'
import { type DevnetProcess, spawnDevnet } from '../support/spawn-devnet.ts'
import { ZERO_HASH } from '../../src/kernel/nano/block.ts'

/** Where a node answers, now. */
export interface NodePlace {
  readonly rpcUrl: string
  /** Empty if it sends no confirmations. */
  readonly wsUrl: string
}

/** A ledger as a process of its own, on a file that outlives it. */
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

/** As many as fit into one question, whatever the node. */
const HASHES_AT_ONCE = 50

/** What a node says of the ledger, asked past the gateways. Whoever reads waits until everything is at rest. */
export class LedgerReader {
  readonly #node: NodePlace

  constructor(node: NodePlace) {
    this.#node = node
  }

  /** The account with its unconfirmed blocks. */
  async readAccount(account: string): Promise<{ frontier: string; balance: bigint }> {
    const { frontier, balance, error } = await call(this.#node.rpcUrl, 'account_info', { account })
    if (error === 'Account not found') return { frontier: ZERO_HASH, balance: 0n }
    if (frontier === undefined || balance === undefined) throw new Error(`The node does not tell ${account}: ${error}`)
    return { frontier, balance: BigInt(balance) }
  }

  /** What confirmed sends have left waiting for an account: the hash of each with its amount. */
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

  /** All that belongs to an account, received or not. */
  async readWealth(account: string): Promise<bigint> {
    const { balance } = await this.readAccount(account)
    return [...(await this.listReceivable(account)).values()].reduce((sum, amount) => sum + amount, balance)
  }

  /** Those of the blocks that the ledger has. */
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

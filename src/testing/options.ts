/** How a ledger begins. Everything has a default: ten accounts with money, in memory, on free ports, in this process. */
export interface LedgerOptions {
  /** How many known accounts are opened with 1,000 nano each; 10. */
  accounts?: number | undefined
  /** Whose accounts those are, 64 hexadecimal digits; by default the well-known seed. */
  seed?: string | undefined
  /** Begins with a dumped ledger, as `dump` answers it. */
  state?: unknown
  /** SQLite file of the ledger; `:memory:`. */
  file?: string | undefined
  /** Time until a block is confirmed, or the least and the most of it; 0 confirms in the same instant. */
  confirmMs?: number | readonly [least: number, most: number] | undefined
  /** The work that blocks need: `dev`, that of the live network, or none. Who asks for live work brings it along. */
  work?: 'dev' | 'live' | 'none' | undefined
  /** A ledger of another identity: its genesis is made from this word. */
  genesis?: string | undefined
  /** The name that `version` tells; `dev`. */
  network?: string | undefined
  /** Port of the RPC; 0 takes any free one. */
  port?: number | undefined
  /** Port of the websocket; 0 takes any free one. */
  wsPort?: number | undefined
  /** Runs it in a process of its own, by this Node or by the one that is named. */
  ownProcess?: boolean | { node: string } | undefined
}

/** An account that the ledger was started with. */
export interface KnownAccount {
  index: number
  address: string
  privateKey: string
}

/** A ledger that runs, wherever. */
export interface Running {
  rpcUrl: string
  wsUrl: string
  seed: string
  accounts: readonly KnownAccount[]
  genesis: { address: string; hash: string }
}

export type Closable = Running & { close(): Promise<void> }

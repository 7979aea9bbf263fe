/** How a ledger begins. By default: ten accounts with money, in memory, on free ports, in this process. */
export interface LedgerOptions {
  /** How many known accounts are opened with 1,000 nano each; 10. */
  accounts?: number | undefined
  /** Seed of those accounts, 64 hexadecimal digits; by default the well-known one. */
  seed?: string | undefined
  /** Begins with a dumped ledger, as `dump` returns it. */
  state?: unknown
  /** SQLite file of the ledger; `:memory:`. */
  file?: string | undefined
  /** Time until a block is confirmed, or its least and most; 0 confirms at once. */
  confirmMs?: number | readonly [least: number, most: number] | undefined
  /** The work that blocks need: that of the dev network, that of the live network, or none. Live work must come from the client. */
  work?: 'dev' | 'live' | 'none' | undefined
  /** A ledger of another identity: its genesis is derived from this word. */
  genesis?: string | undefined
  /** The network name that `version` reports; `dev`. */
  network?: string | undefined
  /** Port of the RPC; with 0 the system chooses a free one. */
  port?: number | undefined
  /** Port of the websocket; with 0 the system chooses a free one. */
  wsPort?: number | undefined
  /** Runs it in a process of its own, with this Node or the given one. */
  ownProcess?: boolean | { node: string } | undefined
}

/** An account that the ledger was started with. */
export interface KnownAccount {
  index: number
  address: string
  privateKey: string
}

/** A running ledger, in this process or another. */
export interface Running {
  rpcUrl: string
  wsUrl: string
  seed: string
  accounts: readonly KnownAccount[]
  genesis: { address: string; hash: string }
}

export type Closable = Running & { close(): Promise<void> }

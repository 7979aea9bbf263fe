export type BlockKind = 'genesis' | 'open' | 'send' | 'receive' | 'change' | 'epoch'

/** A block as a line of a list, with addresses and with times in milliseconds. */
export interface SeenBlock {
  hash: string
  kind: BlockKind
  account: string
  /** The receiver, the sender, or the new representative. */
  other: string | undefined
  amountRaw: bigint
  height: number
  at: number
  confirmed: boolean
  /** Order of arrival. */
  position: number
}

/** What a block's link means, which depends on the kind of block. */
export type DecodedLink =
  | { means: 'recipient'; address: string; receivedIn: string | undefined }
  | { means: 'source'; hash: string; address: string | undefined }
  | { means: 'epoch'; text: string }
  | { means: 'nothing' }

/** How a block was confirmed, or why it is not. */
export type SeenElection =
  | { state: 'confirmed'; by: string; weightRaw: bigint; onlineRaw: bigint; at: number }
  /** It was confirmed before this process started. */
  | { state: 'confirmed'; by: undefined }
  | { state: 'waiting'; held: boolean; contested: boolean }

export interface ShownBlock extends SeenBlock {
  balanceRaw: bigint
  previous: string | undefined
  successor: string | undefined
  representative: string | undefined
  link: string
  decoded: DecodedLink
  signature: string
  work: string
  epoch: number
  election: SeenElection
}

export interface ShownAccount {
  address: string
  publicKey: string
  isOpen: boolean
  balanceRaw: bigint
  receivableRaw: bigint
  representative: string | undefined
  /** The weight that others have delegated to it. */
  weightRaw: bigint
  blocks: number
  confirmedBlocks: number
  modifiedAt: number | undefined
  history: SeenBlock[]
  /** The hash at which older history begins. */
  older: string | undefined
  receivable: { hash: string; from: string; amountRaw: bigint }[]
  /** Whether there are more than those listed. */
  hasMoreReceivable: boolean
}

export interface LedgerOverview {
  blocks: number
  confirmed: number
  accounts: number
  holds: boolean
  genesis: string
  now: number
}

export interface LedgerView {
  overview(): LedgerOverview
  /** Newest first, starting before `before`. */
  latest(count: number, before?: number): SeenBlock[]
  block(hash: string): ShownBlock | undefined
  /** Also returns an account that has no blocks. */
  account(address: string, count: number, from?: string): ShownAccount | undefined
  /** The full hash of the first block that begins with these digits. */
  startingWith(digits: string): string | undefined
  /** Calls back when something has changed. */
  listen(listener: () => void): () => void
}

/** Names of addresses. */
export interface LedgerNames {
  nameOf(address: string): string | undefined
  find(name: string): string | undefined | Promise<string | undefined>
}

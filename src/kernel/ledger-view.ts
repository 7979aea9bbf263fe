/* The development ledger to look at: what its explorer shows, as plain records. */

export type BlockKind = 'genesis' | 'open' | 'send' | 'receive' | 'change' | 'epoch'

/** A block as a line of a list. Addresses, not keys; times in milliseconds. */
export interface SeenBlock {
  hash: string
  kind: BlockKind
  account: string
  /** Who gets it, who sent it, or who represents from now on. */
  other: string | undefined
  amountRaw: bigint
  height: number
  at: number
  confirmed: boolean
  /** Order of arrival. */
  position: number
}

/** What the link of a block says, which is something else for each kind of block. */
export type DecodedLink =
  | { means: 'recipient'; address: string; receivedIn: string | undefined }
  | { means: 'source'; hash: string; address: string | undefined }
  | { means: 'epoch'; text: string }
  | { means: 'nothing' }

/** How a block was decided, or why it is not. */
export type SeenElection =
  | { state: 'confirmed'; by: string; weightRaw: bigint; onlineRaw: bigint; at: number }
  /** It was decided before this process began. */
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
  /** What others let it vote with. */
  weightRaw: bigint
  blocks: number
  confirmedBlocks: number
  modifiedAt: number | undefined
  history: SeenBlock[]
  /** The block that the older part of the history begins with. */
  older: string | undefined
  receivable: { hash: string; from: string; amountRaw: bigint }[]
  /** There are more than are listed. */
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
  /** Newest first; from this position on backwards. */
  latest(count: number, before?: number): SeenBlock[]
  block(hash: string): ShownBlock | undefined
  /** One that has no block yet is shown as well. */
  account(address: string, count: number, from?: string): ShownAccount | undefined
  /** The whole hash of the first block that begins with this. */
  startingWith(digits: string): string | undefined
  /** Hears that something has changed. */
  listen(listener: () => void): () => void
}

/** What addresses are called. */
export interface LedgerNames {
  nameOf(address: string): string | undefined
  find(name: string): string | undefined | Promise<string | undefined>
}

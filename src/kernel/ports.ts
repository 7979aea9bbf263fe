import type { AccountPlan, KeyRights } from './rights.ts'
import type { Leaving } from './leaving.ts'
import type { Raw } from './money.ts'
import type { Block } from './nano/block.ts'
import type { LedgerBlock, LedgerSend } from './nano/ledger-send.ts'
import type { PublicKey } from './nano/address.ts'
import type { Vote } from './nano/vote.ts'
import type { JsonObject } from './shape.ts'
import type { RefusedAddress } from './outbound-failure.ts'

/** Time, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Runs once after a delay; the returned function calls it off. */
  after(milliseconds: number, run: () => void): () => void
  /** Goes by another clock from now on, where it can; resolves after the first look and answers how to end it. */
  follow?(readTime: () => Promise<number>, onFailure: (error: unknown) => void): Promise<() => void>
}

/** Unpredictable bytes. */
export interface Random {
  bytes(count: number): Uint8Array
}

export type NodeParams = Readonly<Record<string, unknown>>
export type NodeAnswer = Record<string, unknown>

/** The ledger's nodes as one: failover, caching and coalescing are behind it. */
export interface NodePort {
  /**
   * Asks for a node action. What the ledger refuses is thrown as `LedgerRefusal`. Where the question is verbatim what a
   * client has written, whatever the node says to it is an answer, and no fault of the node.
   */
  read(action: string, params: NodeParams, how?: { verbatim: true }): Promise<NodeAnswer>
  /** Blocks by hash, as decisions may rely on them; what is not there, or is not the block of its hash, is left out. */
  readBlocks(hashes: readonly string[]): Promise<ReadonlyMap<string, LedgerBlock>>
  /**
   * The sends among blocks, by hash, as money may rely on them: computed from their own contents, and final when enough nodes
   * say so. `previous` are hashes of predecessors where they are known already, which spares a question.
   */
  readSends(hashes: readonly string[], previous?: readonly string[]): Promise<ReadonlyMap<string, LedgerSend>>
  /**
   * What nodes state that cannot be computed from blocks, and that money depends on: facts that as many of them state as must
   * agree. Where one node suffices this is `read`. A refusal by the ledger states something as well, in `error`.
   */
  readAgreed(action: string, params: NodeParams, toFacts: (answer: NodeAnswer) => readonly string[]): Promise<Agreed>
  /** Brings a block to the ledger, once, whatever happens to the replies; answers with its hash. */
  publish(block: Block, subtype: string | undefined): Promise<string>
}

export interface Agreed {
  facts: ReadonlySet<string>
  /** Whether as many nodes have answered as must agree. */
  isEnough: boolean
  /** Of each node that has answered; at least one. */
  answers: readonly NodeAnswer[]
}

/** What all nodes report of an account and of blocks. */
export interface Survey {
  /** How many have answered. 0 unless all have, and none of them is behind: then nothing follows from what they do not have. */
  nodes: number
  /** The last block of the account, where all name the same one; zeros where none knows the account. */
  frontier: string | undefined
  /** The blocks that at least one of them does not deny. */
  known: ReadonlySet<string>
}

/** Asks all nodes about an account and about blocks. */
export type AskAllNodes = (account: string, hashes: readonly string[]) => Promise<Survey>

/** Final votes of representatives with more weight than the quorum for one block, and whose word the weights are. */
export interface CollectedVotes {
  votes: readonly Vote[]
  weightOf(representative: PublicKey): bigint
  quorumRaw: bigint
  onlineRaw: bigint
  /** Hosts of nodes. */
  sources: readonly string[]
  at: number
}

/** The votes that nodes send. */
export interface VotePort {
  /** A block that may become a payment: its votes are kept for a while. What its payer announces beside it counts against the payer's share. */
  expect(hash: string, payer?: string): void
  /** The votes that confirm a block; waits for them a while. Undefined when too few came. Throws when nodes do not report weights. */
  collect(hash: string): Promise<CollectedVotes | undefined>
  /** Whoever waits is answered, and waits no more. */
  close(): void
}

/** A name and the address it stands for. Times are milliseconds. */
export interface KnownName {
  name: string
  address: string
  createdAt: number
  expiresAt: number
  /** What its owner tells about it. */
  profile: JsonObject
}

/** What is done with the address behind a name. Where money moves, only the store's word counts. */
export type NameUse = 'read' | 'money'

/** Where people and programs find what we made. The service's own address is known once it listens: ask each time. */
export interface Links {
  /** Where links to this service begin. */
  base(): string
  /** Where those of payment pages do. */
  pages(): string
  /** Where those for programs do. */
  api(): string
  /** Where people look at a block. */
  block(hash: string): string
}

/** The book of usernames. */
export interface Names {
  /** Changes whenever anything else here may answer differently than before. */
  readonly revision: number
  /** The address a name stands for, in any case; undefined when it is not leased. Answers at once when it knows. */
  resolve(name: string, use: NameUse): string | undefined | Promise<string | undefined>
  /** The name that the owner of an address has for it. */
  usernameOf(address: string): string | undefined
  /** Whether a name is one that cannot be leased. */
  isReserved(name: string): boolean
  /** Every name that stands for an address now. */
  known(): readonly KnownName[]
  /** What addresses are called that others know them by. */
  aliases(): readonly { account: string; alias: string }[]
}

/** Representatives with voting weight, and what is known of them. */
export interface Representatives {
  list(): Promise<JsonObject[]>
}

/** A block that became final, as a node told it. */
export interface Confirmation {
  hash: string
  /** Address of the chain the block belongs to. */
  account: string
  /** Absolute change of the balance, in raw. */
  amount: string
  /** The block's members, with `subtype`; empty when the node did not send them. */
  block: Readonly<Record<string, string>>
  type: string
  /** Milliseconds, as text. */
  time: string
  /** How the vote went, and where in its account the block stands: as the node said it, where it did. */
  election?: JsonObject
  sideband?: JsonObject
}

/** The stream of confirmations from all nodes, each block once. Consumers act once and have a poller as their net. */
export interface ConfirmationBus {
  /** False while no node tells us anything: what is remembered may be stale then. */
  readonly connected: boolean
  listen(listener: (confirmation: Confirmation) => void): () => void
  /** Accounts whose confirmations are looked up after a gap in the stream. */
  watch(account: string): () => void
  /** Calls back when the stream breaks and when it comes back. */
  onGap(listener: () => void): void
}

/** Whose key it is and what it may open. */
export interface KeyOwner {
  accountId: string
  keyId: string
  kind: 'secret' | 'public'
  role: 'user' | 'admin'
  /** Has credits left, which raises its limits. */
  prepaid: boolean
  /** Where a public key may be used from. */
  origins: readonly string[]
  rights: KeyRights | undefined
  isSuspended: boolean
  plan: AccountPlan
}

/** Who a key belongs to. Answers at once when it knows. */
export interface KeyLookup {
  find(key: string): KeyOwner | undefined | Promise<KeyOwner | undefined>
  /** As the store has it now: the notice that another gateway has changed a key may be late. */
  findNow(key: string): Promise<KeyOwner | undefined>
}

/** New names for new things: a prefix that tells the kind, and enough randomness that none is made twice. */
export interface Ids {
  next(prefix: string): string
}

export interface LimitDecision {
  allowed: boolean
  limit: number
  remaining: number
  resetSeconds: number
  /** Only meaningful when refused. */
  retryAfterSeconds: number
}

/** Decides whether a caller may go on now. A refused request consumes nothing. */
export interface RateLimiter {
  take(key: string, perMinute: number): LimitDecision | Promise<LimitDecision>
}

export interface Mail {
  id: string
  recipient: string
  subject: string
  text: string
  /** The same for programs that show it; it carries nothing from elsewhere. */
  html?: string
}

/** Where mail goes: a server, or a box that people can look into. */
export interface Mailer {
  /** Throws `MailRefused` when the recipient will never be served, and anything else when it may work later. */
  send(mail: Mail): Promise<void>
}

/** Small messages between everything that shares the store. They may be lost; nothing may depend on them alone. */
export interface Notices {
  /** False while no other instance can be heard: what others have changed may have escaped us. */
  readonly connected: boolean
  publish(topic: string, payload: string): void
  /** The same, and resolves once it is on its way to everybody, or when that takes too long. Never throws. */
  deliver(topic: string, payload: string): Promise<void>
  subscribe(topic: string, listener: (payload: string) => void): () => void
  /** Calls back when others can be heard no longer, and when they can again. */
  onGap(listener: () => void): void
}

/** How urgent work is: a caller waits, one of our own wallets waits, or it may be wanted later. */
export type WorkClass = 'interactive' | 'wallet' | 'precompute'

export interface WorkRequest {
  /** 64 hexadecimal digits. */
  root: string
  threshold: bigint
  class: WorkClass
  /** Whose share of the machine it takes: an account, an address, a wallet. */
  payer: string
  /** How large that share is beside those of others; 1 unless told. */
  weight?: number
  /** Tells that the caller has left. */
  leaving?: Leaving
}

export interface FoundWork {
  /** 16 hexadecimal digits. */
  work: string
  /** What the work is worth for its root; never below what was asked for. */
  value: bigint
  /** Made before it was asked for: the first caller is counted as if it was searched for them. */
  prepared?: boolean
}

/** Proof of work. Everything it returns was checked here, from every source. */
export interface WorkPort {
  /** Whether anything here looks for work at all. */
  readonly offered: boolean
  /** What is known already and is enough. */
  find(root: string, threshold: bigint): FoundWork | undefined | Promise<FoundWork | undefined>
  /** Finds work, or throws `no_work` when there is no source or the wait would be too long. */
  generate(request: WorkRequest): Promise<FoundWork>
  /** A caller has been given what was prepared. */
  markAsked(root: string): Promise<void>
  /** Ends the waits of one payer for a root; true when there were any. No other payer's wait ends. */
  cancel(root: string, payer: string): boolean
  /** The root of an account's next block is known; work for it is made when nothing else is to be done. */
  prepare(account: string, root: string, threshold: bigint): void
}

/** What one nano is worth, and who says so. */
export interface Rate {
  /** Units of the currency for one nano, as decimal text. */
  rate: string
  source: string
  /** Milliseconds: when the source said it. */
  at: number
}

/** Prices of nano in the money of states. */
export interface Prices {
  /** Codes in capitals. */
  readonly currencies: readonly string[]
  /** Throws when nothing recent enough is known. */
  rate(currency: string): Promise<Rate>
}

/** Everything a market tells of nano, in the shape of the contract, with its source. */
export interface MarketData {
  read(): Promise<JsonObject>
}

interface OutboundReply {
  status: number
  /** The beginning of the body, as far as it is kept. */
  text: string
  /** The header of that name, as it came. */
  retryAfter: string | undefined
  milliseconds: number
}

/** Requests to addresses that users gave us. What lies in a private network is refused, whatever it is called. */
export interface Outbound {
  /** Why an address is refused as it stands; undefined when it may be tried. Nothing is looked up. */
  check(url: string): RefusedAddress | undefined
  /** Any reply is an answer, redirects too; without one it throws an `OutboundFailure`. */
  post(url: string, request: { headers: Readonly<Record<string, string>>; body: string }): Promise<OutboundReply>
  /** The same for what is only read. Bytes are undefined when there are more of them, or when they broke off. */
  get(
    url: string,
    request: { headers: Readonly<Record<string, string>>; bytesMax: number },
  ): Promise<{ status: number; bytes: Uint8Array | undefined }>
}

/** A picture as it can be passed on: its kind is read from its bytes, not from what a server says. */
export interface Picture {
  type: string
  bytes: Uint8Array
}

/** Pictures that merchants named, fetched by us so that payers ask no other server. */
export interface Pictures {
  /** Undefined for what is no picture, too large or not to be had at the moment. */
  find(url: string): Promise<Picture | undefined>
}

export interface SizedPicture extends Picture {
  width: number
  height: number
}

export type PictureFault = 'not_there' | 'too_large' | 'not_a_picture' | 'wrong_size'

/** The pictures of accounts: fetched once, made safe, and kept by us. */
export interface Logos {
  get(url: string): Promise<SizedPicture | PictureFault>
}

/** A block of the development ledger that is not final yet. */
interface WaitingBlock {
  hash: string
  from: string
  amountRaw: Raw
}

/** What can be done with the development ledger and with no other: its money is worth nothing. */
export interface DevelopmentLedger {
  /** Whether new blocks stay unconfirmed for now. */
  readonly holds: boolean
  /** Sends from the account that holds everything; answers the hash. */
  fund(address: string, amount: Raw): Promise<string>
  /** From now on new blocks stay unconfirmed. */
  hold(): void
  /** Confirms one block with everything it stands on. */
  confirm(hash: string): Promise<void>
  /** Confirms everything that waits, and new blocks at once again. */
  release(): Promise<void>
  /** Oldest first. */
  listWaiting(): WaitingBlock[]
}

/** Keeps texts that we must be able to read again. The context says whose it is: elsewhere it does not open. */
export interface SecretBox {
  seal(context: string, plain: string): string
  open(context: string, sealed: string): string
  /** The same for the same text and context, and nothing to anybody without the key. */
  fingerprint(context: string, plain: string): string
}

/** The dark modules of a QR code as the path of a drawing that is `size` units wide. */
export interface QrOutline {
  size: number
  path: string
}

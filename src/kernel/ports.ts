import type { AccountPlan, KeyRights } from './rights.ts'
import type { Raw } from './money.ts'
import type { Block } from './nano/block.ts'
import type { LedgerBlock, LedgerSend } from './nano/ledger-send.ts'
import type { PublicKey } from './nano/address.ts'
import type { Vote } from './nano/vote.ts'
import type { EncryptionContext } from './encrypted.ts'
import type { JsonObject } from './shape.ts'

/** The clock; tests use one that they can set. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Runs once after a delay; the returned function cancels it. */
  after(milliseconds: number, run: () => void): () => void
  /** Follows another clock from now on, where it can; resolves after the first reading and returns how to stop. */
  follow?(readTime: () => Promise<number>, onFailure: (error: unknown) => void): Promise<() => void>
}

/** Unpredictable bytes. */
export interface Random {
  bytes(count: number): Uint8Array
}

export type NodeParams = Readonly<Record<string, unknown>>

export type NodeAnswer = Record<string, unknown>

/** All nodes of the ledger as one: failover, caching and coalescing are behind this interface. */
export interface NodePort {
  /**
   * Calls an action of the node. Refusals of the ledger are thrown as `LedgerRefusal`.
   */
  read(action: string, params: NodeParams): Promise<NodeAnswer>
  /** Blocks by hash, safe to decide upon; missing blocks, and those that do not match their hash, are left out. */
  readBlocks(hashes: readonly string[]): Promise<ReadonlyMap<string, LedgerBlock>>
  /**
   * The sends among blocks, by hash, safe to credit money for: amounts are computed from the blocks themselves, and a send is final when
   * the required number of nodes say so. `previous` are hashes of predecessors, if known, which saves a question.
   */
  readSends(hashes: readonly string[], previous?: readonly string[]): Promise<ReadonlyMap<string, LedgerSend>>
  /**
   * Facts that cannot be computed from blocks and on which money depends: those on which the required number of nodes agree. Where one
   * node is enough, this is `read`. A refusal by the ledger counts as a fact as well, in `error`.
   */
  readAgreed(action: string, params: NodeParams, toFacts: (answer: NodeAnswer) => readonly string[]): Promise<Agreed>
  /** Publishes a block once, whatever happens to the replies; returns its hash. */
  publish(block: Block, subtype: string | undefined): Promise<string>
}

/** The nodes, for the request of a client. */
export interface ClientNodePort extends NodePort {
  /**
   * Asks exactly what a client wrote and returns the answer as the node wrote it, unchanged. Any error of the node is then an answer,
   * and not a fault of the node.
   */
  pass(action: string, params: NodeParams): Promise<string>
}

export interface Agreed {
  facts: ReadonlySet<string>
  /** Whether the required number of nodes has answered. */
  isEnough: boolean
  /** The answer of each node that has answered; at least one. */
  answers: readonly NodeAnswer[]
}

/** What all nodes together report about an account and about blocks. */
export interface Survey {
  /** How many have answered; 0 unless all have and none is behind, because only then a missing block means anything. */
  nodes: number
  /** The last block of the account, where all name the same one; zeros where none knows the account. */
  frontier: string | undefined
  /** The blocks that at least one of them does not deny. */
  known: ReadonlySet<string>
}

/** Asks all nodes about an account and about blocks. */
export type AskAllNodes = (account: string, hashes: readonly string[]) => Promise<Survey>

/** Final votes of representatives with more weight than the quorum for one block, and the nodes that reported the weights. */
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
  /** Keeps the votes for a block for a while, because it may become a payment. Further blocks of its payer count against that payer's share. */
  expect(hash: string, payer?: string): void
  /** The votes that confirm a block; waits for them a while. Undefined when too few arrived. Throws when nodes do not report weights. */
  collect(hash: string): Promise<CollectedVotes | undefined>
  /** Ends all waits at once. */
  close(): void
}

/** A name and its address. Times are milliseconds. */
export interface KnownName {
  name: string
  address: string
  createdAt: number
  expiresAt: number
  /** What its owner has published about it. */
  profile: JsonObject
}

/** What the address of a name is used for. Where money moves, it is always read from the store. */
export type NameUse = 'read' | 'money'

/** The public URLs of the gateway. Its own is known once it listens, so read it each time. */
export interface Links {
  /** Base of links to this service. */
  base(): string
  /** Base of links to payment pages. */
  pages(): string
  /** Base of links for programs. */
  api(): string
  /** The page of a block in an explorer. */
  block(hash: string): string
}

/** All usernames. */
export interface Names {
  /** Changes whenever any other function here may return something else than before. */
  readonly revision: number
  /** The address of a name, in any case; undefined when it is not leased. Synchronous when it is known. */
  resolve(name: string, use: NameUse): string | undefined | Promise<string | undefined>
  /** The name that an address's owner has for it. */
  usernameOf(address: string): string | undefined
  /** Whether a name cannot be leased. */
  isReserved(name: string): boolean
  /** Every name that has an address now. */
  known(): readonly KnownName[]
  /** Addresses of others with their well-known names. */
  aliases(): readonly { account: string; alias: string }[]
}

/** Representatives with voting weight, and what is known about them. */
export interface Representatives {
  list(): Promise<JsonObject[]>
}

/** A block that became final, as a node reported it. */
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
  /** The result of its election, and the block's position in its account, as far as the node reported them. */
  election?: JsonObject
  sideband?: JsonObject
}

/** The stream of confirmations from all nodes, each block once. It may miss some, so every consumer also has a poller. */
export interface ConfirmationBus {
  /** False while no node sends confirmations: remembered answers may be outdated then. */
  readonly connected: boolean
  listen(listener: (confirmation: Confirmation) => void): () => void
  /** Has the confirmations of an account looked up after a gap in the stream. */
  watch(account: string): () => void
  /** Calls back when the stream breaks and when it is back. */
  onGap(listener: () => void): void
}

/** What nodes announce beside confirmations, as one of them wrote it. */
export interface NodeTopics {
  /** `known` is called once a node has promised to send the topic, and never where none has it. The returned function ends it. */
  follow(topic: string, on: { received(text: string): void; known(): void }): () => void
}

/** The owner of a key, and what the key gives access to. */
export interface KeyOwner {
  accountId: string
  keyId: string
  kind: 'secret' | 'public'
  role: 'user' | 'admin'
  /** Whether the account has credits left, which raises its limits. */
  prepaid: boolean
  /** Origins of pages that may use a public key. */
  origins: readonly string[]
  rights: KeyRights | undefined
  isSuspended: boolean
  plan: AccountPlan
}

/** Finds the owner of a key. Synchronous when it is known. */
export interface KeyLookup {
  find(key: string): KeyOwner | undefined | Promise<KeyOwner | undefined>
  /** As the store has it now: a notice that another gateway has changed a key may be late. */
  findNow(key: string): Promise<KeyOwner | undefined>
}

/** New ids: a prefix that shows the kind, and enough randomness that none is made twice. */
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
  /** The same as HTML; it loads nothing from elsewhere. */
  html?: string
}

/** Sends mail to a server, or to a local mailbox for development. */
export interface Mailer {
  /** Throws `MailRefused` when the recipient will never be accepted, and anything else when a retry may succeed. */
  send(mail: Mail): Promise<void>
}

/** Small messages between all processes that share the store. They may be lost; nothing may depend on them alone. */
export interface Notices {
  /** False while messages of other instances cannot arrive: changes of theirs may have been missed. */
  readonly connected: boolean
  publish(topic: string, payload: string): void
  /** The same, and resolves once it was sent to all, or when that takes too long. Never throws. */
  deliver(topic: string, payload: string): Promise<void>
  subscribe(topic: string, listener: (payload: string) => void): () => void
  /** Calls back when messages can no longer arrive, and when they can again. */
  onGap(listener: () => void): void
}

/** The price of one nano, and its source. */
export interface Rate {
  /** Units of the currency for one nano, as decimal text. */
  rate: string
  source: string
  /** When the source reported it, in milliseconds. */
  at: number
}

/** Prices of nano in national currencies. */
export interface Prices {
  /** Codes in capitals. */
  readonly currencies: readonly string[]
  /** Throws when no recent enough price is known. */
  rate(currency: string): Promise<Rate>
}

/** All market data about nano, in the shape of the contract, with its source. */
export interface MarketData {
  read(): Promise<JsonObject>
}

/** A picture that can be passed on: its type was determined by its bytes, not by the server's header. */
export interface Picture {
  type: string
  bytes: Uint8Array
}

/** Pictures at addresses of merchants, fetched by us so that payers contact no other server. */
export interface Pictures {
  /** Undefined when it is not a picture, too large or not available at the moment. */
  find(url: string): Promise<Picture | undefined>
}

export interface SizedPicture extends Picture {
  width: number
  height: number
}

export type PictureFault = 'not_there' | 'too_large' | 'not_a_picture' | 'wrong_size'

/** The pictures of accounts: fetched once, made safe, and stored. */
export interface Logos {
  get(url: string): Promise<SizedPicture | PictureFault>
  /** The same for a picture that was uploaded. */
  clean(bytes: Uint8Array): Promise<SizedPicture | PictureFault>
}

/** A block of the development ledger that is not final yet. */
interface WaitingBlock {
  hash: string
  from: string
  amountRaw: Raw
}

/** Controls of the development ledger, whose nano is worth nothing. */
export interface DevelopmentLedger {
  /** Whether new blocks stay unconfirmed for now. */
  readonly holds: boolean
  /** Sends from the genesis account; returns the hash. */
  fund(address: string, amount: Raw): Promise<string>
  /** From now on new blocks stay unconfirmed. */
  hold(): void
  /** Confirms one block and its dependencies. */
  confirm(hash: string): Promise<void>
  /** Confirms everything that waits, and new blocks at once again. */
  release(): Promise<void>
  /** Oldest first. */
  listWaiting(): WaitingBlock[]
}

/** Encrypts texts that we must be able to read again. The context names the place: with another context, decryption fails. */
export interface SecretBox {
  encrypt(context: EncryptionContext, plain: string): string
  open(context: EncryptionContext, encrypted: string): string
  /** Equal for the same text and context; it reveals nothing without the key. */
  fingerprint(context: string, plain: string): string
}

/** The dark modules of a QR code as the path of a drawing that is `size` units wide. */
export interface QrOutline {
  size: number
  path: string
}

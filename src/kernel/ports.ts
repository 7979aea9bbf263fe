import type { AccountPlan, KeyRights } from './rights.ts'
import type { Raw } from './money.ts'
import type { Block } from './nano/block.ts'
import type { LedgerBlock, LedgerSend } from './nano/ledger-send.ts'
import type { PublicKey } from './nano/address.ts'
import type { Vote } from './nano/vote.ts'
import type { EncryptionContext } from './encrypted.ts'
import type { JsonObject } from './shape.ts'

/** The clock; tests can set theirs. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Runs once after a delay; the returned function cancels it. */
  after(milliseconds: number, run: () => void): () => void
  /** Follows another clock if this one can; resolves after the first reading, with a function that stops it. */
  follow?(readTime: () => Promise<number>, onFailure: (error: unknown) => void): Promise<() => void>
}

/** Unpredictable bytes. */
export interface Random {
  bytes(count: number): Uint8Array
}

export type NodeParams = Readonly<Record<string, unknown>>

export type NodeAnswer = Record<string, unknown>

/** All nodes as one ledger; failover, caching and sharing of reads are behind this interface. */
export interface NodePort {
  /** Calls an action of a node. Throws a refusal of the ledger as `LedgerRefusal`. */
  read(action: string, params: NodeParams): Promise<NodeAnswer>
  /** Blocks by hash, safe for decisions. Leaves out blocks that are missing or do not match their hash. */
  readBlocks(hashes: readonly string[]): Promise<ReadonlyMap<string, LedgerBlock>>
  /**
   * Sends among these blocks, by hash, safe to credit. Amounts are computed from the blocks, and a send is final if
   * enough nodes report it as confirmed. `previous` are hashes of predecessors, if known; they save a request.
   */
  readSends(hashes: readonly string[], previous?: readonly string[]): Promise<ReadonlyMap<string, LedgerSend>>
  /**
   * Facts on which money depends and that cannot be computed from blocks: those on which enough nodes agree. If one
   * node is enough, this is `read`. A refusal by the ledger counts as a fact, in `error`.
   */
  readAgreed(action: string, params: NodeParams, toFacts: (answer: NodeAnswer) => readonly string[]): Promise<Agreed>
  /** Publishes a block once, even if replies are lost; returns its hash. */
  publish(block: Block, subtype: string | undefined): Promise<string>
}

/** The nodes, for the request of a client. */
export interface ClientNodePort extends NodePort {
  /**
   * Sends exactly the client's question and returns the node's answer unchanged. Any error of the node is an answer,
   * and does not count against the node.
   */
  pass(action: string, params: NodeParams): Promise<string>
}

export interface Agreed {
  facts: ReadonlySet<string>
  /** Whether enough nodes have answered. */
  isEnough: boolean
  /** The answers of all nodes that answered; at least one. */
  answers: readonly NodeAnswer[]
}

/** What all nodes report about an account and about blocks. */
export interface Survey {
  /** How many nodes answered; 0 if one did not answer or is behind, because then a missing block proves nothing. */
  nodes: number
  /** The last block of the account if all nodes report the same one; zeros if none knows the account. */
  frontier: string | undefined
  /** The blocks that at least one node has. */
  known: ReadonlySet<string>
}

/** Asks all nodes about an account and about blocks. */
export type AskAllNodes = (account: string, hashes: readonly string[]) => Promise<Survey>

/** Final votes for a block with more weight than the quorum, and the nodes that reported the weights. */
export interface CollectedVotes {
  votes: readonly Vote[]
  weightOf(representative: PublicKey): bigint
  quorumRaw: bigint
  onlineRaw: bigint
  /** Hosts of nodes. */
  sources: readonly string[]
  at: number
}

export interface VotePort {
  /**
   * Keeps the votes for a block for a while, because it may become a payment. Blocks of the same payer share one limit.
   */
  expect(hash: string, payer?: string): void
  /**
   * Waits a while for votes that confirm a block. Undefined if too few arrive; throws if nodes do not report weights.
   */
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
  /** What the owner has published about the name. */
  profile: JsonObject
}

/** What the address is used for. For money, it is always read from the store. */
export type NameUse = 'read' | 'money'

/**
 * The gateway's public URLs. Read them each time, because the gateway's own may contain a port that is known only when
 * it listens.
 */
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
  /** Changes when another function here may return something else than before. */
  readonly revision: number
  /** The address of a name, in any case; undefined if the name is not leased. Synchronous if known. */
  resolve(name: string, use: NameUse): string | undefined | Promise<string | undefined>
  /** The name that the owner of an address uses for it. */
  usernameOf(address: string): string | undefined
  /** Whether a name cannot be leased. */
  isReserved(name: string): boolean
  /** Every name that currently has an address. */
  known(): readonly KnownName[]
  /** Well-known names for addresses of others. */
  aliases(): readonly { account: string; alias: string }[]
}

/** Representatives with voting weight, and what is known about them. */
export interface Representatives {
  list(): Promise<JsonObject[]>
}

/** A block that became final, as a node reported it. */
export interface Confirmation {
  hash: string
  /** Address of the account that made the block. */
  account: string
  /** Absolute change of the balance, in raw. */
  amount: string
  /** The members of the block, with `subtype`; empty if the node did not send them. */
  block: Readonly<Record<string, string>>
  type: string
  /** Milliseconds, as text. */
  time: string
  /** The result of the election and the block's height, as far as the node reported them. */
  election?: JsonObject
  sideband?: JsonObject
}

/** The stream of confirmations from all nodes, each block once. It can miss some, so every consumer also polls. */
export interface ConfirmationBus {
  /** False while no node sends confirmations: remembered answers may then be outdated. */
  readonly connected: boolean
  listen(listener: (confirmation: Confirmation) => void): () => void
  /** Marks an account whose confirmations are to be read after a gap in the stream. */
  watch(account: string): () => void
  /** Calls back when the stream breaks and when it is back. */
  onGap(listener: () => void): void
}

/** Topics that nodes send, other than confirmations, as text. */
export interface NodeTopics {
  /**
   * `known` is called when a node has acknowledged the topic; if no node has it, never. The returned function ends the
   * subscription.
   */
  follow(topic: string, on: { received(text: string): void; known(): void }): () => void
}

/** The owner of a key, and what the key allows. */
export interface KeyOwner {
  accountId: string
  keyId: string
  kind: 'secret' | 'public'
  role: 'user' | 'admin'
  /** Whether the account has credits, which raises its limits. */
  prepaid: boolean
  /** Origins of pages that may use the public key. */
  origins: readonly string[]
  rights: KeyRights | undefined
  isSuspended: boolean
  plan: AccountPlan
}

/** Finds the owner of a key. Synchronous if known. */
export interface KeyLookup {
  find(key: string): KeyOwner | undefined | Promise<KeyOwner | undefined>
  /** Reads the key from the store, because the notice that another gateway has changed it may be late. */
  findNow(key: string): Promise<KeyOwner | undefined>
}

/** Makes ids with a prefix for the kind, random enough to be unique. */
export interface Ids {
  next(prefix: string): string
}

export interface LimitDecision {
  allowed: boolean
  limit: number
  remaining: number
  resetSeconds: number
  /** Only set if refused. */
  retryAfterSeconds: number
}

/** Decides whether a caller may proceed. A refused request uses up nothing. */
export interface RateLimiter {
  take(key: string, perMinute: number): LimitDecision | Promise<LimitDecision>
}

export interface Mail {
  id: string
  recipient: string
  subject: string
  text: string
  /** The same as HTML, which loads nothing from elsewhere. */
  html?: string
}

/** Sends mail to a server, or keeps it in a local mailbox for development. */
export interface Mailer {
  /** Throws `MailRefused` if the recipient will never be accepted, and another error if a retry may succeed. */
  send(mail: Mail): Promise<void>
}

/** Small messages between all processes on a store. They can get lost, so nothing depends on them alone. */
export interface Notices {
  /** False while messages of other instances cannot arrive, so that some may have been missed. */
  readonly connected: boolean
  publish(topic: string, payload: string): void
  /** Like `publish`, but resolves when it was sent to all, or when that takes too long. Never throws. */
  deliver(topic: string, payload: string): Promise<void>
  subscribe(topic: string, listener: (payload: string) => void): () => void
  /** Calls back when messages can no longer arrive, and when they can again. */
  onGap(listener: () => void): void
}

/** The price of one nano, and its source. */
export interface Rate {
  /** How much of the currency one nano costs, as decimal text. */
  rate: string
  source: string
  /** When the source reported it, in milliseconds. */
  at: number
}

/** Prices of nano in national currencies. */
export interface Prices {
  /** Codes in capitals. */
  readonly currencies: readonly string[]
  /** Throws if no recent price is known. */
  rate(currency: string): Promise<Rate>
}

/** All market data about nano in the format of the contract, with its source. */
export interface MarketData {
  read(): Promise<JsonObject>
}

/** A picture that can be passed on. Its bytes determine the type, not the server's header. */
export interface Picture {
  type: string
  bytes: Uint8Array
}

/** Pictures at merchants' addresses. We fetch them, so that payers contact no other server. */
export interface Pictures {
  /**
   * Undefined if it is not a picture, is too large, or is currently unavailable. `owner` is whose page shows it: nobody
   * takes the places of others.
   */
  find(url: string, owner: string): Promise<Picture | undefined>
}

export interface SizedPicture extends Picture {
  width: number
  height: number
}

export type PictureFault = 'not_there' | 'too_large' | 'not_a_picture' | 'wrong_size'

/** The logos of accounts: fetched once, made safe, and stored. */
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
  /** Leaves new blocks unconfirmed. */
  hold(): void
  /** Confirms one block and its dependencies. */
  confirm(hash: string): Promise<void>
  /** Confirms all waiting blocks, and new blocks automatically again. */
  release(): Promise<void>
  /** Oldest first. */
  listWaiting(): WaitingBlock[]
}

/** Encrypts texts that must be readable again. The context names the place: decrypting with another context fails. */
export interface SecretBox {
  encrypt(context: EncryptionContext, plain: string): string
  open(context: EncryptionContext, encrypted: string): string
  /** The same for the same text and context; it reveals nothing without the key. */
  fingerprint(context: string, plain: string): string
}

/** The dark modules of a QR code as a path, in a drawing `size` units wide. */
export interface QrOutline {
  size: number
  path: string
}

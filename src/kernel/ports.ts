import type { Leaving } from './leaving.ts'
import type { Block } from './nano/block.ts'
import type { PaymentPayload, PaymentTerms, SettleResponse, SupportedResponse, VerifyResponse } from './x402/wire.ts'

/** Time, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Runs once after a delay; the returned function calls it off. */
  after(milliseconds: number, run: () => void): () => void
}

/** Unpredictable bytes. */
export interface Random {
  bytes(count: number): Uint8Array
}

export type NodeParams = Readonly<Record<string, unknown>>
export type NodeAnswer = Record<string, unknown>

/** The ledger's nodes as one: failover, caching and coalescing are behind it. */
export interface NodePort {
  /** Asks for a node action. What the ledger refuses is thrown as `LedgerRefusal`. */
  read(action: string, params: NodeParams): Promise<NodeAnswer>
  /** Brings a block to the ledger, once, whatever happens to the replies; answers with its hash. */
  publish(block: Block, subtype: string | undefined): Promise<string>
}

/** The book of usernames. */
export interface Names {
  /** The address a name stands for, in any case; undefined when nobody has it. */
  resolve(name: string): string | undefined
  usernameOf(address: string): string | undefined
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
}

/** The stream of confirmations from all nodes, each block once. Consumers act once and have a poller as their net. */
export interface ConfirmationBus {
  /** False while no node tells us anything: what is remembered may be stale then. */
  readonly connected: boolean
  listen(listener: (confirmation: Confirmation) => void): () => void
  /** Accounts whose confirmations are looked up after a gap in the stream. */
  watch(account: string): () => void
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
}

/** Who a key belongs to. Answers at once when it knows. */
export interface KeyRing {
  find(key: string): KeyOwner | undefined | Promise<KeyOwner | undefined>
}

/** New names for new things: a prefix that tells the kind, and enough randomness that nobody meets one twice. */
export interface Ids {
  next(prefix: string): string
}

export interface BurstDecision {
  allowed: boolean
  limit: number
  remaining: number
  resetSeconds: number
  /** Only meaningful when refused. */
  retryAfterSeconds: number
}

/** Decides whether a caller may go on now. A refused request consumes nothing. */
export interface BurstLimits {
  take(key: string, perMinute: number): BurstDecision | Promise<BurstDecision>
}

export interface Mail {
  id: string
  recipient: string
  subject: string
  text: string
}

/** Where mail goes: a server, or a box that people can look into. */
export interface Mailer {
  send(mail: Mail): Promise<void>
}

/** Small messages between everything that shares the store. They may be lost; nothing may depend on them alone. */
export interface Notices {
  publish(topic: string, payload: string): void
  subscribe(topic: string, listener: (payload: string) => void): () => void
}

/** How urgent work is: somebody waits, one of our own wallets waits, or it may be wanted later. */
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
  /** Tells that whoever asked has left. */
  leaving?: Leaving
}

export interface FoundWork {
  /** 16 hexadecimal digits. */
  work: string
  /** What the work is worth for its root; never below what was asked for. */
  value: bigint
}

/** Proof of work. Everything it returns was checked here, whoever found it. */
export interface WorkPort {
  /** What is known already and is enough. */
  find(root: string, threshold: bigint): FoundWork | undefined | Promise<FoundWork | undefined>
  /** Finds work, or throws `no_work` when there is no source or the wait would be too long. */
  generate(request: WorkRequest): Promise<FoundWork>
  /** Ends the waits of one payer for a root; true when there were any. Nobody else's wait ends. */
  cancel(root: string, payer: string): boolean
  /** The root of an account's next block is known; work for it is made when nothing else is to be done. */
  prepare(account: string, root: string, threshold: bigint): void
}

/**
 * Verifies and settles payments by request (contract 4.7); the interface is that of the protocol's own packages. It
 * throws when it has no outcome to tell: after `settle` the payment may then be on the ledger or not.
 */
export interface Facilitator {
  verify(payment: PaymentPayload, terms: PaymentTerms): Promise<VerifyResponse>
  settle(payment: PaymentPayload, terms: PaymentTerms): Promise<SettleResponse>
  getSupported(): Promise<SupportedResponse>
}

/** The facilitator on our own node, whose word is the one that counts. */
export interface OwnFacilitator extends Facilitator {
  /**
   * What the ledger says of a payment, without sending it: waits for its confirmation. Undefined when the ledger does
   * not have it; with `expected`, its coming is waited for too.
   */
  confirm(payment: PaymentPayload, terms: PaymentTerms, expected: boolean): Promise<SettleResponse | undefined>
}

/** What one nano costs in a currency. */
export interface Prices {
  rate(currency: string): Promise<{ rate: string; source: string; at: number }>
}

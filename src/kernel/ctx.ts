import { type Actor } from './actor.ts'
import type { Idempotency } from './idempotency.ts'
import type { StoreCtx } from './in-tx.ts'
import type { AccountPlan, KeyRights, MemberRole } from './rights.ts'
import type { Leaving } from './leaving.ts'
import type { ClientNodePort } from './ports.ts'

/** What is counted and, beyond the free amount, has to be paid for. */
export type Meter = 'work' | 'wallet_send'

/** The caller: anonymous, or the holder of a key or session. */
export type Caller =
  /**
   * `paidBy` is the address that paid for this request, which then uses up no quota and no credits. `isLocal` is a
   * program on this machine that uses a local gateway as its node; it pays nothing either.
   */
  | { kind: 'anonymous'; paidBy?: string; isLocal?: true }
  | {
      kind: 'account'
      accountId: string
      role: 'user' | 'admin'
      prepaid: boolean
      access: 'secret-key' | 'public-key'
      keyId?: string
      /** Who appears in the activity log: the signed-in person, or the key. */
      actor: Actor
      /** The rights of the key; undefined if they are not restricted. */
      rights: KeyRights | undefined
      /** The role of a signed-in person; undefined for a key, or for a session that was started with a key. */
      memberRole?: MemberRole | undefined
      /** Limits set for this account. */
      plan?: AccountPlan | undefined
    }

/** What a request reports for its headers, the log and metrics. */
export interface Trace {
  requestId?: string
  cache: 'hit' | 'miss' | 'coalesced' | 'stale' | undefined
  /**
   * Freshness of the remembered answer of the node that this answer was made from; undefined if it was made from
   * several.
   */
  fresh: Freshness | undefined
  /** The first read for this request, while it is running. */
  flight?: Flight | undefined
}

/** Tells whether an answer that was made from a remembered answer is still current. */
export interface Freshness {
  holds(): boolean
}

/** A running read that other requests can wait for. */
export interface Flight {
  /**
   * Waits until it ends or until `leaving`. False if it has finished, or may lack something that happened since it
   * began.
   */
  join(leaving: Leaving): boolean
}

/** A request, with the ledger and the store. Everything else that an action needs is in the context of its module. */
export interface Ctx {
  requestId: string
  caller: Caller
  /** Whose share of limited resources the request uses: that of the account, or of the network address. */
  payer: string
  /** The client's network address, determined with trusted proxies only. */
  ip: string
  /** What an earlier request with the same key has left; only for requests that act once, if the client sent a key. */
  idempotency: Idempotency | undefined
  /**
   * Marks the answer as a repetition of an earlier one although no key was sent, so that it gets the corresponding
   * header.
   */
  replays(): void
  /** Reports that the client has left. */
  leaving: Leaving
  /** The node for this request: records where answers came from, and is cancelled when the client leaves. */
  node: ClientNodePort
  store: StoreCtx
  /**
   * Runs a metered operation and charges for it beforehand, with a refund if it fails. The answer reports what it cost.
   * A result that needed no computation costs nothing.
   */
  charged<T>(meter: Meter, run: (credits: number) => Promise<T>): Promise<T>
  /** Counts a metered operation that costs no credits; refuses when the free amount is used up. */
  counted(meter: Meter, run: () => Promise<void>): Promise<void>
}

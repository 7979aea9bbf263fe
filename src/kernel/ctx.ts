import { type Actor } from './actor.ts'
import type { Idempotency } from './idempotency.ts'
import type { StoreCtx } from './in-tx.ts'
import type { AccountPlan, KeyRights } from './key-rights.ts'
import type { MemberRole } from './roles.ts'
import type { Leaving } from './leaving.ts'
import type { NodePort } from './ports.ts'

/** What is counted and, beyond what is free, paid for. */
export type Meter = 'work' | 'wallet_send'

/** Who calls: an anonymous caller, or the holder of a key. */
export type Caller =
  /** With `paidBy`, the address that has paid for this very request: it costs no quota and no credits. */
  | { kind: 'anonymous'; paidBy?: string }
  | {
      kind: 'account'
      accountId: string
      role: 'user' | 'admin'
      prepaid: boolean
      door: 'secret-key' | 'public-key'
      keyId?: string
      /** Whose name stands in the activity log: who is signed in, or the key. */
      actor: Actor
      /** What its key lets it do; undefined where no key says less than everything. */
      rights: KeyRights | undefined
      /** What somebody who is signed in is in the account; undefined where a key calls, or has signed somebody in. */
      memberRole?: MemberRole | undefined
      /** Limits of its own. */
      plan?: AccountPlan | undefined
    }

/** What a request leaves behind for headers, logs and metrics. */
export interface Trace {
  requestId?: string
  cache: 'hit' | 'miss' | 'coalesced' | 'stale' | undefined
  /** Of the remembered answer that this one was made from; unset when it came from more than one. */
  fresh: Freshness | undefined
  /** The first read for this request, while it is under way. */
  flight?: Flight | undefined
}

/** Whether what was made from a remembered answer of the nodes still counts. */
export interface Freshness {
  holds(): boolean
}

/** A read that others may wait for as well. */
export interface Flight {
  /** Waits for it until `leaving`; false when it has landed, or something happened that it may not know of. */
  join(leaving: Leaving): boolean
}

/** The facts of one request, with the ledger and the store. What an action needs beside them, its room was given when it was opened. */
export interface Ctx {
  requestId: string
  caller: Caller
  /** Whose share of what is scarce this request takes: its account, or its network address. */
  payer: string
  /** The client's network address, as far as it can be trusted. */
  ip: string
  /** What a repeated request finds of the first one; only where requests act once and the client names them. */
  idempotency: Idempotency | undefined
  /** The answer is that of an earlier request, without a key that says so: it gets the header that repeated ones have. */
  replays(): void
  /** Tells that the client has left. */
  leaving: Leaving
  /** This request's own: it notes where answers came from, and ends with the client. */
  node: NodePort
  store: StoreCtx
  /**
   * Runs what is metered and charges the caller for it: before it runs, given back when it fails. What it consumed goes
   * into the answer. Whatever is found without it costs nothing.
   */
  charged<T>(meter: Meter, run: (credits: number) => Promise<T>): Promise<T>
  /** Counts what is metered and costs no credits: against what is free, and refused where nothing of that is left. */
  counted(meter: Meter, run: () => Promise<void>): Promise<void>
}

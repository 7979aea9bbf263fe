import { type Actor } from './actor.ts'
import type { Idempotency } from './idempotency.ts'
import type { StoreCtx } from './in-tx.ts'
import type { AccountPlan, KeyRights, MemberRole } from './rights.ts'
import type { Leaving } from './leaving.ts'
import type { ClientNodePort } from './ports.ts'

/** What is counted and, beyond the free amount, paid for. */
export type Meter = 'work' | 'wallet_send'

/** The caller: anonymous, or the holder of a key or session. */
export type Caller =
  /**
   * `paidBy` is the address that has paid for this very request: it uses up no quota and no credits. Neither does a program on this
   * machine (`isLocal`) that takes a local gateway for its node.
   */
  | { kind: 'anonymous'; paidBy?: string; isLocal?: true }
  | {
      kind: 'account'
      accountId: string
      role: 'user' | 'admin'
      prepaid: boolean
      access: 'secret-key' | 'public-key'
      keyId?: string
      /** Who is named in the activity log: the person who is signed in, or the key. */
      actor: Actor
      /** The rights of its key; undefined where they are not restricted. */
      rights: KeyRights | undefined
      /** The role of a signed-in person; undefined where a key calls, or a key was used to sign in. */
      memberRole?: MemberRole | undefined
      /** Limits of the account itself. */
      plan?: AccountPlan | undefined
    }

/** What a request reports for headers, logs and metrics. */
export interface Trace {
  requestId?: string
  cache: 'hit' | 'miss' | 'coalesced' | 'stale' | undefined
  /** Freshness of the node's remembered answer from which this one was made; unset when it was made from several. */
  fresh: Freshness | undefined
  /** The first read for this request, while it is in progress. */
  flight?: Flight | undefined
}

/** Whether an answer made from a remembered answer of the nodes is still current. */
export interface Freshness {
  holds(): boolean
}

/** A read for which other requests may wait as well. */
export interface Flight {
  /** Waits for it until `leaving`; false when it has finished, or may miss something that happened since it began. */
  join(leaving: Leaving): boolean
}

/** The facts of one request, with the ledger and the store. Everything else that an action needs is in the context of its module. */
export interface Ctx {
  requestId: string
  caller: Caller
  /** Whose share of scarce resources this request uses: its account, or its network address. */
  payer: string
  /** The client's network address, as far as it can be trusted. */
  ip: string
  /** What a repeated request finds of the first one; only where requests act once and the client has sent a key. */
  idempotency: Idempotency | undefined
  /** Reports that the answer repeats an earlier one although no key was sent: it gets the header of repeated answers. */
  replays(): void
  /** Notifies when the client has left. */
  leaving: Leaving
  /** The node for this request alone: it records where answers came from, and is cancelled when the client leaves. */
  node: ClientNodePort
  store: StoreCtx
  /**
   * Runs something metered and charges the caller for it: before it runs, with a refund when it fails. What it consumed is reported in
   * the answer. A result that is found without it costs nothing.
   */
  charged<T>(meter: Meter, run: (credits: number) => Promise<T>): Promise<T>
  /** Counts something metered that costs no credits: it uses up the free amount, and is refused when that is gone. */
  counted(meter: Meter, run: () => Promise<void>): Promise<void>
}

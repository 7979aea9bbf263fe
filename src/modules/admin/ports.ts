import { type Actor } from '../../kernel/actor.ts'
import type { Db } from '../../kernel/db.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { CheckoutContext } from '../checkout/index.ts'
import type { WalletContext } from '../wallets/index.ts'

/** An account, and the administrator who acts on it. */
interface Who {
  accountId: string
  actor: Actor
}

/** What the admin pages show, and what their users can trigger. */
export interface AdminPorts {
  store: StoreCtx
  checkouts: CheckoutContext
  wallets: WalletContext
  mailIsKept: boolean
  /** Notifies every instance that the operator has changed an account's rights. */
  announceStanding(accountId: string): void
  status(): GatewayStatus
  /** All data about an account by table, without secrets; not complete where it is too much for one answer. */
  gather(who: Who): Promise<{ tables: Record<string, Record<string, unknown>[]>; complete: boolean }>
  /** Deletes an account's personal data; refused with 409 while money or a delivery is under way. */
  /** `onClosed` is called once its keys and sessions have stopped working, before the rest is deleted. */
  erase(who: Who & { onClosed(): void }): Promise<void>
  /** Mail that was stored instead of sent, newest first. */
  listMails(limit: number): Promise<StoredMail[]>
  listJobs(filter: { status?: string; limit: number }): Promise<JobView[]>
  countJobs(): Promise<{ status: string; count: number }[]>
  /** Counts the unfinished jobs by kind. */
  countUnfinished(): Promise<{ kind: string; status: string; count: number }[]>
  /** Makes a dead job ready again; false when there is no such dead job, or an equal one is queued already. */
  retryDead(db: Db, id: string, now: number): Promise<boolean>
}

/** A job as administrators see it, without its payload. */
export interface JobView {
  id: string
  kind: string
  status: string
  attempts: number
  runAt: number
  lastError: string | null
}

/** A mail stored instead of sent. */
export interface StoredMail {
  id: string
  recipient: string
  subject: string
  text: string
  createdAt: number
}

interface UpstreamStatus {
  name: string
  role: string
  healthy: boolean
  state: 'well' | 'failing' | 'behind' | 'suspect' | 'foreign' | 'unverified'
  /** Why it is not used, where the state alone does not explain it. */
  reason: string | undefined
  cemented: number
  p95Milliseconds: number | undefined
}

interface WorkSourceStatus {
  name: string
  kind: string
  usable: boolean
  /** In hashes a second. */
  rate: number
}

export interface GatewayStatus {
  version: string
  uptimeSeconds: number
  network: string
  store: string
  confirmationsConnected: boolean
  websocketClients: number
  cachedBytes: number
  upstreams: UpstreamStatus[]
  /** Every source of prices or work that was used so far. */
  sources: readonly { kind: string; name: string; failing: boolean; reason: string | undefined }[]
  work: { sources: WorkSourceStatus[]; searches: number; queueSeconds: number }
}

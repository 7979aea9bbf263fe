import { type Actor } from '../../kernel/actor.ts'
import type { Db } from '../../kernel/db.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { CheckoutRoom } from '../checkout/index.ts'
import type { WalletRoom } from '../wallets/index.ts'

/** An account, and the administrator who acts on it. */
interface Who {
  accountId: string
  actor: Actor
}

/** What the gateway shows to its people, and what they may set going again. */
export interface AdminPorts {
  store: StoreCtx
  checkouts: CheckoutRoom
  wallets: WalletRoom
  mailIsKept: boolean
  /** The operator has changed what an account may do. */
  tellStanding(accountId: string): void
  status(): GatewayStatus
  /** Everything that is known about an account, by table, without secrets; not complete where it is too much for one answer. */
  gather(who: Who): Promise<{ tables: Record<string, Record<string, unknown>[]>; complete: boolean }>
  /** Erases what tells of its people; refused (409) while money or a delivery is on its way. */
  /** `onClosed` is called once it opens nothing any more, before the rest is erased. */
  erase(who: Who & { onClosed(): void }): Promise<void>
  /** Mail that was kept instead of sent, newest first. */
  listMails(limit: number): Promise<StoredMail[]>
  listJobs(filter: { status?: string; limit: number }): Promise<JobView[]>
  countJobs(): Promise<{ status: string; count: number }[]>
  /** The same of those that are not done, by kind. */
  countUnfinished(): Promise<{ kind: string; status: string; count: number }[]>
  /** Dead → ready; false when there is no such dead job, or the same one waits already. */
  retryDead(db: Db, id: string, now: number): Promise<boolean>
}

/** A job as administrators see it, without what it carries. */
export interface JobView {
  id: string
  kind: string
  status: string
  attempts: number
  runAt: number
  lastError: string | null
}

/** A mail that was kept in the store instead of sent. */
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
  state: 'well' | 'failing' | 'behind' | 'suspect' | 'foreign' | 'untold'
  /** Why it is not used, when there is more to say than the state. */
  reason: string | undefined
  cemented: number
  p95Milliseconds: number | undefined
}

interface WorkSourceStatus {
  name: string
  kind: string
  usable: boolean
  /** Hashes a second. */
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
  /** Every source that was asked for prices or work so far. */
  sources: readonly { kind: string; name: string; failing: boolean; reason: string | undefined }[]
  work: { sources: WorkSourceStatus[]; searches: number; queueSeconds: number }
}

import type { Outbound } from '../../kernel/ports.ts'
import type { SecretCtx } from './domain/account-secret.ts'

/** What the verbs of webhooks work with. */
export interface WebhookRoom extends SecretCtx {
  /** The way out to addresses that users gave. */
  outbound: Outbound
  /** Every kind of event that an endpoint can ask for. */
  kinds: readonly string[]
  /** Tries a delivery at once, in place of the job that would. */
  attempt(deliveryId: string): Promise<void>
}

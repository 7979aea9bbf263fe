import { type Outbound } from '../../kernel/outbound.ts'
import type { SecretCtx } from './domain/account-secret.ts'

/** The context of every function of this module. */
export interface WebhookContext extends SecretCtx {
  /** Sends requests to URLs that users gave. */
  outbound: Outbound
  /** Every event type that an endpoint can ask for. */
  kinds: readonly string[]
  /** Attempts a delivery at once, before its job does. */
  attempt(deliveryId: string): Promise<void>
}

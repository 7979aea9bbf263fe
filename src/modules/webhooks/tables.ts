import type { DeliveriesTable } from './deliveries-store.ts'
import type { EventsTable } from './store.ts'
import type { WebhookReplaysTable } from './endpoints/replays-store.ts'
import { encryptedIn } from '../../kernel/encrypted.ts'
import type { EndpointColumns } from './endpoints/endpoint.ts'
import type { WatchColumns } from './watches/watch.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    /** Something that happened, of which its owner is notified. */
    events: EventsTable
    /** The last position assigned; the transaction that takes the next one locks the row until its commit. */
    event_positions: {
      account_id: string
      last: number
      /** How many endpoints the account has, so that events of accounts without endpoints need not look for any. */
      endpoints: number
    }
    /** The sending of one event to one receiver. */
    deliveries: DeliveriesTable
    /** The result of one attempt. */
    delivery_attempts: {
      delivery_id: string
      attempt: number
      status: number | null
      error: string | null
      milliseconds: number
      response: string
      at: number
      /** The headers that were sent, as JSON; null where nothing was sent. */
      headers: string | null
    }
    /** An account's default secret; the previous one still signs for a while. */
    webhook_secrets: {
      account_id: string
      sealed: string
      created_at: number
      previous_sealed: string | null
      previous_until: number | null
    }
    /** URLs that answered 410 Gone. `owner` is the account, or the event's subject if the event has no account. */
    disabled_webhooks: {
      owner: string
      url: string
      disabled_at: number
    }
    webhook_endpoints: EndpointColumns
    webhook_replays: WebhookReplaysTable
    address_watches: WatchColumns
  }
}

/** Ordered so that every table comes after the tables that it refers to. */
export const WEBHOOK_TABLES = [
  'events',
  'event_positions',
  'deliveries',
  'delivery_attempts',
  'webhook_secrets',
  'disabled_webhooks',
  'webhook_endpoints',
  'webhook_replays',
  'address_watches',
] as const

/** Binds an encrypted secret to its account, so that it cannot be decrypted for another one. */
export const accountSecretContext = encryptedIn(
  { table: 'webhook_secrets', columns: ['sealed', 'previous_sealed'], key: ['account_id'] },
  (accountId) => `webhook-secret:${accountId}`,
)
export const endpointSecretContext = encryptedIn(
  { table: 'webhook_endpoints', columns: ['sealed', 'previous_sealed'], key: ['id'] },
  (id) => `webhook-endpoint:${id}`,
)
/** Binds a checkout's own secret to the event it signs. */
export const eventSecretContext = encryptedIn(
  { table: 'events', columns: ['sealed_secret'], key: ['id'] },
  (id) => `webhook-event:${id}`,
)

export const WEBHOOK_ENCRYPTED = [accountSecretContext, endpointSecretContext, eventSecretContext]

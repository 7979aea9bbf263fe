import type { EndpointColumns } from './endpoints/endpoint.ts'
import type { WatchColumns } from './watches/watch.ts'

/** Something that happened and that its owner is told about. */
export interface EventsTable {
  id: string
  /** Null for what was made without a key. */
  account_id: string | null
  /** Counts the events of an account in the order in which they were committed. */
  position: number | null
  /** What it is about: the id of a checkout. */
  subject: string
  type: string
  dedupe_key: string
  /** The exact bytes that are sent, as text; null once they were forgotten. */
  body: string | null
  url: string | null
  sealed_secret: string | null
  created_at: number
  delivered_at: number | null
  /** The only endpoint that is told; null is each that asks for it. */
  endpoint_id: string | null
}

/** The last position given out; the transaction that takes the next one holds the row until the commit. */
interface EventPositionsTable {
  account_id: string
  last: number
  /** How many endpoints the account has: no event has to look for them where there are none. */
  endpoints: number
}

/** An event on its way to its address. */
export interface DeliveriesTable {
  id: string
  event_id: string
  /** Null: it goes to the address that its event names. */
  endpoint_id: string | null
  cause: 'event' | 'redelivery' | 'replay' | 'test'
  state: 'queued' | 'sending' | 'retrying' | 'delivered' | 'dead'
  /** Attempts whose outcome is known. */
  attempts: number
  next_at: number | null
  created_at: number
  finished_at: number | null
}

/** What came of one attempt. */
export interface DeliveryAttemptsTable {
  delivery_id: string
  attempt: number
  status: number | null
  error: string | null
  milliseconds: number
  response: string
  at: number
  /** What was sent with the body, as JSON; null where nothing was sent. */
  headers: string | null
}

/** The default secret of an account; the one before it signs along for a while. */
interface WebhookSecretsTable {
  account_id: string
  sealed: string
  created_at: number
  previous_sealed: string | null
  previous_until: number | null
}

/** Addresses that said they are gone. The owner is an account, or the subject of events that have none. */
interface DisabledWebhooksTable {
  owner: string
  url: string
  disabled_at: number
}

/** Declared where the noun is. */
export interface WebhookEndpointsTable extends EndpointColumns {}

/** Events that an endpoint is sent again, step by step. */
export interface WebhookReplaysTable {
  id: string
  endpoint_id: string
  /** Null for one that a gateway of the version before has begun. */
  account_id: string | null
  /** Kinds, or `*`, as a JSON list. */
  events: string
  /** Whether only what the endpoint has not taken yet. */
  missed: number
  /** Everything up to here was looked at. */
  position: number
  position_end: number
  queued: number
  state: 'running' | 'done' | 'stopped'
  created_at: number
  finished_at: number | null
}

/** Declared where the noun is. */
export interface AddressWatchesTable extends WatchColumns {}

export interface WebhookTables {
  events: EventsTable
  event_positions: EventPositionsTable
  deliveries: DeliveriesTable
  delivery_attempts: DeliveryAttemptsTable
  webhook_secrets: WebhookSecretsTable
  disabled_webhooks: DisabledWebhooksTable
  webhook_endpoints: WebhookEndpointsTable
  webhook_replays: WebhookReplaysTable
  address_watches: AddressWatchesTable
}

/** In an order in which references are already there. */
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
] as const satisfies readonly (keyof WebhookTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends WebhookTables {}
}

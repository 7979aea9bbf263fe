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
}

/** The last position given out; the transaction that takes the next one holds the row until the commit. */
interface EventPositionsTable {
  account_id: string
  last: number
}

/** An event on its way to its address. */
export interface DeliveriesTable {
  id: string
  event_id: string
  cause: 'event' | 'redelivery'
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

export interface WebhookTables {
  events: EventsTable
  event_positions: EventPositionsTable
  deliveries: DeliveriesTable
  delivery_attempts: DeliveryAttemptsTable
  webhook_secrets: WebhookSecretsTable
  disabled_webhooks: DisabledWebhooksTable
}

/** In an order in which references are already there. */
export const WEBHOOK_TABLES = [
  'events',
  'event_positions',
  'deliveries',
  'delivery_attempts',
  'webhook_secrets',
  'disabled_webhooks',
] as const satisfies readonly (keyof WebhookTables)[]

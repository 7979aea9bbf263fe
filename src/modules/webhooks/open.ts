import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Module } from '../../kernel/module.ts'
import type { Outbound, SecretBox } from '../../kernel/ports.ts'
import { countUndelivered } from './deliveries-store.ts'
import { type AttemptEvent, deliver, openBatches } from './domain/deliver.ts'
import type { EventsKept } from './domain/forget-old.ts'
import { HostConcurrency } from './domain/host-concurrency.ts'
import { urlRefused } from './errors.ts'
import { deliverToEndpoint, deliverWebhook, forgetEvents, replayEvents, reviveDeliveries } from './jobs.ts'
import type { WebhookRoom } from './room.ts'
import { webhookRoutes } from './routes/api.ts'
import { webhookPages } from './routes/dashboard.tsx'

interface WebhookPorts {
  store: StoreCtx
  secrets: SecretBox
  /** The way out to addresses that users gave. */
  outbound: Outbound
  /** Every kind of event that an endpoint can ask for. */
  kinds: readonly string[]
  onAttempt(attempt: AttemptEvent): void
}

export interface WebhooksModule extends Module {
  /** Refuses (400) where events may not be sent. */
  checkUrl(url: string): Promise<void>
}

/** Tells owners about their events. */
export function openWebhooks(
  { store, secrets, outbound, kinds, onAttempt }: WebhookPorts,
  kept: EventsKept,
): WebhooksModule {
  const ctx = { ...store, secrets, outbound, slots: new HostConcurrency(), onAttempt }
  const batches = openBatches(ctx)
  const attempt = (deliveryId: string) => deliver(batches, deliveryId)
  const room: WebhookRoom = { ...store, secrets, outbound, kinds, attempt }
  return {
    name: 'webhooks',
    routes: webhookRoutes(room),
    pages: webhookPages(room),
    jobs: [
      deliverWebhook(ctx, batches),
      deliverToEndpoint(ctx, batches),
      replayEvents(store),
      reviveDeliveries(store),
      forgetEvents(store, kept),
    ],
    gauges: [
      {
        name: 'gateway_webhook_deliveries',
        help: 'Deliveries that wait, are sent or are dead.',
        labels: ['state'],
        read: async () =>
          (await countUndelivered(store.db)).map(({ state, count }) => ({ labels: { state }, value: count })),
      },
    ],
    checkUrl: (url) => {
      const reason = outbound.check(url)
      return reason === undefined ? Promise.resolve() : Promise.reject(urlRefused('webhook_url', reason))
    },
  }
}

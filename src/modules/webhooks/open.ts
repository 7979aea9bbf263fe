import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Module } from '../../kernel/module.ts'
import type { Outbound, SecretBox } from '../../kernel/ports.ts'
import { countUndelivered } from './deliveries-store.ts'
import type { AttemptEvent } from './domain/deliver.ts'
import { HostConcurrency } from './domain/host-concurrency.ts'
import { urlRefused } from './errors.ts'
import { deliverWebhook, forgetEvents, reviveDeliveries } from './jobs.ts'
import { webhookRoutes } from './routes/api.ts'
import { webhookPages } from './routes/dashboard.tsx'

interface WebhookPorts {
  store: StoreCtx
  secrets: SecretBox
  /** The way out to addresses that users gave. */
  outbound: Outbound
  onAttempt(attempt: AttemptEvent): void
}

export interface WebhooksModule extends Module {
  /** Refuses (400) where events may not be sent. */
  checkUrl(url: string): Promise<void>
}

/** Tells owners about their events. */
export function openWebhooks({ store, secrets, outbound, onAttempt }: WebhookPorts): WebhooksModule {
  const deliver = deliverWebhook({ ...store, secrets, outbound, slots: new HostConcurrency(), onAttempt })
  return {
    name: 'webhooks',
    routes: webhookRoutes({ ...store, secrets, outbound }),
    pages: webhookPages({ ...store, secrets, outbound }),
    jobs: [deliver, reviveDeliveries(store), forgetEvents(store)],
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

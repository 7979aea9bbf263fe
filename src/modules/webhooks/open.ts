import type { StoreEngine } from '../../kernel/dialect.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import { type Module, offer } from '../../kernel/module.ts'
import { type ConfirmationBus, type NodePort, type Notices, type SecretBox } from '../../kernel/ports.ts'
import { type Outbound } from '../../kernel/outbound.ts'
import type { ValuesOf } from '../../kernel/setting.ts'
import { watch } from './actions/watch.ts'
import { countUndelivered } from './deliveries-store.ts'
import { type AttemptEvent, deliver, openBatches } from './domain/deliver.ts'
import type { EventsKept } from './domain/forget-old.ts'
import { HostConcurrency } from './domain/host-concurrency.ts'
import { urlRefused } from './errors.ts'
import {
  deliverToEndpoint,
  deliverWebhook,
  forgetEvents,
  forgetWatches,
  replayEvents,
  reviveDeliveries,
} from './jobs.ts'
import type { WebhookContext } from './context.ts'
import { webhookRoutes } from './routes/api.ts'
import { webhookPages } from './routes/dashboard.tsx'
import type { WEBHOOK_SETTINGS } from './settings.ts'
import { AddressMonitor } from './watches/monitor.ts'
import type { WatchContext } from './watches/context.ts'
import { watchRoutes } from './watches/routes.ts'

const WATCHES = 'watches'

export const WEBHOOK_ACTIONS = [watch]

interface WebhookPorts {
  store: StoreCtx
  engine: StoreEngine
  notices: Notices
  node: NodePort
  confirmations: ConfirmationBus
  /** How many milliseconds this instance leaves an announced block to others; undefined leaves it to them for good. */
  turnOf(hash: string): number | undefined
  secrets: SecretBox
  /** Sends requests to URLs that users gave. */
  outbound: Outbound
  /** Every event type that an endpoint can ask for. */
  kinds: readonly string[]
  onAttempt(attempt: AttemptEvent): void
}

export interface WebhooksModule extends Module {
  /** Throws 400 for a URL to which events may not be sent. */
  checkUrl(url: string, field?: string): Promise<void>
}

/** Opens the webhooks module: events for owners of checkouts and of watched addresses. */
export function openWebhooks(
  { store, engine, notices, node, confirmations, turnOf, secrets, outbound, kinds, onAttempt }: WebhookPorts,
  settings: EventsKept & Pick<ValuesOf<typeof WEBHOOK_SETTINGS>, 'watchAddressesMax'>,
): WebhooksModule {
  const ctx = { ...store, secrets, outbound, slots: new HostConcurrency(), onAttempt }
  const batches = openBatches(ctx)
  const attempt = (deliveryId: string) => deliver(batches, { deliveryId })
  const context: WebhookContext = { ...store, secrets, outbound, kinds, attempt }
  const watches: WatchContext = {
    ...store,
    secrets,
    node,
    engine,
    addressesMax: settings.watchAddressesMax,
    watch(addresses) {
      monitor.feed.watch(addresses)
      notices.publish(WATCHES, '')
    },
  }
  const monitor = new AddressMonitor({ context: watches, bus: confirmations, turnOf })
  const unsubscribe = notices.subscribe(WATCHES, () => monitor.feed.refresh())
  return {
    ...offer('webhooks', watches, WEBHOOK_ACTIONS),
    routes: [...webhookRoutes(context), ...watchRoutes(watches)],
    pages: webhookPages(context, watches),
    jobs: [
      deliverWebhook(ctx, batches),
      deliverToEndpoint(ctx, batches),
      replayEvents(store),
      reviveDeliveries(store),
      forgetEvents(store, settings),
      forgetWatches(store),
    ],
    gauges: [
      {
        name: 'gateway_webhook_deliveries',
        help: 'Deliveries that wait, are sent or are dead.',
        labels: ['state'],
        read: async () =>
          (await countUndelivered(store.db)).map(({ state, count }) => ({ labels: { state }, value: count })),
      },
      {
        name: 'gateway_watched_addresses',
        help: 'Addresses that webhook endpoints watch.',
        labels: [],
        read: () => [{ value: monitor.feed.size.addresses }],
      },
    ],
    checkUrl: (url, field = 'webhook_url') => {
      const reason = outbound.check(url)
      return reason === undefined ? Promise.resolve() : Promise.reject(urlRefused(field, reason))
    },
    listening: () => monitor.feed.start(),
    close: async () => {
      unsubscribe()
      await monitor.stop()
    },
  }
}

import type { Config } from './config.ts'
import { openOutbound } from './infra/http/outbound.ts'
import type { Log } from './infra/log.ts'
import type { Metrics } from './infra/metrics.ts'
import type { StoreCtx } from './kernel/in-tx.ts'
import type { Job } from './kernel/job.ts'
import type { Outbound, SecretBox } from './kernel/ports.ts'
import {
  HostSlots,
  countUndelivered,
  deliverWebhook,
  forgetEvents,
  reviveDeliveries,
} from './modules/webhooks/index.ts'
import { EMBEDDED } from './upstreams.ts'

export interface Webhooks {
  outbound: Outbound
  secrets: SecretBox
  jobs: readonly Job[]
}

type WebhookConfig = Pick<Config, 'webhookAllowPrivate' | 'nodeUrls' | 'atDesk'>

/** Everything that tells owners about their events: the way out, and jobs. */
export function openWebhooks(
  config: WebhookConfig,
  { store, secrets, metrics, log }: { store: StoreCtx; secrets: SecretBox; metrics: Metrics; log: Log },
): Webhooks {
  const { clock } = store
  const outbound = openOutbound({ clock, allowPrivate: allowsPrivate(config) })
  const ctx = { ...store, secrets, outbound }
  const deliver = deliverWebhook({
    ...ctx,
    slots: new HostSlots(),
    onAttempt: ({ milliseconds: ms, ...attempt }) => {
      metrics.webhookAttempts.inc({ outcome: attempt.outcome })
      log.info({ event: 'webhook', ...attempt, ms })
    },
  })
  metrics.gauge('gateway_webhook_deliveries', 'Deliveries that wait, are sent or are dead.', ['state'], async () =>
    (await countUndelivered(store.db)).map(({ state, count }) => ({ labels: { state }, value: count })),
  )
  return {
    outbound,
    secrets,
    jobs: [deliver, reviveDeliveries(store), forgetEvents(store)],
  }
}

/** A first try on a laptop should simply work; where others come, the network around the gateway is nobody's business. */
function allowsPrivate({ webhookAllowPrivate, nodeUrls, atDesk }: WebhookConfig): boolean {
  if (webhookAllowPrivate !== 'auto') return webhookAllowPrivate
  return atDesk && nodeUrls.length > 0 && nodeUrls.every((url) => url.split('#')[0] === EMBEDDED)
}

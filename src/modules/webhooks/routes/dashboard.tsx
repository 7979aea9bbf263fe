import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { listDisabled } from '../deliveries-store.ts'
import { type SecretCtx, findAccountSecret, rotateAccountSecret } from '../domain/account-secret.ts'
import { type EventWithDeliveries, getEvent, listNewestEvents } from '../domain/list-events.ts'
import { ping } from '../domain/ping.ts'
import { redeliver } from '../domain/redeliver.ts'
import { endpointPages, toRow } from '../endpoints/endpoint-dashboard.tsx'
import { endpoints } from '../endpoints/endpoint.ts'
import { EventPage, NewSecretPage, WebhooksPage } from '../pages/webhooks-page.tsx'
import type { WebhookContext } from '../context.ts'
import type { WatchContext } from '../watches/context.ts'
import { readPingUrl } from '../wire-fields.ts'

const PAGE_ROWS = 25
const LOOKED_AT = 100
const SHOWN_CHARACTERS = 4
const DELIVERED: Record<string, boolean> = { true: true, false: false }

/** Dashboard pages about what was sent to merchants' servers, and their answers. */
export function webhookPages(ctx: WebhookContext, watches: WatchContext): readonly (Page | Form)[] {
  const section = '/webhooks'
  const list = (request: PageRequest, filled: FormState) => listPage(ctx, request, filled)
  const detail = async ({ frame, accountId, params }: PageRequest, filled: FormState) => (
    <EventPage frame={frame} filled={filled} event={await getEvent(ctx, { accountId, eventId: params.id! })} />
  )
  const done = {
    redelivered: 'Event queued for redelivery.',
    sent: 'Test event sent. See the response below.',
    deleted: 'Endpoint deleted.',
  }
  return [
    {
      path: '/webhooks',
      permission: 'webhooks',
      done,
      menu: { title: 'Webhooks', group: 'developers', order: 20, guide: 'webhooks' },
      render: (request) => list(request, EMPTY),
    },
    {
      path: '/webhooks/secret',
      permission: 'webhooks',
      proof: true,
      section,
      again: list,
      async run({ accountId, caller: { actor } }, _fields, idempotency) {
        return { shown: { text: (await rotateAccountSecret(ctx, { accountId, actor }, idempotency)).current } }
      },
      show: ({ frame }, { text }) => <NewSecretPage frame={frame} text={String(text)} />,
    },
    {
      path: '/webhooks/ping',
      permission: 'webhooks',
      section,
      again: list,
      async run({ accountId }, fields, idempotency) {
        const { id } = await ping(ctx, { accountId, to: { url: readPingUrl({ url: fields.get('url') }) }, idempotency })
        return { to: `/dashboard/webhooks/events/${id}?done=sent` }
      },
    },
    {
      path: '/webhooks/events/:id',
      permission: 'webhooks',
      section,
      done,
      render: (request) => detail(request, EMPTY),
    },
    {
      path: '/webhooks/events/:id/redeliver',
      permission: 'webhooks',
      section,
      again: detail,
      async run({ accountId, params }, _fields, idempotency) {
        await redeliver(ctx, { accountId, eventIds: [params.id!], idempotency })
        return { to: `/dashboard/webhooks/events/${params.id!}?done=redelivered` }
      },
    },
    ...endpointPages(ctx, watches),
  ]
}

async function listPage(ctx: WebhookContext, { frame, accountId, query }: PageRequest, filled: FormState) {
  const delivered = query.delivered ?? ''
  const beforePosition = readPosition(query.before)
  const filter = { accountId, beforePosition, delivered: DELIVERED[delivered], limit: PAGE_ROWS }
  const { events, hasMore } = await listNewestEvents(ctx, filter)
  const address = (before?: number | null) => {
    const given = { ...(delivered !== '' && { delivered }), ...(before && { before: String(before) }) }
    const search = new URLSearchParams(given).toString()
    return `/dashboard/webhooks${search === '' ? '' : `?${search}`}`
  }
  return (
    <WebhooksPage
      frame={frame}
      filled={filled}
      secret={await showSecret(ctx, accountId)}
      endpoints={(await endpoints.listAll(ctx.db, accountId)).map((endpoint) => toRow(ctx, endpoint))}
      addresses={await gatherAddresses(ctx, accountId)}
      events={events}
      delivered={delivered}
      first={query.before === undefined ? undefined : address()}
      next={hasMore ? address(events.at(-1)!.position) : undefined}
    />
  )
}

function readPosition(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : Number.MAX_SAFE_INTEGER
}

async function showSecret(ctx: SecretCtx, accountId: string) {
  const secret = await findAccountSecret(ctx, accountId)
  return secret && { ...secret, last4: secret.current.slice(-SHOWN_CHARACTERS) }
}

async function gatherAddresses(ctx: SecretCtx, accountId: string) {
  const { events } = await listNewestEvents(ctx, {
    accountId,
    beforePosition: Number.MAX_SAFE_INTEGER,
    delivered: undefined,
    limit: LOOKED_AT,
  })
  const disabled = await listDisabled(ctx.db, accountId, LOOKED_AT)
  const pushed = events.filter((event): event is EventWithDeliveries & { url: string } => event.url !== null)
  return [...Map.groupBy(pushed, ({ url }) => url)].map(([url, sent]) => ({
    url,
    delivered: sent.filter(({ deliveredAt }) => deliveredAt !== null).length,
    failing: sent.filter(isFailing).length,
    disabledAt: disabled.find((one) => one.url.split('?')[0] === url)?.at,
  }))
}

function isFailing({ deliveredAt, deliveries }: EventWithDeliveries): boolean {
  const state = deliveries.at(-1)?.state
  return deliveredAt === null && (state === 'retrying' || state === 'dead')
}

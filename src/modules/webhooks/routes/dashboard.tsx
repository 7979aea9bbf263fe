import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { Outbound } from '../../../kernel/ports.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { listDisabled } from '../deliveries-store.ts'
import { type SecretCtx, findAccountSecret, rotateAccountSecret } from '../domain/account-secret.ts'
import { type EventWithDeliveries, getEvent, listNewestEvents } from '../domain/list-events.ts'
import { ping } from '../domain/ping.ts'
import { redeliver } from '../domain/redeliver.ts'
import { EventPage, NewSecretPage, WebhooksPage } from '../pages/webhooks-page.tsx'
import { readPingUrl } from '../wire-fields.ts'

const PAGE_ROWS = 25
const LOOKED_AT = 100
const SHOWN_CHARACTERS = 4
const DELIVERED: Record<string, boolean> = { true: true, false: false }

type WebhookPagesPorts = SecretCtx & { outbound: Outbound }

/** What is told to merchants' servers, and what they said. */
export function webhookPages(ctx: WebhookPagesPorts): readonly (Page | Form)[] {
  const section = '/webhooks'
  const list = (request: PageRequest, filled: FormState) => listPage(ctx, request, filled)
  const detail = async ({ frame, accountId, params }: PageRequest, filled: FormState) => (
    <EventPage frame={frame} filled={filled} event={await getEvent(ctx, { accountId, eventId: params.id! })} />
  )
  const done = {
    redelivered: 'The event is on its way again.',
    sent: 'The test event is on its way. Load this page again to see the answer.',
  }
  return [
    {
      path: '/webhooks',
      done,
      menu: { title: 'Webhooks', order: 60 },
      render: (request) => list(request, EMPTY),
    },
    {
      path: '/webhooks/secret',
      section,
      again: list,
      async run({ accountId }, _fields, idempotency) {
        return { shown: { text: (await rotateAccountSecret(ctx, accountId, idempotency)).current } }
      },
      show: ({ frame }, { text }) => <NewSecretPage frame={frame} text={String(text)} />,
    },
    {
      path: '/webhooks/ping',
      section,
      again: list,
      async run({ accountId }, fields, idempotency) {
        const { id } = await ping(ctx, { accountId, url: readPingUrl({ url: fields.get('url') }), idempotency })
        return { to: `/dashboard/webhooks/events/${id}?done=sent` }
      },
    },
    { path: '/webhooks/events/:id', section, done, render: (request) => detail(request, EMPTY) },
    {
      path: '/webhooks/events/:id/redeliver',
      section,
      again: detail,
      async run({ accountId, params }, _fields, idempotency) {
        await redeliver(ctx, { accountId, eventIds: [params.id!], idempotency })
        return { to: `/dashboard/webhooks/events/${params.id!}?done=redelivered` }
      },
    },
  ]
}

async function listPage(ctx: SecretCtx, { frame, accountId, query }: PageRequest, filled: FormState) {
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
      endpoints={await gatherEndpoints(ctx, accountId)}
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

async function gatherEndpoints(ctx: SecretCtx, accountId: string) {
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

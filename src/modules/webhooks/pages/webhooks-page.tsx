import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { type EventRow, Deliveries, stateOf } from '../../../web/dashboard/deliveries.tsx'
import { ActionButton, Confirmed, Form, FormError, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { EndpointList, type EndpointRow } from '../endpoints/endpoint-pages.tsx'
import { Badge, Card, Copyable, Empty, Facts, Moment, Pager, Table } from '../../../web/dashboard/show.tsx'

interface WebhooksPageProps {
  frame: FrameProps
  filled: FormState
  secret: { last4: string; createdAt: number; previousUntil: number | undefined } | undefined
  endpoints: readonly EndpointRow[]
  /** The URLs that recently got events of checkouts, with their results. */
  addresses: readonly { url: string; delivered: number; failing: number; disabledAt: number | undefined }[]
  events: readonly EventRow[]
  delivered: string
  first: string | undefined
  next: string | undefined
}

const TABS = [
  ['', 'All'],
  ['false', 'Not delivered'],
  ['true', 'Delivered'],
] as const

const Secret = ({ frame, secret }: Pick<WebhooksPageProps, 'frame' | 'secret'>) => (
  <Card title="Signing secret" note="Every webhook is signed with it, so you can verify that it came from us.">
    {secret === undefined ? (
      <>
        <p>No secret yet. One is created with your first webhook; create it now to see it.</p>
        <ActionButton frame={frame} action="/dashboard/webhooks/secret">
          Create a secret
        </ActionButton>
      </>
    ) : (
      <>
        <Facts
          facts={[
            ['Ends with', <code>{`…${secret.last4}`}</code>],
            ['Created', <Moment at={secret.createdAt} />],
            ...(secret.previousUntil === undefined
              ? []
              : [['Previous secret valid until', <Moment at={secret.previousUntil} />] as const]),
          ]}
        />
        <Confirmed ask="Create a new secret">
          <p>You see it once. The old secret stays valid for 24 hours, so nothing breaks.</p>
          <ActionButton frame={frame} action="/dashboard/webhooks/secret">
            Make it
          </ActionButton>
        </Confirmed>
      </>
    )}
  </Card>
)

const Addresses = ({ addresses }: Pick<WebhooksPageProps, 'addresses'>) => (
  <Card title="Checkout webhook URLs" note="URLs set on individual checkouts, from the last 100 events.">
    {addresses.length === 0 ? (
      <Empty title="None yet">
        <p>Set a webhook URL on a checkout. It appears here with its first event.</p>
      </Empty>
    ) : (
      <Table label="Checkout webhook URLs" head={['URL', 'Status', 'Delivered', 'Failing']}>
        {addresses.map(({ url, delivered, failing, disabledAt }) => (
          <tr key={url}>
            <td class="title-cell">
              <code>{url}</code>
            </td>
            <td>
              <Badge state={disabledAt !== undefined ? 'disabled' : failing > 0 ? 'retrying' : 'healthy'} />
            </td>
            <td>{delivered}</td>
            <td>{failing}</td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
)

const Events = ({ frame, events }: Pick<WebhooksPageProps, 'frame' | 'events'>) => (
  <Table label="Events" head={['Event', 'About', 'Status', 'Attempts', 'When', <span class="unseen">Actions</span>]}>
    {events.map((event) => (
      <tr key={event.id}>
        <td>
          <a href={`/dashboard/webhooks/events/${event.id}`}>{event.type}</a>
        </td>
        <td>
          {/^[0-9a-f]{16}$/.test(event.subject) ? (
            <a href={`/dashboard/checkouts/${event.subject}`}>
              <code>{event.subject}</code>
            </a>
          ) : (
            <span class="soft">test</span>
          )}
        </td>
        <td>
          <Badge state={stateOf(event)} />
        </td>
        <td>{event.deliveries.reduce((sum, { attempts }) => sum + attempts.length, 0)}</td>
        <td>
          <Moment at={event.createdAt} />
        </td>
        <td>
          {(event.url !== null || event.deliveries.length > 0) && (
            <ActionButton
              frame={frame}
              action={`/dashboard/webhooks/events/${event.id}/redeliver`}
              about={`${event.type} of ${event.subject}`}
            >
              Redeliver
            </ActionButton>
          )}
        </td>
      </tr>
    ))}
  </Table>
)

/** Signing secret, URLs, and events with their deliveries. */
export const WebhooksPage = (props: WebhooksPageProps) => {
  const { frame, filled, secret, endpoints, addresses, events, delivered, first, next } = props
  return (
    <Frame
      {...frame}
      follows={['webhooks']}
      title="Webhooks"
      lead="Receive events on your server and see every delivery."
    >
      <EndpointList endpoints={endpoints} />
      <Card title="Events">
        <nav class="chips" aria-label="Which events">
          {TABS.map(([value, name]) => (
            <a
              key={value}
              href={`/dashboard/webhooks${value === '' ? '' : `?delivered=${value}`}`}
              aria-current={value === delivered ? 'page' : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
        {events.length === 0 ? (
          <Empty title={delivered === 'false' ? 'All events delivered' : 'No events yet'}>
            <p>Events appear here. Send a test event below to try your endpoint.</p>
          </Empty>
        ) : (
          <Events frame={frame} events={events} />
        )}
        <Pager first={first} next={next} />
      </Card>
      <Addresses addresses={addresses} />
      <div class="row two">
        <Secret frame={frame} secret={secret} />
        <Card title="Test event" note="Sends a signed event to your server and shows the response.">
          <FormError filled={filled} fields={['url']} />
          <Form frame={frame} action="/dashboard/webhooks/ping">
            <TextField
              filled={filled}
              name="url"
              label="Address"
              type="url"
              placeholder="https://shop.example/webhooks/nano"
              required
            />
            <button class="plain">Send test event</button>
          </Form>
        </Card>
      </div>
    </Frame>
  )
}

/** Shows a secret for the only time. */
export const NewSecretPage = (props: { frame: FrameProps; text: string; back?: string }) => (
  <Frame {...props.frame} title="Your new webhook secret">
    <Card>
      <div class="secret">
        <Copyable text={props.text} label="secret" />
      </div>
      <p>
        <strong>Copy it now.</strong> You will only see its last four characters afterwards.
      </p>
      <p>
        <a class="button" href={props.back ?? '/dashboard/webhooks'}>
          I have copied it
        </a>
      </p>
    </Card>
  </Frame>
)

/** A text block that can be copied as a whole. */
const CopyBlock = ({ text, copied = text, label }: { text: string; copied?: string; label: string }) => (
  <div class="copy-block">
    <button type="button" class="copy" data-copy={copied} hidden>
      Copy<span class="unseen">{` ${label}`}</span>
    </button>
    <pre tabIndex={0}>{text}</pre>
  </div>
)

/** The headers of the newest attempt. */
const Sent = ({ event }: { event: EventRow }) => {
  const attempts = event.deliveries.flatMap(({ attempts }) => attempts)
  const newest = attempts.filter(({ headers }) => headers !== null).sort((a, b) => b.at - a.at)[0]
  if (newest === undefined) return null
  const lines = Object.entries(JSON.parse(newest.headers!) as Record<string, string>)
  return (
    <Card title="Headers" note="Sent with the latest attempt.">
      <CopyBlock text={lines.map(([name, value]) => `${name}: ${value}`).join('\n')} label="headers" />
    </Card>
  )
}

export const EventPage = (props: {
  frame: FrameProps
  event: EventRow & { body: string | null }
  filled: FormState
}) => {
  const { frame, event, filled } = props
  return (
    <Frame {...frame} follows={['webhooks']} title={event.type} lead={<code>{event.id}</code>}>
      <FormError filled={filled} fields={[]} />
      <Card title="Deliveries">
        <Deliveries frame={frame} event={event} redeliver={`/dashboard/webhooks/events/${event.id}/redeliver`} />
        {event.deliveries.length === 0 && <Empty title="Not sent: no webhook for this event" />}
      </Card>
      <Sent event={event} />
      <Card title="Payload" note="Formatted for reading. Copy gives the exact bytes that were sent and signed.">
        {event.body === null ? (
          <Empty title="No longer stored" />
        ) : (
          <CopyBlock text={JSON.stringify(JSON.parse(event.body), null, 2)} copied={event.body} label="payload" />
        )}
      </Card>
    </Frame>
  )
}

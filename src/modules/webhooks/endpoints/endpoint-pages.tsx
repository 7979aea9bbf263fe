import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, Form, FormError, SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Empty, Facts, Moment, Pager, Table } from '../../../web/dashboard/show.tsx'
import { WatchCard, type WatchedPart } from '../watches/watch-card.tsx'
import { ENDPOINT_FIELDS, EndpointForm, REPLAY_FIELDS, WATCH_FIELDS } from './endpoint-form.tsx'
import type { LoggedDelivery } from './log-store.ts'
import type { Replay } from './replays-store.ts'
import type { EndpointStatus } from './shape.ts'

export interface EndpointRow {
  id: string
  /** Without its query. */
  url: string
  description: string | null
  events: readonly string[]
  status: EndpointStatus
  disabledReason: string | null
  failingSince: number | null
  last4: string
  previousUntil: number | null
}

const HOME = '/dashboard/webhooks/endpoints'

/** What an account has set up, on the page of webhooks. */
export const EndpointList = ({ endpoints }: { endpoints: readonly EndpointRow[] }) => (
  <Card title="Endpoints" note="Your servers that hear of all that happens in this account, whatever a checkout says.">
    {endpoints.length === 0 ? (
      <Empty title="No endpoint yet">
        <p>Add the address of your server once, and every checkout tells it what happens.</p>
      </Empty>
    ) : (
      <Table label="Endpoints" head={['Address', 'State', 'Events']}>
        {endpoints.map(({ id, url, description, status, failingSince, events }) => (
          <tr key={id}>
            <td class="title-cell">
              <a href={`${HOME}/${id}`}>{url}</a>
              {description !== null && <p class="under">{description}</p>}
            </td>
            <td>
              <Badge state={status === 'enabled' && failingSince !== null ? 'failing' : status} />
            </td>
            <td>{events.includes('*') ? 'all' : events.join(', ')}</td>
          </tr>
        ))}
      </Table>
    )}
    <p>
      <a class="button" href={`${HOME}/new`}>
        Add an endpoint
      </a>
    </p>
  </Card>
)

export const NewEndpointPage = (props: { frame: FrameProps; filled: FormState; kinds: readonly string[] }) => (
  <Frame
    {...props.frame}
    title="Add an endpoint"
    lead="We tell your server what happens, signed with a secret of its own."
  >
    <Card>
      <EndpointForm {...props} action={HOME} button="Add endpoint" />
    </Card>
  </Frame>
)

interface EndpointPageProps {
  frame: FrameProps
  endpoint: EndpointRow
  filled: FormState
  kinds: readonly string[]
  log: readonly LoggedDelivery[]
  replays: readonly Replay[]
  watched: WatchedPart
  first: string | undefined
  next: string | undefined
}

const Standing = ({ frame, endpoint }: Pick<EndpointPageProps, 'frame' | 'endpoint'>) => {
  const at = `${HOME}/${endpoint.id}`
  const { status, disabledReason, failingSince, last4, previousUntil } = endpoint
  return (
    <Card title="How it stands">
      <Facts
        facts={[
          ['State', <Badge state={status} />],
          ...(disabledReason === null
            ? []
            : [
                [
                  'Why',
                  disabledReason === 'gone' ? 'It said that it is gone (410).' : 'Five days of failure.',
                ] as const,
              ]),
          ...(failingSince === null ? [] : [['Failing since', <Moment at={failingSince} />] as const]),
          ['Secret ends with', <code>{`…${last4}`}</code>],
          ...(previousUntil === null ? [] : [['The one before signs until', <Moment at={previousUntil} />] as const]),
        ]}
      />
      <div class="actions">
        <ActionButton frame={frame} action={`${at}/test`} kind="main">
          Send a test event
        </ActionButton>
        {status === 'enabled' ? (
          <ActionButton frame={frame} action={`${at}/pause`}>
            Pause
          </ActionButton>
        ) : (
          <ActionButton frame={frame} action={`${at}/resume`}>
            Enable
          </ActionButton>
        )}
      </div>
      <div class="actions">
        <Confirmed ask="Make a new secret">
          <p>You see it once. The old one signs along for 24 hours, so that nothing breaks meanwhile.</p>
          <ActionButton frame={frame} action={`${at}/rotate`}>
            Make it
          </ActionButton>
        </Confirmed>
        <Confirmed ask="Delete this endpoint" kind="danger">
          <p>What is on its way to it stops. Your events stay.</p>
          <ActionButton frame={frame} action={`${at}/delete`} kind="danger">
            Delete it
          </ActionButton>
        </Confirmed>
      </div>
    </Card>
  )
}

const Log = ({ log, first, next }: Pick<EndpointPageProps, 'log' | 'first' | 'next'>) => (
  <Card title="Deliveries" note="What was sent here, newest first. Open an event to see its headers and its payload.">
    {log.length === 0 ? (
      <Empty title="Nothing was sent yet">
        <p>Send a test event to see what your server answers.</p>
      </Empty>
    ) : (
      <Table label="Deliveries" head={['Event', 'State', 'Answer', 'Why sent', 'When']}>
        {log.map(({ id, eventId, type, state, attempts, cause, createdAt }) => (
          <tr key={id}>
            <td>
              <a href={`/dashboard/webhooks/events/${eventId}`}>{type}</a>
            </td>
            <td>
              <Badge state={state} />
            </td>
            <td>{attempts.at(-1)?.status ?? attempts.at(-1)?.error ?? 'none yet'}</td>
            <td>{cause}</td>
            <td>
              <Moment at={createdAt} />
            </td>
          </tr>
        ))}
      </Table>
    )}
    <Pager first={first} next={next} />
  </Card>
)

const Replays = ({
  frame,
  endpoint,
  filled,
  replays,
}: Pick<EndpointPageProps, 'frame' | 'endpoint' | 'filled' | 'replays'>) => (
  <Card
    title="Send again"
    note="Everything that this endpoint asks for since a day, one after the other; up to 10,000 events."
  >
    <FormError filled={filled} fields={REPLAY_FIELDS} elsewhere={[...ENDPOINT_FIELDS, ...WATCH_FIELDS]} />
    <Form frame={frame} action={`${HOME}/${endpoint.id}/replay`} label="Send again">
      <TextField filled={filled} name="from_unix" label="Since the beginning of (UTC)" type="date" required />
      <SelectField
        filled={filled}
        name="missed"
        label="What"
        required
        options={[
          ['true', 'Only what it has not taken'],
          ['false', 'Everything'],
        ]}
      />
      <button class="plain">Send again</button>
    </Form>
    {replays.length > 0 && (
      <Table label="Replays" head={['Begun', 'State', 'Events']}>
        {replays.map(({ id, createdAt, state, queued }) => (
          <tr key={id}>
            <td>
              <Moment at={createdAt} />
            </td>
            <td>
              <Badge state={state} />
            </td>
            <td>{queued}</td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
)

/** One endpoint: how it stands, what it was sent, and what can be changed about it. */
export const EndpointPage = (props: EndpointPageProps) => {
  const { frame, endpoint, filled, kinds } = props
  return (
    <Frame
      {...frame}
      follows={['webhooks']}
      title={endpoint.description ?? 'Endpoint'}
      lead={<code>{endpoint.url}</code>}
    >
      <div class="row two">
        <Standing {...props} />
        <Replays {...props} />
      </div>
      <Log {...props} />
      <WatchCard frame={frame} filled={filled} at={`${HOME}/${endpoint.id}`} watched={props.watched} />
      <Card title="What it hears of">
        <EndpointForm frame={frame} filled={filled} kinds={kinds} action={`${HOME}/${endpoint.id}`} button="Save" />
      </Card>
    </Frame>
  )
}

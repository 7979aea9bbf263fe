import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, Form, FormError, SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { type FieldsProps, Fields, Refusals } from '../../../web/dashboard/resource-form.tsx'
import { Badge, Card, Empty, Facts, Moment, Pager, Table } from '../../../web/dashboard/show.tsx'
import { WatchCard, type WatchedPart } from '../watches/watch-card.tsx'
import type { LoggedDelivery } from './log-store.ts'
import type { Replay } from './replays-store.ts'
import { type EndpointStatus, endpoint } from './endpoint.ts'

const ENDPOINT_FIELDS = ['url', 'description', 'events', 'filter']
/** Fields of other forms on the same page. */
const REPLAY_FIELDS = ['from_unix', 'missed']
const WATCH_FIELDS = ['addresses']

/** URL, event types and filter, for a new and for an existing endpoint. */
const EndpointForm = (
  props: Pick<FieldsProps, 'purpose' | 'rules' | 'filled'> & { frame: FrameProps; action: string; button: string },
) => {
  const { frame, action, button } = props
  return (
    <Form frame={frame} action={action} label={button}>
      <Refusals {...props} of={endpoint} elsewhere={[...REPLAY_FIELDS, ...WATCH_FIELDS]} />
      <Fields {...props} of={endpoint} />
      <button>{button}</button>
    </Form>
  )
}

export interface EndpointRow {
  id: string
  /** Without its query, which may contain a secret. */
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

/** The list of an account's endpoints on the webhooks page. */
export const EndpointList = ({ endpoints }: { endpoints: readonly EndpointRow[] }) => (
  <Card title="Endpoints" note="Servers that receive events from the whole account.">
    {endpoints.length === 0 ? (
      <Empty title="No endpoints yet">
        <p>Add your server’s URL to receive events from all checkouts.</p>
      </Empty>
    ) : (
      <Table label="Endpoints" head={['URL', 'Status', 'Events']}>
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

export const NewEndpointPage = (props: { frame: FrameProps } & Pick<FieldsProps, 'filled' | 'rules'>) => (
  <Frame {...props.frame} title="Add an endpoint" lead="Events are signed with a secret of this endpoint.">
    <Card>
      <EndpointForm {...props} purpose="create" action={HOME} button="Add endpoint" />
    </Card>
  </Frame>
)

interface EndpointPageProps {
  frame: FrameProps
  endpoint: EndpointRow
  filled: FormState
  rules: FieldsProps['rules']
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
    <Card title="Overview">
      <Facts
        facts={[
          ['Status', <Badge state={status} />],
          ...(disabledReason === null
            ? []
            : [
                [
                  'Why',
                  disabledReason === 'gone' ? 'The server answered 410 Gone.' : 'Failing for five days.',
                ] as const,
              ]),
          ...(failingSince === null ? [] : [['Failing since', <Moment at={failingSince} />] as const]),
          ['Secret ends with', <code>{`…${last4}`}</code>],
          ...(previousUntil === null ? [] : [['Previous secret valid until', <Moment at={previousUntil} />] as const]),
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
        <Confirmed ask="Create a new secret">
          <p>You see it once. The old secret stays valid for 24 hours, so nothing breaks.</p>
          <ActionButton frame={frame} action={`${at}/rotate`}>
            Make it
          </ActionButton>
        </Confirmed>
        <Confirmed ask="Delete this endpoint" kind="danger">
          <p>Pending deliveries stop. Your events are kept.</p>
          <ActionButton frame={frame} action={`${at}/delete`} kind="danger">
            Delete
          </ActionButton>
        </Confirmed>
      </div>
    </Card>
  )
}

const Log = ({ log, first, next }: Pick<EndpointPageProps, 'log' | 'first' | 'next'>) => (
  <Card title="Deliveries" note="Newest first. Open an event to see its headers and payload.">
    {log.length === 0 ? (
      <Empty title="No deliveries yet">
        <p>Send a test event to see your server’s response.</p>
      </Empty>
    ) : (
      <Table label="Deliveries" head={['Event', 'Status', 'HTTP status', 'Reason', 'When']}>
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
  <Card title="Send again" note="Resend the events this endpoint subscribes to, in order; up to 10,000.">
    <FormError filled={filled} fields={REPLAY_FIELDS} elsewhere={[...ENDPOINT_FIELDS, ...WATCH_FIELDS]} />
    <Form frame={frame} action={`${HOME}/${endpoint.id}/replay`} label="Send again">
      <TextField filled={filled} name="from_unix" label="From the start of" type="date" required />
      <SelectField
        filled={filled}
        name="missed"
        label="What"
        required
        options={[
          ['true', 'Only failed events'],
          ['false', 'Everything'],
        ]}
      />
      <button class="plain">Send again</button>
    </Form>
    {replays.length > 0 && (
      <Table label="Replays" head={['Started', 'Status', 'Events']}>
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

/** One endpoint: its state, its deliveries, and its settings. */
export const EndpointPage = (props: EndpointPageProps) => {
  const { frame, endpoint, filled, rules } = props
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
      <Card title="Settings">
        <EndpointForm {...{ frame, filled, rules }} purpose="change" action={`${HOME}/${endpoint.id}`} button="Save" />
      </Card>
    </Frame>
  )
}

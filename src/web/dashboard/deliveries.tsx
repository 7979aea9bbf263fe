import type { FrameProps } from '../../kernel/page.ts'
import { ActionButton } from './form.tsx'
import { Badge, Moment, Table } from './show.tsx'

export interface EventRow {
  id: string
  type: string
  subject: string
  url: string | null
  createdAt: number
  deliveredAt: number | null
  deliveries: readonly {
    id: string
    endpointId: string | null
    cause: string
    state: string
    nextAt: number | null
    attempts: readonly {
      attempt: number
      status: number | null
      error: string | null
      milliseconds: number
      response: string
      at: number
      headers: string | null
    }[]
  }[]
}

const AGAIN = ['redelivery', 'replay']

/** The state of an event: that of its last delivery, or that it has no receiver. */
export function stateOf({ deliveredAt, deliveries, url }: EventRow): string {
  if (deliveredAt !== null) return 'delivered'
  return deliveries.at(-1)?.state ?? (url === null ? 'not sent' : 'queued')
}

/** An event with every attempt to deliver it. */
export const Deliveries = (props: { frame: FrameProps; event: EventRow; redeliver: string | undefined }) => {
  const { frame, event, redeliver } = props
  const attempts = event.deliveries.flatMap((delivery) => delivery.attempts.map((attempt) => ({ delivery, attempt })))
  const waiting = event.deliveries.find(({ nextAt, state }) => nextAt !== null && state === 'retrying')
  return (
    <div class="event">
      <div class="title">
        <div>
          <h3>
            <a href={`/dashboard/webhooks/events/${event.id}`}>{event.type}</a> <Badge state={stateOf(event)} />
          </h3>
          <p class="under">
            <Moment at={event.createdAt} />
            {event.url !== null && ` to ${event.url}`}
            {waiting && (
              <>
                {' · next attempt '}
                <Moment at={waiting.nextAt} />
              </>
            )}
          </p>
        </div>
        {redeliver !== undefined && (event.url !== null || event.deliveries.length > 0) && (
          <ActionButton frame={frame} action={redeliver} about={event.type}>
            Redeliver
          </ActionButton>
        )}
      </div>
      {attempts.length > 0 && (
        <Table label={`Attempts of ${event.type}`} head={['Attempt', 'To', 'Status', 'Duration', 'When', 'Response']}>
          {attempts.map(({ delivery, attempt }) => (
            <tr key={`${delivery.id}-${attempt.attempt}`}>
              <td>{AGAIN.includes(delivery.cause) ? `again, ${attempt.attempt}` : attempt.attempt}</td>
              <td>
                {delivery.endpointId === null ? (
                  'own URL'
                ) : (
                  <a href={`/dashboard/webhooks/endpoints/${delivery.endpointId}`}>endpoint</a>
                )}
              </td>
              <td>{attempt.status ?? attempt.error ?? 'none'}</td>
              <td>{`${attempt.milliseconds} ms`}</td>
              <td>
                <Moment at={attempt.at} />
              </td>
              <td class="title-cell">
                <code>{attempt.response.slice(0, 200)}</code>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </div>
  )
}

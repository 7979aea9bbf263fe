import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Form } from '../../../web/dashboard/form.tsx'
import { Fields } from '../../../web/dashboard/resource-form.tsx'
import { Card, Copyable, Empty, Moment, Table, shorten } from '../../../web/dashboard/show.tsx'
import { type Trouble, type Watch, watch } from './watch.ts'

export interface WatchedPart {
  watches: readonly Watch[]
  /** Counts of this endpoint and of the account, and the account's maximum. */
  count: number
  total: number
  max: number
  /** How many of this endpoint's watches have failing looks. */
  troubled: number
  first: string | undefined
  next: string | undefined
}

/** What each failure means for the receiver of events. */
const TROUBLES: Record<Trouble, string> = {
  unknown_floor: 'Paused: no node has the last block processed for this address. Retrying.',
  too_much_waits:
    'More than 10,000 payments wait here. New ones are reported when a node announces them or when they are received. Receive some, so that none is missed.',
}

const shown = (count: number) => count.toLocaleString('en')

/** The addresses of an endpoint, on its page. */
export const WatchCard = (props: { frame: FrameProps; filled: FormState; at: string; watched: WatchedPart }) => {
  const { frame, filled, at, watched } = props
  const { watches, count, total, max, troubled, first, next } = watched
  return (
    <Card
      title="Watched addresses"
      note={`This endpoint is notified of payments to and from these addresses. Watched here: ${shown(count)}; in your account: ${shown(total)} of ${shown(max)}.`}
    >
      {troubled > 0 && (
        <p class="notice failed">
          {troubled === 1 ? 'One address is' : `${shown(troubled)} addresses are`} not followed as they should be; the
          reason stands beside {troubled === 1 ? 'it' : 'each'}.
        </p>
      )}
      {watches.length === 0 ? (
        <Empty title="No addresses yet">
          <p>Add any Nano addresses to be notified of every confirmed payment.</p>
        </Empty>
      ) : (
        <Table label="Watched addresses" head={['Address', 'Events', 'Last', 'Change']}>
          {watches.map(({ address, told, activeAt, trouble, troubleSince }) => (
            <tr key={address}>
              <td>
                <Copyable text={address} shown={shorten(address)} label="the address" />
                {trouble !== null && (
                  <span class="under">
                    {TROUBLES[trouble]} Since <Moment at={troubleSince} />.
                  </span>
                )}
              </td>
              <td>{told}</td>
              <td>{told === 0 ? 'none yet' : <Moment at={activeAt} />}</td>
              <td>
                <ActionButton
                  frame={frame}
                  action={`${at}/unwatch`}
                  values={{ watched: address }}
                  about={`watching ${address.slice(0, 12)}`}
                >
                  Stop
                </ActionButton>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {(first !== undefined || next !== undefined) && (
        <nav class="pager" aria-label="Pages of addresses">
          {first !== undefined && <a href={first}>First addresses</a>}
          {next !== undefined && (
            <a href={next} rel="next">
              More addresses
            </a>
          )}
        </nav>
      )}
      <Form frame={frame} action={`${at}/watch`} label="Watch addresses">
        <Fields of={watch} purpose="create" rules={{}} filled={filled} />
        <button class="plain">Watch addresses</button>
      </Form>
    </Card>
  )
}

import type { FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, Form, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Fields, type FieldsProps, Refusals } from '../../../web/dashboard/resource-form.tsx'
import {
  Badge,
  Card,
  Copyable,
  Empty,
  Facts,
  Figure,
  Moment,
  Nano,
  Pager,
  Table,
} from '../../../web/dashboard/show.tsx'
import type { PosDay } from '../domain/day.ts'
import { type PointOfSale, pointOfSale } from '../point-of-sale.ts'

const stateOf = ({ isPaused }: PointOfSale) => (isPaused ? 'paused' : 'active')

interface PosListPageProps {
  frame: FrameProps
  rows: readonly PointOfSale[]
  first: string | undefined
  next: string | undefined
  /** False for cashiers, who may look but make nothing. */
  isManaged: boolean
}

export const PosListPage = ({ frame, rows, first, next, isManaged }: PosListPageProps) => (
  <Frame
    {...frame}
    title="Points of sale"
    follows={['pos']}
    lead="Take payments in person, with a keypad, a QR code and daily totals."
    actions={
      isManaged && (
        <a class="button" href="/dashboard/pos/new">
          New point of sale
        </a>
      )
    }
  >
    <Card>
      {rows.length === 0 ? (
        <Empty title="No points of sale yet">
          <p>
            Take payments at a counter with any phone.{' '}
            {isManaged && <a href="/dashboard/pos/new">Create the first one.</a>}
          </p>
        </Empty>
      ) : (
        <Table label="Points of sale" head={['Point of sale', 'Status', 'Currency', 'PIN']}>
          {rows.map((row) => (
            <tr key={row.id}>
              <td class="title-cell">
                <a href={`/dashboard/pos/${row.id}`}>{row.title}</a>
                <span class="under">{row.timeZone}</span>
              </td>
              <td>
                <Badge state={stateOf(row)} />
              </td>
              <td>{row.currency}</td>
              <td>{row.pinMark === null ? 'none' : 'set'}</td>
            </tr>
          ))}
        </Table>
      )}
      <Pager first={first} next={next} />
    </Card>
  </Frame>
)

interface NewPosPageProps extends Pick<FieldsProps, 'filled' | 'rules'> {
  frame: FrameProps
}

const PosForm = (
  props: NewPosPageProps & { purpose: 'create' | 'change'; action: string; label?: string; children: string },
) => (
  <Form frame={props.frame} action={props.action} {...(props.label && { label: props.label })}>
    <Refusals {...props} of={pointOfSale} elsewhere={props.purpose === 'change' ? ['pin'] : []} />
    <Card>
      <Fields {...props} of={pointOfSale} />
    </Card>
    <button>{props.children}</button>
  </Form>
)

export const NewPosPage = (props: NewPosPageProps) => (
  <Frame {...props.frame} title="New point of sale" lead="Cashiers need no key and see nothing else in this account.">
    <PosForm {...props} purpose="create" action="/dashboard/pos">
      Create point of sale
    </PosForm>
  </Frame>
)

interface PosPageProps extends NewPosPageProps {
  pos: PointOfSale
  /** False for cashiers, who see today's sales and the link to the till only. */
  isManaged: boolean
  /** Includes the token that admits cashiers. */
  link: string
  qrcode: string
  day: PosDay
  /** Totals as text in the currency. */
  sums: { total: string; tips: string; refunded: string; ofSale(units: bigint): string }
}

/** One point of sale: its link, its sales of a day, its PIN and its settings. */
export const PosPage = (props: PosPageProps) => {
  const { frame, pos, link } = props
  return (
    <Frame
      {...frame}
      title={pos.title}
      follows={['pos']}
      lead={
        <>
          <Badge state={stateOf(pos)} /> prices in {pos.currency}
        </>
      }
      actions={
        <a class="button plain" href={link}>
          Open point of sale
        </a>
      }
    >
      <Day {...props} />
      {props.isManaged && (
        <>
          <div class="row two">
            <Link {...props} />
            <div>
              <Pin {...props} />
              <Doings {...props} />
            </div>
          </div>
          <h2>Edit</h2>
          <PosForm {...props} purpose="change" action={`/dashboard/pos/${pos.id}`} label="Edit">
            Save point of sale
          </PosForm>
        </>
      )}
    </Frame>
  )
}

const Day = ({ pos, day, sums, isManaged }: PosPageProps) => (
  <>
    {isManaged && (
      <form method="get" action={`/dashboard/pos/${pos.id}`} class="filters" aria-label="Day">
        <div class="field">
          <label for="f-date">Day ({pos.timeZone})</label>
          <input id="f-date" name="date" type="date" value={day.date} />
        </div>
        <div class="send">
          <button class="plain">Show</button>
        </div>
      </form>
    )}
    <div class="row four">
      <Figure label="Sales" value={day.totals.count} />
      <Figure label="Total" value={sums.total} note={<Nano raw={day.totals.paidRaw} />} />
      <Figure label="Tips included" value={sums.tips} />
      <Figure label="Refunded" value={sums.refunded} note={<Nano raw={day.totals.refundedRaw} />} />
    </div>
    <Card title="Sales">
      {day.sales.length === 0 ? (
        <Empty title="No sales on this day" />
      ) : (
        <Table label="Sales" head={['Created', 'Total', 'Tip', 'Status', 'Paid']}>
          {day.sales.map((sale) => (
            <tr key={sale.checkoutId}>
              <td>
                {isManaged ? (
                  <a href={`/dashboard/checkouts/${sale.checkoutId}`}>
                    <Moment at={sale.createdAt} />
                  </a>
                ) : (
                  <Moment at={sale.createdAt} />
                )}
              </td>
              <td>{sums.ofSale(sale.totalUnits)}</td>
              <td>{sums.ofSale(sale.tipUnits)}</td>
              <td>
                <Badge state={/refunded$/.test(sale.additional) ? sale.additional : sale.status} />
              </td>
              <td>
                <Nano raw={sale.paidRaw} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  </>
)

const Link = ({ frame, pos, link, qrcode }: PosPageProps) => (
  <Card title="Cashier link" note="Anyone with this link can make sales and see today’s sales, nothing else.">
    <Facts
      facts={[
        ['Link', <Copyable text={link} label="link" />],
        [
          'Paid to',
          pos.address === null ? <a href="/dashboard/payout">where your money goes</a> : <code>{pos.address}</code>,
        ],
      ]}
    />
    <p>
      <img class="qr" src={qrcode} alt="QR code of the cashier link" width="200" height="200" />
    </p>
    <Confirmed ask="New link">
      <p>The old link stops working and signed-in devices are signed out immediately.</p>
      <ActionButton frame={frame} action={`/dashboard/pos/${pos.id}/rotate`}>
        Create new link
      </ActionButton>
    </Confirmed>
  </Card>
)

const Pin = ({ frame, pos, filled }: PosPageProps) => (
  <Card title="PIN">
    <p>
      {pos.pinMark === null
        ? 'Anyone with the link can sell. With a PIN, they need both.'
        : 'Cashiers enter it every twelve hours. It is never shown.'}
    </p>
    {pos.wrongPins > 0 && (
      <p class="notice failed">
        New devices have tried wrong PINs: {pos.wrongPins}. After 50, new devices are kept out until you set the PIN
        again or make a new link; devices that were signed in before are not.
      </p>
    )}
    <Form frame={frame} action={`/dashboard/pos/${pos.id}/pin`} label="PIN">
      <TextField
        filled={filled}
        name="pin"
        label={pos.pinMark === null ? 'PIN' : 'New PIN'}
        hint="4 to 8 digits. Setting it signs out every device."
        type="password"
        inputMode="numeric"
        autocomplete="new-password"
        maxLength={8}
        required
      />
      <button>Set PIN</button>
    </Form>
    {pos.pinMark !== null && (
      <ActionButton frame={frame} action={`/dashboard/pos/${pos.id}/pin`} values={{ remove: 'yes' }}>
        Remove PIN
      </ActionButton>
    )}
  </Card>
)

const Doings = ({ frame, pos }: PosPageProps) => (
  <Card title="Actions">
    <div class="actions">
      <ActionButton frame={frame} action={`/dashboard/pos/${pos.id}/${pos.isPaused ? 'resume' : 'pause'}`}>
        {pos.isPaused ? 'Resume' : 'Pause'}
      </ActionButton>
      <Confirmed ask="Delete point of sale" kind="danger">
        <p>Its link stops working. Open sales can still be paid, and all sales stay in your checkouts.</p>
        <ActionButton frame={frame} action={`/dashboard/pos/${pos.id}/delete`} kind="danger">
          Delete
        </ActionButton>
      </Confirmed>
    </div>
  </Card>
)

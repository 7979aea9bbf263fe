import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, Form, FormError, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
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
import type { PointOfSale } from '../store.ts'
import { POS_FIELDS, PosFields } from './pos-form.tsx'

const stateOf = ({ isPaused }: PointOfSale) => (isPaused ? 'paused' : 'active')

interface PosListPageProps {
  frame: FrameProps
  rows: readonly PointOfSale[]
  first: string | undefined
  next: string | undefined
  /** Cashiers look, and make nothing. */
  isManaged: boolean
}

export const PosListPage = ({ frame, rows, first, next, isManaged }: PosListPageProps) => (
  <Frame
    {...frame}
    title="Points of sale"
    follows={['pos']}
    lead="Tills for cashiers: a keypad, a QR code, and the sums of the day."
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
            {isManaged && <a href="/dashboard/pos/new">Make the first one.</a>}
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

interface NewPosPageProps {
  frame: FrameProps
  filled: FormState
  currencies: readonly string[]
}

export const NewPosPage = ({ frame, ...fields }: NewPosPageProps) => (
  <Frame {...frame} title="New point of sale" lead="Its cashiers need no key, and see nothing else of this account.">
    <Form frame={frame} action="/dashboard/pos">
      <FormError filled={fields.filled} fields={POS_FIELDS} />
      <PosFields {...fields} isNew />
      <button>Make point of sale</button>
    </Form>
  </Frame>
)

interface PosPageProps extends NewPosPageProps {
  pos: PointOfSale
  /** Cashiers see today, and the way to the till. */
  isManaged: boolean
  /** With what lets cashiers in. */
  link: string
  qrcode: string
  day: PosDay
  /** Sums in the currency. */
  sums: { total: string; tips: string; ofSale(units: bigint): string }
}

/** One till: its link, its day, its PIN, and everything that can be changed about it. */
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
          Open the till
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
          <h2>Change it</h2>
          <Form frame={frame} action={`/dashboard/pos/${pos.id}`} label="Change it">
            <FormError filled={props.filled} fields={POS_FIELDS} />
            <PosFields {...props} isNew={false} />
            <button>Save point of sale</button>
          </Form>
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
      <Figure label="Tips in it" value={sums.tips} />
      <Figure label="Refunded" value={<Nano raw={day.totals.refundedRaw} />} />
    </div>
    <Card title="Sales of the day">
      {day.sales.length === 0 ? (
        <Empty title="Nothing was sold on this day" />
      ) : (
        <Table label="Sales" head={['Made', 'Total', 'Tip', 'Status', 'Paid']}>
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
                <Badge state={sale.status} />
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
  <Card
    title="The link of its cashiers"
    note="Whoever has it can make sales here, and see those of today. Nothing else."
  >
    <Facts
      facts={[
        ['Link', <Copyable text={link} label="link" />],
        ['Address', <code>{pos.address}</code>],
      ]}
    />
    <p>
      <img
        class="qr"
        src={qrcode}
        alt="QR code of the link: open it with the phone of the till"
        width="200"
        height="200"
      />
    </p>
    <Confirmed ask="New link">
      <p>The old link, and every device that came in by it, is out at once.</p>
      <ActionButton frame={frame} action={`/dashboard/pos/${pos.id}/rotate`}>
        Make a new link
      </ActionButton>
    </Confirmed>
  </Card>
)

const Pin = ({ frame, pos, filled }: PosPageProps) => (
  <Card title="PIN">
    <p>
      {pos.pinMark === null
        ? 'Whoever has the link may sell. With a PIN they need both.'
        : 'Cashiers type it once in twelve hours. It is shown nowhere.'}
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
        hint="4 to 8 digits. It signs every device out."
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
  <Card title="What you can do">
    <div class="actions">
      <ActionButton frame={frame} action={`/dashboard/pos/${pos.id}/${pos.isPaused ? 'resume' : 'pause'}`}>
        {pos.isPaused ? 'Take sales again' : 'Pause'}
      </ActionButton>
      <Confirmed ask="Delete point of sale" kind="danger">
        <p>Its link opens nothing any more. Sales that are open can still be paid, and all stay among the checkouts.</p>
        <ActionButton frame={frame} action={`/dashboard/pos/${pos.id}/delete`} kind="danger">
          Delete it
        </ActionButton>
      </Confirmed>
    </div>
  </Card>
)

import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Form, FormError, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Copyable, Empty, Moment, Nano, Pager, shorten } from '../../../web/dashboard/show.tsx'

interface UnmatchedRow {
  blockHash: string
  /** A checkout without an owner that this block has paid already. */
  keylessId: string | undefined
  payer: string
  address: string
  amountRaw: bigint
  at: number
  suggestion: Suggestion | undefined
}

/** The order that a payment was most likely meant for. */
export interface Suggestion {
  id: string
  title: string | null
  who: string | null
  price: string | undefined
  askedRaw: bigint | undefined
  at: number
}

const Suggested = ({ frame, row, suggestion }: { frame: FrameProps; row: UnmatchedRow; suggestion: Suggestion }) => {
  const { id, title, who, price, askedRaw, at } = suggestion
  const off = askedRaw === undefined ? 0n : row.amountRaw - askedRaw
  return (
    <div class="notice task">
      <p>
        Probably for <a href={`/dashboard/checkouts/${id}`}>{title ?? 'an order without a title'}</a>
        {[price, who].filter(Boolean).map((text) => ` · ${text}`)} · <Moment at={at} />
        {off !== 0n && (
          <>
            {' · '}
            <Nano raw={off < 0n ? -off : off} /> {off < 0n ? 'too little' : 'too much'}
          </>
        )}
      </p>
      <ActionButton
        frame={frame}
        action="/dashboard/checkouts/unmatched"
        about={`block ${row.blockHash.slice(0, 8)}`}
        values={{ block_hash: row.blockHash, checkout: id }}
      >
        Yes, it is paid
      </ActionButton>
    </div>
  )
}

/** Payments that fit no checkout, for the account to assign. */
export const UnmatchedPage = (props: {
  frame: FrameProps
  filled: FormState
  rows: readonly UnmatchedRow[]
  first: string | undefined
  next: string | undefined
}) => {
  const { frame, filled, rows, first, next } = props
  const filledOf = (row: UnmatchedRow): FormState => {
    if (filled.values.block_hash === row.blockHash) return filled
    return { values: {} }
  }
  return (
    <Frame
      {...frame}
      title="Unmatched payments"
      follows={['checkout']}
      styles={['payment.css']}
      lead="Payments to your addresses that match no open checkout. Assign them to one."
    >
      {/* No link to the field: each payment has one, and the wrong one already has the focus. */}
      <FormError filled={filled} fields={[]} elsewhere={['checkout']} />
      {rows.length === 0 && (
        <Card>
          <Empty title="No unmatched payments">
            <p>
              <a href="/dashboard/checkouts">Back to payments</a>
            </p>
          </Empty>
        </Card>
      )}
      {rows.map((row) => (
        <Card key={row.blockHash}>
          <p>
            <strong>
              <Nano raw={row.amountRaw} />
            </strong>
            , <Moment at={row.at} />, from <code title={row.payer}>{shorten(row.payer)}</code> to{' '}
            <code title={row.address}>{shorten(row.address)}</code>
          </p>
          <p>
            Block <Copyable text={row.blockHash} shown={shorten(row.blockHash, 10, 6)} label="block" />
          </p>
          {row.keylessId !== undefined && (
            <p class="notice">
              It has paid <a href={`/pay/${row.keylessId}`}>a checkout that was made without a key</a>. If that was
              yours, leave it: it would count a second time.
            </p>
          )}
          {row.suggestion && <Suggested frame={frame} row={row} suggestion={row.suggestion} />}
          <details open={row.suggestion === undefined || filled.values.block_hash === row.blockHash}>
            <summary>{row.suggestion ? 'It was for another one' : 'Choose the order'}</summary>
            <Form
              frame={frame}
              action="/dashboard/checkouts/unmatched"
              label={`Assign block ${row.blockHash.slice(0, 8)}`}
            >
              <input type="hidden" name="block_hash" value={row.blockHash} />
              <TextField
                filled={filledOf(row)}
                name="checkout"
                label="Checkout ID"
                hint="It is at the end of the address of the order’s page. The order is marked as paid, whatever its price."
                required
              />
              <button class="plain">Assign and mark as paid</button>
            </Form>
          </details>
        </Card>
      ))}
      <Pager first={first} next={next} />
    </Frame>
  )
}

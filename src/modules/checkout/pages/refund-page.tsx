import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { formatNano } from '../../../kernel/money.ts'
import { Form, FormError, ProveFirst, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Nano, shorten } from '../../../web/dashboard/show.tsx'

export const REFUND_FIELDS = ['amount', 'fiat_amount', 'rate', 'address', 'from', 'as', 'reason'] as const

export interface RefundSource {
  /** The value of the form: empty for the wallet that was paid. */
  value: string
  name: string
  address: string
  balanceRaw: bigint
}

export interface RefundPageProps {
  frame: FrameProps
  filled: FormState
  checkout: { id: string; title: string | null; currency: string; isOpen: boolean }
  /** What was paid, as the merchant reads it. */
  paid: string
  refundableRaw: bigint
  /** Whether the payment went to an address that the account has never used. */
  wasPaidElsewhere: boolean
  /** The same in the currency of the price; undefined where that is nano or a part went back already. */
  worth: string | undefined
  sources: readonly RefundSource[]
  /** The payer; undefined if there were several. */
  payer: string | undefined
  isExchange: boolean
  /** Where the link is mailed; undefined where the merchant hands it over. */
  mailedTo: string | undefined
  isFresh: boolean
}

interface PickProps {
  filled: FormState
  name: string
  value: string
  label: string
  note?: preact.ComponentChildren
  first: boolean
  disabled?: boolean
  side?: preact.ComponentChildren
  children?: preact.ComponentChildren
}

/** One way of several, with what it needs inside. Works without scripts. */
const Pick = ({ filled, name, value, label, note, first, disabled, side, children }: PickProps) => {
  const id = `${name}-${value === '' ? 'own' : value}`
  const said = filled.values[name]
  return (
    <div class="pick">
      <input
        type="radio"
        id={id}
        name={name}
        value={value}
        checked={disabled !== true && (said === undefined ? first : said === value)}
        disabled={disabled}
      />
      <label for={id}>
        {label}
        {note !== undefined && <span class="soft">{note}</span>}
      </label>
      {side && <span class="has">{side}</span>}
      {children}
    </div>
  )
}

const HowMuch = ({ filled, checkout, refundableRaw, worth }: RefundPageProps) => {
  const isFiat = checkout.currency !== 'NANO'
  return (
    <fieldset class="picks">
      <legend>How much?</legend>
      <Pick
        filled={filled}
        name="much"
        value="all"
        first
        label={`All of it: ${worth ?? `${formatNano(refundableRaw)} nano`}`}
        note={worth !== undefined && `${formatNano(refundableRaw)} nano`}
      />
      <Pick filled={filled} name="much" value="part" first={false} label="A part">
        <TextField
          filled={filled}
          name={isFiat ? 'fiat_amount' : 'amount'}
          label={isFiat ? `Amount in ${checkout.currency}` : 'Amount in nano'}
          inputMode="decimal"
        />
      </Pick>
    </fieldset>
  )
}

const WhereFrom = ({ frame, filled, refundableRaw, sources }: RefundPageProps) => {
  // The wallet that was paid may still take in what it refunds.
  const able = sources.find(({ value, balanceRaw }) => value === '' || balanceRaw >= refundableRaw)
  return (
    <fieldset class="picks">
      <legend>Where from?</legend>
      {sources.map((source) => {
        const short = refundableRaw - source.balanceRaw
        const note =
          short <= 0n ? (
            'Sent at once.'
          ) : (
            <>
              {source.value === ''
                ? 'Takes in first what was paid to it.'
                : `${formatNano(short)} nano short of all of it. `}
              {source.value !== '' && <a href={`/dashboard/wallets/${source.address}`}>Add money</a>}
            </>
          )
        return (
          <Pick
            key={source.value}
            filled={filled}
            name="from"
            value={source.value}
            first={source === (able ?? sources[0])}
            label={source.name}
            note={note}
            side={
              (source.value !== '' || short <= 0n) && (
                <>
                  has <Nano raw={source.balanceRaw} />
                </>
              )
            }
          />
        )
      })}
      {able === undefined && (
        <p class="notice task">
          {sources.length === 0
            ? 'The money is in your own wallet, which we cannot send from. Make a wallet here, send it what you want to give back, and come back to this page. Or send it back from your own wallet.'
            : 'None of your wallets here holds enough for all of it. Send one of them what is missing, and come back to this page.'}
        </p>
      )}
      {frame.opens('GET', '/dashboard/wallets') && (
        <p>
          <a href="/dashboard/wallets">{sources.length === 0 ? 'Make a wallet' : 'Make a wallet only for refunds'}</a>
        </p>
      )}
      {filled.error?.field === 'from' && (
        <p class="error" id="from-error">
          {filled.error.text}
        </p>
      )}
    </fieldset>
  )
}

const WhereTo = ({ filled, payer, isExchange, mailedTo }: RefundPageProps) => {
  const toPayer = payer !== undefined && !isExchange
  const link = mailedTo === undefined ? 'A link that you hand to the buyer' : `A link by email to ${mailedTo}`
  const why = isExchange
    ? 'The payment came from an exchange, which would not credit it. Choose another way.'
    : payer === undefined
      ? 'Several addresses paid. Choose another way.'
      : undefined
  return (
    <fieldset class="picks">
      <legend>Where to?</legend>
      {mailedTo !== undefined && <ByLink filled={filled} label={link} first />}
      <Pick
        filled={filled}
        name="to"
        value="payer"
        first={toPayer && mailedTo === undefined}
        disabled={!toPayer}
        label="Back to the address that paid"
        note={why ?? <code title={payer}>{shorten(payer!, 12, 8)}</code>}
      />
      {mailedTo === undefined && <ByLink filled={filled} label={link} first={!toPayer} />}
      <Pick filled={filled} name="to" value="address" first={false} label="Another address">
        <TextField filled={filled} name="address" label="Nano address or @name" />
      </Pick>
    </fieldset>
  )
}

const ByLink = ({ filled, label, first }: { filled: FormState; label: string; first: boolean }) => (
  <Pick
    filled={filled}
    name="to"
    value="link"
    first={first}
    label={label}
    note="The buyer chooses where it goes. What nobody collects comes back to you."
  />
)

/** One refund: how much, where from, where to, and what will happen. */
export const RefundPage = (props: RefundPageProps) => {
  const { frame, filled, checkout, paid, refundableRaw, worth, isFresh } = props
  const back = `/dashboard/checkouts/${checkout.id}`
  const all = worth ?? `${formatNano(refundableRaw)} nano`
  return (
    <Frame
      {...frame}
      title={`Refund ${paid}`}
      styles={['payment.css']}
      lead={
        <>
          <a href={back}>{checkout.title ?? 'The payment'}</a>
        </>
      }
    >
      {refundableRaw === 0n ? (
        <Card>
          <p>There is nothing left to refund.</p>
        </Card>
      ) : isFresh ? (
        <>
          <FormError filled={filled} fields={[...REFUND_FIELDS, 'block_hash']} />
          {props.wasPaidElsewhere && (
            <p class="notice failed">
              You may never have received this money: anybody can make such a checkout with your public key, and it was
              paid to an address that your account has not used. Look at that address before you refund it.
            </p>
          )}
          <Form frame={frame} action={`${back}/refund`} label="Refund" class="split">
            <div class="stack">
              <Card>
                <HowMuch {...props} />
                <WhereFrom {...props} />
                <WhereTo {...props} />
                <TextField filled={filled} name="reason" label="Reason, for your records" maxLength={280} />
              </Card>
            </div>
            <div class="stays">
              <Card title="This will happen">
                <table class="bill">
                  <tbody>
                    <tr>
                      <th scope="row">The buyer gets up to</th>
                      <td>{all}</td>
                    </tr>
                    <tr>
                      <th scope="row">Fee</th>
                      <td>none</td>
                    </tr>
                  </tbody>
                </table>
                <ol class="timeline told">
                  <li>
                    <p>The nano leaves your wallet at once.</p>
                  </li>
                  <li>
                    <p>
                      {props.mailedTo === undefined
                        ? 'The payment page informs the buyer.'
                        : `${props.mailedTo} gets an email.`}
                    </p>
                  </li>
                  <li>
                    <p>
                      The payment says <em>Refunded</em>, and your takings fall.
                    </p>
                  </li>
                  {checkout.isOpen && (
                    <li>
                      <p>The payment was not complete yet. The refund ends it.</p>
                    </li>
                  )}
                </ol>
                <p class="notice task">Once the buyer has it, nobody can undo it.</p>
                <button class="wide-button">Refund now</button>
                <p>
                  <a href={back}>Cancel</a>
                </p>
              </Card>
            </div>
          </Form>
        </>
      ) : (
        <Card>
          <ProveFirst next={`${back}/refund`} />
        </Card>
      )}
    </Frame>
  )
}

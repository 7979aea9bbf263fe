import { formatNano } from '../../../kernel/money.ts'
import { ActionButton, Confirmed, Form, FormError, SelectField } from '../../../web/dashboard/form.tsx'
import { Card, shorten, useClock } from '../../../web/dashboard/show.tsx'
import type { CheckoutPageProps } from './checkout-page.tsx'

const inWords = (payer: string, amountRaw: bigint, at: string) =>
  `${formatNano(amountRaw)} nano, ${at}, from ${shorten(payer)}`

const OPEN = ['pending', 'detected', 'partial']

/** What can still be done about a payment that is not complete. */
export const Actions = ({
  frame,
  checkout,
  filled,
  unmatched,
}: Pick<CheckoutPageProps, 'frame' | 'checkout' | 'filled' | 'unmatched'>) => {
  const clock = useClock()
  const action = (word: string) => `/dashboard/checkouts/${checkout.id}/${word}`
  const isOpen = OPEN.includes(checkout.status)
  const isEnded = checkout.status === 'expired' || checkout.status === 'cancelled'
  if (checkout.status === 'complete') return null
  return (
    <Card title={isOpen ? 'Not paid yet' : 'Was it paid after all?'}>
      <FormError filled={filled} fields={['block_hash']} elsewhere={['email']} />
      <div class="actions">
        {isOpen && (
          <Confirmed ask="Cancel checkout" kind="danger">
            <p>
              The payment page stops accepting payments. Payments that arrive in the next seven days are still recorded.
            </p>
            <ActionButton frame={frame} action={action('cancel')} kind="danger">
              Cancel it
            </ActionButton>
          </Confirmed>
        )}
        {(isEnded || checkout.isLate) && (
          <Confirmed ask="Mark as paid">
            <p>Confirms that you received the money another way. Your webhook is notified as for any payment.</p>
            <ActionButton frame={frame} action={action('mark')}>
              Mark it
            </ActionButton>
          </Confirmed>
        )}
      </div>
      <details open={filled.error?.field === 'block_hash'}>
        <summary>Assign an unmatched payment</summary>
        <Form frame={frame} action={action('mark')}>
          {unmatched.length === 0 ? (
            <p>
              There are no <a href="/dashboard/checkouts/unmatched">unmatched payments</a>.
            </p>
          ) : (
            <>
              <SelectField
                filled={filled}
                name="block_hash"
                label="Payment"
                hint={
                  <>
                    See all <a href="/dashboard/checkouts/unmatched">unmatched payments</a> with their blocks.
                  </>
                }
                required
                options={unmatched.map(({ blockHash, payer, amountRaw, at }) => [
                  blockHash,
                  inWords(payer, amountRaw, clock(at)),
                ])}
              />
              <button class="plain">Assign and mark as paid</button>
            </>
          )}
        </Form>
      </details>
    </Card>
  )
}

/** Buttons that bring a checkout on the development ledger into every state. */
export const Play = ({ frame, checkout }: Pick<CheckoutPageProps, 'frame' | 'checkout'>) => (
  <Card
    title="Simulate a payment"
    note={
      <>
        Only on the development ledger. <a href="/dashboard/developer">Try more</a>
      </>
    }
  >
    <div class="actions">
      {[
        ['exactly', 'Pay exactly'],
        ['partly', 'Pay half'],
        ['late', 'Pay late'],
        ...(OPEN.includes(checkout.status) ? [['expire', 'Expire now']] : []),
      ].map(([what, name]) => (
        <ActionButton key={what} frame={frame} action={`/dashboard/developer/checkouts/${checkout.id}/${what}`}>
          {name!}
        </ActionButton>
      ))}
    </div>
  </Card>
)

import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Form, FormError, SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Copyable, Empty, Nano, Table, shorten } from '../../../web/dashboard/show.tsx'

interface DeveloperPageProps {
  frame: FrameProps
  paying: FormState
  funding: FormState
  holds: boolean
  waiting: readonly { hash: string; from: string; amountRaw: bigint }[]
}

/** Controls of the development ledger that act as payer and network, so that a developer sees every state within a minute. */
export const DeveloperPage = ({ frame, paying, funding, holds, waiting }: DeveloperPageProps) => (
  <Frame {...frame} title="Developer" lead="Simulate payments and confirmations on the development ledger.">
    <div class="row two">
      <Card title="Pay a checkout">
        <FormError filled={paying} fields={['id', 'way']} />
        <Form frame={frame} action="/dashboard/developer/pay">
          <TextField filled={paying} name="id" label="Checkout ID" required />
          <SelectField
            filled={paying}
            name="way"
            label="How"
            required
            options={[
              ['exactly', 'The exact amount'],
              ['partly', 'Half the amount'],
              ['late', 'After it has expired'],
            ]}
          />
          <button>Pay</button>
        </Form>
      </Card>
      <Card title="Fund an address">
        <FormError filled={funding} fields={['address', 'amount']} />
        <Form frame={frame} action="/dashboard/developer/fund">
          <TextField filled={funding} name="address" label="Address" placeholder="nano_…" required />
          <TextField filled={funding} name="amount" label="Nano" inputMode="decimal" placeholder="10" required />
          <button>Send</button>
        </Form>
      </Card>
    </div>
    <Card
      title="Confirmations"
      note={holds ? 'New blocks stay unconfirmed until you confirm them.' : 'New blocks are confirmed immediately.'}
    >
      <div class="actions">
        {!holds && (
          <ActionButton frame={frame} action="/dashboard/developer/hold">
            Hold new blocks
          </ActionButton>
        )}
        {(holds || waiting.length > 0) && (
          <ActionButton frame={frame} action="/dashboard/developer/confirm">
            Confirm all and stop holding
          </ActionButton>
        )}
      </div>
      {waiting.length === 0 ? (
        <Empty title="No unconfirmed blocks" />
      ) : (
        <Table label="Unconfirmed blocks" head={['Block', 'From', 'Amount', <span class="unseen">Actions</span>]}>
          {waiting.map(({ hash, from, amountRaw }) => (
            <tr key={hash}>
              <td>
                <Copyable text={hash} shown={shorten(hash, 10, 6)} label="block" />
              </td>
              <td>
                <code title={from}>{shorten(from)}</code>
              </td>
              <td>
                <Nano raw={amountRaw} />
              </td>
              <td>
                <ActionButton
                  frame={frame}
                  action="/dashboard/developer/confirm"
                  values={{ hash }}
                  about={`block ${hash.slice(0, 8)}`}
                >
                  Confirm
                </ActionButton>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  </Frame>
)

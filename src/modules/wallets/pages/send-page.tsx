import { formatNano } from '../../../kernel/money.ts'
import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Form, FormError, ProveFirst, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Facts, Nano } from '../../../web/dashboard/show.tsx'

interface From {
  frame: FrameProps
  wallet: { address: string; name: string | undefined }
  /** Undefined when no node answers. */
  balance: bigint | undefined
}

const placeOf = ({ wallet }: Pick<From, 'wallet'>) => `/dashboard/wallets/${wallet.address}`
const Holds = ({ balance }: Pick<From, 'balance'>) =>
  balance === undefined ? <>not available</> : <Nano raw={balance} />

/** The first step of a send, with recipient and amount. It sends nothing yet. */
export const SendPage = (props: From & { filled: FormState; isFresh: boolean }) => {
  const { frame, wallet, filled, isFresh } = props
  const place = placeOf(props)
  return (
    <Frame {...frame} title="Send" lead={<>From {wallet.name ?? <code>{wallet.address}</code>}</>}>
      <Card {...(!isFresh && { title: 'Confirm it’s you' })}>
        <FormError filled={filled} fields={['to', 'amount']} />
        {isFresh ? (
          <Form frame={frame} action={`${place}/send/check`} label="Send">
            <TextField
              filled={filled}
              name="to"
              label="To"
              hint="An address or a username such as @alice."
              placeholder="nano_…"
              maxLength={80}
              required
            />
            <TextField
              filled={filled}
              name="amount"
              label="Amount in nano"
              hint={
                <>
                  Balance: <Holds {...props} />. Enter “all” to send everything.
                </>
              }
              inputMode="decimal"
              maxLength={80}
              required
            />
            <button>Continue</button>
          </Form>
        ) : (
          <ProveFirst next={`${place}/send`} />
        )}
      </Card>
    </Frame>
  )
}

/** The second step, with everything in full, because people compare an address from end to end. */
export const ConfirmSendPage = (
  props: From & { to: string; name: string | undefined; amount: bigint | 'all'; formToken: string },
) => {
  const { frame, wallet, balance, to, name, amount, formToken } = props
  const place = placeOf(props)
  return (
    <Frame {...frame} title="Confirm payment" lead="Payments cannot be reversed.">
      <Card>
        <Facts
          facts={[
            [
              'Amount',
              amount === 'all' ? (
                <>
                  everything: <Holds balance={balance} />
                </>
              ) : (
                <Nano raw={amount} />
              ),
            ],
            [
              'To',
              <>
                {name !== undefined && <strong>{name} </strong>}
                <code>{to}</code>
              </>,
            ],
            ['From', wallet.name ?? <code>{wallet.address}</code>],
            ...(amount === 'all' || balance === undefined
              ? []
              : [['Balance afterwards', <Nano raw={balance > amount ? balance - amount : 0n} />] as const]),
          ]}
        />
        <div class="actions">
          <Form frame={{ ...frame, formToken }} action={`${place}/send`} label="Send now">
            <input type="hidden" name="to" value={to} />
            <input type="hidden" name="amount" value={amount === 'all' ? 'all' : formatNano(amount)} />
            <button>Send now</button>
          </Form>
          <a class="button plain" href={place}>
            Cancel
          </a>
        </div>
      </Card>
    </Frame>
  )
}

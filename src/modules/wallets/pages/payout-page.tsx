import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { PayoutForm } from '../../../web/dashboard/payout-form.tsx'
import { Card, Copyable, Empty } from '../../../web/dashboard/show.tsx'

interface PayoutPageProps {
  frame: FrameProps
  filled: FormState
  address: string | null
  /** Whether it is a wallet of this account. */
  isWallet: boolean
}

export const PayoutPage = ({ frame, filled, address, isWallet }: PayoutPageProps) => (
  <Frame
    {...frame}
    title="Where your money goes"
    lead="Links, tills and payments that name no address of their own pay here."
  >
    {address !== null && (
      <Card title="Now">
        <p>
          <Copyable text={address} label="address" />
        </p>
        {isWallet ? (
          <p>
            Your wallet here. <a href={`/dashboard/wallets/${address}`}>See what it holds, or send it on</a>
          </p>
        ) : (
          <p class="soft">A wallet of your own: we never hold this money.</p>
        )}
      </Card>
    )}
    {address === null && !frame.opens('POST', '/dashboard/payout') && <Empty title="Nothing is set yet" />}
    {frame.opens('POST', '/dashboard/payout') && (
      <Card
        title={address === null ? 'Choose' : 'Change it'}
        note="Only new payments are concerned. Every owner gets a mail."
      >
        <PayoutForm frame={frame} filled={filled} />
      </Card>
    )}
  </Frame>
)

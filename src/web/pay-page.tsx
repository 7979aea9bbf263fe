import { formatNano, type Raw } from '../kernel/money.ts'
import { Layout } from './layout.tsx'

/** What the page shows of a checkout. */
export interface ShownCheckout {
  id: string
  title: string | null
  description: string | null
  address: string
  amountRaw: Raw | undefined
  paidRaw: Raw
  status: string
  currency: string
  price: string | null
}

export interface PayPageProps {
  checkout: ShownCheckout
  link: string
  qrcode: string
  devnet: boolean
}

/** A plain page that works without scripts. */
export const PayPage = ({ checkout, link, qrcode, devnet }: PayPageProps) => {
  const { title, description, address, amountRaw, paidRaw, status, currency, price } = checkout
  const amount = amountRaw === undefined ? 'any amount' : `${formatNano(amountRaw)} nano`
  return (
    <Layout title={title ?? 'Payment'} devnet={devnet}>
      <h1>{title ?? 'Payment'}</h1>
      {description !== null && <p>{description}</p>}
      <p>
        Amount: <strong>{amount}</strong>
        {currency !== 'NANO' && price !== null && ` (${price} ${currency})`}
      </p>
      {paidRaw > 0n && <p>Paid so far: {formatNano(paidRaw)} nano</p>}
      <p>
        Address: <code>{address}</code>
      </p>
      <p>
        <img src={qrcode} alt={`QR code: pay ${amount} to ${address}`} />
      </p>
      <p>
        <a href={link}>Open wallet</a>
      </p>
      <p id="status" role="status">
        Status: {status}
      </p>
    </Layout>
  )
}

import { ADMIN, type Framework } from './framework.ts'
import type { Session } from './shop.ts'

const PROVIDER = 'pp_nano_gateway'

export interface Payment {
  id: string
  amount: number
  captured_at: string | null
  captures: { amount: number }[]
  refunds: { amount: number }[]
}

export interface Order {
  id: string
  display_id: number
  payment_status: string
  total: number
  summary: { paid_total: number; refunded_total: number; transaction_total: number }
  payment_collections: { payments: Payment[] }[]
}

export interface Storefront {
  /** A cart with that many lamps at 12.50 euros. */
  fill(quantity: number): Promise<string>
  add(cartId: string): Promise<void>
  /** The visitor chooses to pay with nano. */
  begin(cartId: string, data?: object): Promise<Session>
  complete(cartId: string): Promise<{ type: string }>
  /** All orders except the example's. */
  orders(): Promise<Order[]>
  refund(paymentId: string, amount: number): Promise<void>
}

/** The shop that the guide's example has filled: a region, a sales channel with a publishable key, and a lamp. */
export async function openStorefront({ call }: Framework): Promise<Storefront> {
  const { token } = await call<{ token: string }>('POST', '/auth/user/emailpass', ADMIN)
  const admin = { authorization: `Bearer ${token}` }
  const find = async <T>(path: string, name: string, isIt: (each: T) => boolean = () => true) =>
    (await call<Record<string, T[]>>('GET', `/admin/${path}`, undefined, admin))[name]!.find(isIt)!
  const region = await find<{ id: string }>('regions', 'regions')
  const channel = await find<{ id: string; name: string }>(
    'sales-channels',
    'sales_channels',
    (one) => one.name === 'Web',
  )
  const key = await find<{ token: string; title: string }>('api-keys', 'api_keys', (one) => one.title === 'Web')
  const product = await find<{ variants: { id: string }[] }>('products', 'products')
  const variant_id = product.variants[0]!.id
  const visit = <T>(path: string, body: object = {}) =>
    call<T>('POST', `/store/${path}`, body, { 'x-publishable-api-key': key.token })
  return {
    async fill(quantity) {
      const items = [{ variant_id, quantity }]
      const body = { region_id: region.id, sales_channel_id: channel.id, email: 'visitor@example.com', items }
      return (await visit<{ cart: { id: string } }>('carts', body)).cart.id
    },
    add: (cartId) => visit(`carts/${cartId}/line-items`, { variant_id, quantity: 1 }),
    async begin(cartId, data) {
      const made = await visit<{ payment_collection: { id: string } }>('payment-collections', { cart_id: cartId })
      const path = `payment-collections/${made.payment_collection.id}/payment-sessions`
      const body = { provider_id: PROVIDER, ...(data && { data }) }
      const begun = await visit<{ payment_collection: { payment_sessions: { data: Session }[] } }>(path, body)
      return begun.payment_collection.payment_sessions.at(-1)!.data
    },
    complete: (cartId) => visit(`carts/${cartId}/complete`),
    async orders() {
      const fields =
        'id,display_id,payment_status,total,summary,*payment_collections.payments,*payment_collections.payments.captures'
      const path = `/admin/orders?fields=${fields},*payment_collections.payments.refunds`
      const { orders } = await call<{ orders: Order[] }>('GET', path, undefined, admin)
      return orders.filter(({ display_id: number }) => number > 1)
    },
    refund: (paymentId, amount) => call('POST', `/admin/payments/${paymentId}/refund`, { amount }, admin),
  }
}

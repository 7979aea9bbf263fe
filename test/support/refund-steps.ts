import type { TestContext } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { Raw } from '../../src/kernel/money.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { fundsOf } from './blocks.ts'
import type { Customer } from './customer.ts'
import type { Reply } from './gateway.ts'
import { type Made, type Shop, type World, nano, openWorld, turnUntil, untilStatus } from './checkout-steps.ts'

/** Pays in these tests. */
export const PAYER = toAddress(DEV_NETWORK.genesisAccount)

export interface Refund {
  id: string
  status: string
  as: string
  amount: string
  amount_raw: string
  fiat_amount?: string
  rate?: string | null
  address: string | null
  from: string
  hash: string | null
  claim_url?: string
  reason: string | null
  failure: string | null
  code?: string
}

export interface RefundShop {
  world: World
  shop: Shop
  merchant: Customer
  /** A cloud wallet of the merchant, to which checkouts are paid. */
  wallet: string
  /** A checkout that was paid to the wallet. */
  sell(fields?: object): Promise<Made>
  refund(id: string, fields?: object, headers?: Record<string, string>): Promise<Reply>
  /** Advances the clock until a request is answered, because requests poll the wallet. */
  turning<T>(asked: Promise<T>): Promise<T>
  /** Advances the clock until a refund has a status. */
  untilRefund(checkoutId: string, status: string): Promise<Refund>
  list(checkoutId: string): Promise<{ refunds: Refund[]; refundable: string; refundable_raw: string }>
  /** An address's balance plus everything receivable. */
  fundsOf(address: string): bigint
}

/** A merchant who is paid to a cloud wallet and refunds from there. */
export async function openRefundShop(
  t: TestContext,
  engine: StoreEngine = 'sqlite',
  env: Record<string, string> = {},
): Promise<RefundShop> {
  const world = await openWorld(t, engine)
  const shop = await world.start({ WEBHOOK_ALLOW_PRIVATE: 'true', CHECKOUT_GENERATED_WALLETS: 'all', ...env })
  const merchant = await shop.join()
  // Tests about months advance the clock by a year, and a wallet ends after 90 days by default.
  const created = await shop.call(
    'cloud_wallet',
    { wallet_action: 'create_wallet', expire: '10 years' },
    merchant.headers,
  )
  const wallet = created.json<{ address: string }>().address
  const list = async (id: string) =>
    (await shop.rest('GET', `/api/checkouts/${id}/refunds`, merchant.key)).json<
      Awaited<ReturnType<RefundShop['list']>>
    >()
  const turning = async <T>(asked: Promise<T>): Promise<T> => {
    let isOver = false
    const end = () => void (isOver = true)
    asked.then(end, end)
    await turnUntil(world, 100, () => Promise.resolve(isOver))
    return asked
  }
  return {
    world,
    shop,
    merchant,
    wallet,
    list,
    async sell(fields = {}) {
      const made = await shop.open({ address: wallet, amount: '2', ...fields }, merchant.headers)
      await world.pay(made.address, made.amount_raw)
      await untilStatus(shop, made.id, 'complete')
      return made
    },
    turning,
    refund: (id, fields = {}, headers = {}) =>
      turning(shop.call('checkout_refund', { id, ...fields }, { ...merchant.headers, ...headers })),
    async untilRefund(checkoutId, status) {
      await turnUntil(world, 2_500, async () => (await list(checkoutId)).refunds.at(-1)?.status === status)
      return (await list(checkoutId)).refunds.at(-1)!
    },
    fundsOf: (address) => fundsOf(world.ledger.node, address),
  }
}

export const raw = (text: string): Raw => nano(text)

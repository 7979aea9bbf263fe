import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { openCustomer } from '../support/customer.ts'
import { waitFor } from '../support/until.ts'
import type { Answer, Client } from './client.ts'

const PATIENCE = 60_000

/** A merchant that is paid in every way at one address. The address is a cloud wallet, so unclaimed refund links return there too. */
export interface Market {
  accountId: string
  /** Uses the merchant's key. */
  client: Client
  address: string
  /** Of a payment link. */
  slug: string
  till: { id: string; token: string }
}

/** Called before the faults begin. */
export async function openMarket(
  ctx: StoreCtx,
  { client: other, credits, price }: { client: Client; credits: number; price: string },
): Promise<Market> {
  const { accountId, key, grant } = await openCustomer(ctx)
  await grant(credits)
  const client = other.withKey(key)
  const made = async (what: string, ask: () => Promise<Answer | undefined>): Promise<Record<string, string>> => {
    let answer: Answer | undefined
    const isMade = async () => ((answer = await ask())?.status ?? 500) < 300
    await waitFor(what, isMade, { patience: PATIENCE, tell: () => answer?.text ?? '' })
    return answer!.body as Record<string, string>
  }
  const { address } = await made('the market has a wallet', () => client.post({ action: 'cloud_wallet' }, 'wallet'))
  const offer = { address, title: 'Market' }
  const link = await made('the market has a payment link', () =>
    client.ask('POST', '/api/links', { body: { ...offer, amount: price }, idempotencyKey: 'link' }),
  )
  const till = await made('the market has a till', () =>
    client.ask('POST', '/api/pos', { body: offer, idempotencyKey: 'till' }),
  )
  return {
    accountId,
    client,
    address: address!,
    slug: link.slug!,
    till: { id: till.id!, token: till.link!.split('#')[1]! },
  }
}

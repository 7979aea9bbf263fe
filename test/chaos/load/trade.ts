import type { MarketSale } from '../made.ts'
import { type Caller, PRICES, isUnclear } from './caller.ts'
import { planClaim } from './claim.ts'

const TRIES_MAX = 8
const WAYS = ['unique_amount', 'generated_wallet', 'unique_address', 'bare amount', 'link', 'till'] as const

/** Varying addresses of visitors, because orders per address and minute are limited. */
const visitorOf = ({ options: { random } }: Caller) => ({
  'x-forwarded-for': `203.0.${random.below(256)}.${random.below(256)}`,
})

/** Sells something at the market's one address, in one of all ways, and has it paid in full, in part, or not at all. */
export async function trade(caller: Caller): Promise<void> {
  const { random, made, money } = caller.options
  // A run uses these up, so they are used only where money is free.
  if (!money.isPlay) return
  const sale = await openSale(caller, random.pick(WAYS))
  if (!sale) return
  made.sales.push(sale)
  const { address, amountRaw } = sale
  const dice = random.below(10)
  if (dice === 0) return
  // A customer who types a different amount: the payment belongs to no sale.
  if (dice === 1 && !isOwn(sale)) return pay(caller, { to: address, amountRaw: amountRaw + 1n, sale: undefined })
  if (dice === 2 && isOwn(sale)) return cross(caller, sale)
  if (dice === 3 && isOwn(sale)) await pay(caller, { to: address, amountRaw: amountRaw / 2n, sale })
  await pay(caller, { to: address, amountRaw: isOwn(sale) ? amountRaw - sale.paidRaw : amountRaw, sale })
  if (dice === 4) await pay(caller, { to: address, amountRaw, sale })
  if (random.below(2) === 0) planReturn(caller, sale)
}

/** True if the address is used for this sale only. */
const isOwn = ({ way }: MarketSale) => way === 'generated_wallet' || way === 'unique_address'

/** Pays into one checkout the amount that another one at the shared address asks for. Forwarding it must not pay the other one. */
async function cross(caller: Caller, sale: MarketSale): Promise<void> {
  const { made, random } = caller.options
  const waiting = made.sales.filter((one) => one.paidRaw === 0n && !isOwn(one))
  const { amountRaw } = waiting.length === 0 ? sale : random.pick(waiting)
  await pay(caller, { to: sale.address, amountRaw: amountRaw < sale.amountRaw ? sale.amountRaw : amountRaw, sale })
}

interface Payment {
  to: string
  amountRaw: bigint
  sale: MarketSale | undefined
}

async function pay(caller: Caller, { to, amountRaw, sale }: Payment): Promise<void> {
  const { client, random, made, payer, over } = caller.options
  if (payer.balance < amountRaw) {
    made.unaffordable++
    return
  }
  const through = random.below(2) === 0 ? client : undefined
  const hash = await payer.pay(to, amountRaw, { through, over })
  made.marketPayments.push({ hash, to, amountRaw, saleId: sale?.id })
  if (sale) sale.paidRaw += amountRaw
}

async function openSale(caller: Caller, way: (typeof WAYS)[number]): Promise<MarketSale | undefined> {
  const id = way === 'link' ? await order(caller) : way === 'till' ? await ring(caller) : await open(caller, way)
  if (id === undefined) return undefined
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const check = await caller.options.client.get(`/check/${id}`)
    if (check?.status === 404) caller.complain(`sale ${id} was acknowledged and is not there`, check)
    if (check?.status === 200) {
      const { address, amount_raw: amount } = check.body as Record<string, string>
      return { id, way, address: address!, amountRaw: BigInt(amount!), paidRaw: 0n }
    }
    await caller.options.client.pause()
  }
  caller.options.made.givenUp++
  return undefined
}

async function open(caller: Caller, way: string): Promise<string | undefined> {
  const { random, market, money } = caller.options
  const isOwnAddress = way === 'unique_address'
  const terms = way === 'bare amount' ? { random: false } : { mode: way }
  const answer = await caller.untilClear(
    {
      action: 'checkout',
      address: isOwnAddress ? money.purse.fresh().address : market.address,
      amount: random.pick(PRICES),
      ...terms,
    },
    caller.nextKey('sale'),
  )
  return answer?.body.id as string | undefined
}

/** Orders as a visitor of the payment link. */
async function order(caller: Caller): Promise<string | undefined> {
  const { client, market, made } = caller.options
  const token = caller.nextKey('order').replaceAll(/\W/g, '_').padStart(22, '_').slice(-22)
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const sent = await client.sendForm(`/buy/${market.slug}`, { token }, visitorOf(caller))
    const [, id] = /\/pay\/([0-9a-f]{16})/.exec(sent?.location ?? '') ?? []
    if (id !== undefined) return id
    await client.pause()
  }
  made.givenUp++
  return undefined
}

/** Rings up a sale as a cashier. */
async function ring(caller: Caller): Promise<string | undefined> {
  const { client, market, made, random } = caller.options
  const { id, token } = market.till
  const total = random.pick(PRICES)
  const body = { key: caller.nextKey('till').padStart(20, '-'), amount: total, total }
  const headers = { 'pos-token': token, ...visitorOf(caller) }
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const answer = await client.postAsAnybody(`/pos/${id}/sales`, body, headers)
    if (answer && !isUnclear(answer)) {
      if (answer.status === 201 || answer.status === 200) return answer.body.id as string
      caller.complain('a refusal of a sale', answer)
      return undefined
    }
    await client.pause()
  }
  made.givenUp++
  return undefined
}

/** The merchant refunds a payment, in full or in part, once or twice. The store says how much of that was sent. */
function planReturn(caller: Caller, sale: MarketSale): void {
  const { random, market, client, made } = caller.options
  const as = random.pick(['send', 'link'] as const)
  const asked = Array.from({ length: 1 + random.below(2) }, () => ({
    key: caller.nextKey('return'),
    amount: random.below(2) === 0 ? undefined : ('0.00003' as const),
    isClear: false,
  }))
  let isComplete = false
  caller.later({
    what: `returns of sale ${sale.id}`,
    async step() {
      if (!isComplete) {
        const check = await client.get(`/check/${sale.id}`)
        isComplete = check?.status === 200 && check.body.success === true
        if (!isComplete) return false
      }
      for (const one of asked.filter(({ isClear }) => !isClear)) {
        const { key, amount } = one
        const request = { action: 'checkout_refund', id: sale.id, as, from: market.address, ...(amount && { amount }) }
        const answer = await client.post(request, key)
        // The forwarded money may not have arrived yet.
        if (!answer || isUnclear(answer) || answer.body.code === 'insufficient_funds') return false
        one.isClear = true
        if (answer.status !== 200) continue
        const { id, amount_raw: raw, claim_url: link } = answer.body as Record<string, string>
        made.returns++
        if (link === undefined) continue
        const share = { kind: 'refund', of: id!, amountRaw: BigInt(raw!) } as const
        planClaim(caller, share, { code: () => link.split('#')[1], checkoutId: sale.id })
      }
      return true
    },
  })
}

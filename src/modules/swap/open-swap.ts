import { AppError } from '../../kernel/errors.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../kernel/in-tx.ts'
import { parseNano } from '../../kernel/money.ts'
import { fromAddress } from '../../kernel/nano/address.ts'
import type { SwapProvider } from '../../kernel/swap.ts'
import { badAddress, badAmount, providerFailed, sameCurrency, unknownCurrency } from './errors.ts'
import { type Swap, findSwap, insertSwap } from './store.ts'

/** How long to wait for a deposit. */
const LIFETIME = 24 * 3_600_000
const AMOUNT = /^(0|[1-9][0-9]{0,14})(\.[0-9]{1,18})?$/

interface SwapWish {
  accountId: string | null
  amount: string
  from: string
  to: string
  address: string
  refundAddress: string
  idempotency: Idempotency | undefined
}

/** Opens a swap. Everything is validated before the provider is asked, and its terms are stored before they are returned. */
export async function openSwap(
  store: StoreCtx,
  provider: SwapProvider,
  { accountId, amount, address, refundAddress, idempotency, ...wish }: SwapWish,
): Promise<Swap> {
  const { ids, clock } = store
  const made = idempotency?.made as { id: string } | undefined
  if (made) return (await findSwap(store.db, made.id))!
  const from = toCode(wish.from)
  const to = toCode(wish.to)
  const currencies = await provider.currencies().catch((error: unknown) => Promise.reject(providerFailed(error)))
  if (!currencies.includes(from)) throw unknownCurrency('from', currencies)
  if (!currencies.includes(to)) throw unknownCurrency('to', currencies)
  if (from === to) throw sameCurrency()
  const isAmount = AMOUNT.test(amount) && /[1-9]/.test(amount) && (from !== 'nano' || parseNano(amount) !== undefined)
  if (!isAmount) throw badAmount()
  if (!isAddressOf(to, address)) throw badAddress('address', to)
  if (!isAddressOf(from, refundAddress)) throw badAddress('refund_address', from)
  const createdAt = clock.now()
  const expiresAt = createdAt + LIFETIME
  const request = { id: ids.next('swp'), from, to, amount, address, refundAddress, expiresAt }
  const agreed = await provider.open(request).catch((error: unknown) => {
    if (error instanceof AppError) throw error
    throw providerFailed(error)
  })
  // A provider that names no valid deposit address must not get our user's money.
  if (!isAddressOf(from, agreed.depositAddress)) throw providerFailed(new Error('The deposit address is none.'))
  const swap: Swap = { ...request, ...agreed, provider: provider.name, status: 'waiting', createdAt }
  await inTx(store, async ({ db }) => {
    await insertSwap(db, { ...swap, accountId })
    await idempotency?.record(db, { id: swap.id })
  })
  return swap
}

const BASE58 = '1-9A-HJ-NP-Za-km-z'

/** Formats of addresses by currency: enough to catch a wrong paste before money moves. */
const ADDRESSES: Readonly<Record<string, RegExp>> = {
  ban: /^ban_[13][13456789abcdefghijkmnopqrstuwxyz]{59}$/,
  bch: /^(bitcoincash:)?[qp][a-z0-9]{41}$/,
  btc: new RegExp(`^(bc1[a-z0-9]{11,71}|[13][${BASE58}]{25,34})$`),
  doge: new RegExp(`^[DA9][${BASE58}]{25,34}$`),
  eth: /^0x[0-9a-fA-F]{40}$/,
  ltc: new RegExp(`^(ltc1[a-z0-9]{11,71}|[LM3][${BASE58}]{25,34})$`),
  sol: new RegExp(`^[${BASE58}]{32,44}$`),
  usdc: /^0x[0-9a-fA-F]{40}$/,
  usdt: /^0x[0-9a-fA-F]{40}$/,
  xmr: new RegExp(`^[48][${BASE58}]{94,105}$`),
}

/** For other currencies only this is checked: printable characters, and a possible length. */
const ANY = /^[\x21-\x7e]{10,128}$/

/** Normalises the code of a currency: `nano` for all its names. */
export function toCode(text: string): string {
  const code = text.toLowerCase()
  return code === 'xno' ? 'nano' : code
}

export function isAddressOf(code: string, address: string): boolean {
  if (code === 'nano') return fromAddress(address) !== undefined
  const form = Object.hasOwn(ADDRESSES, code) ? ADDRESSES[code] : undefined
  return (form ?? ANY).test(address)
}

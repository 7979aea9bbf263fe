import { actorOf } from '../../kernel/actor.ts'
import { AppError } from '../../kernel/errors.ts'
import { RAW_MAX, RAW_PER_NANO, parseNano, parseRaw } from '../../kernel/money.ts'
import { ZERO_HASH } from '../../kernel/nano/block.ts'
import type { FollowedSwap, SwapProvider, SwapStatus } from '../../kernel/swap.ts'
import { textOf } from '../../kernel/shape.ts'
import {
  type Payment,
  type Wallet,
  type WalletContext,
  createWallet,
  deleteWallet,
  findPayment,
  findWallet,
  queuePayment,
  treasury,
} from '../wallets/index.ts'

/** Invented fixed rates in dollars. */
const WORTH: Readonly<Record<string, bigint>> = {
  nano: 1_00n,
  ban: 1n,
  btc: 100_000_00n,
  doge: 20n,
  eth: 3_500_00n,
  ltc: 90_00n,
  usdt: 1_00n,
  xmr: 300_00n,
}
const FEE_PERCENT = 1n
const DECIMALS = 6
/** The maximum that one swap takes from the treasury. */
const PAYOUT_MAX = 10_000n * RAW_PER_NANO

/** Invented deposit addresses of other currencies: they have no owner, but the right form. */
const DEPOSITS: Readonly<Record<string, string>> = {
  ban: 'ban_1111111111111111111111111111111111111111111111111111hifc8npp',
  btc: 'bc1qsandboxsandboxsandboxsandboxsandbox0000',
  doge: 'DSandboxSandboxSandboxSandboxSand1',
  eth: `0x${'0'.repeat(39)}1`,
  ltc: 'ltc1qsandboxsandboxsandboxsandboxsandbox000',
  usdt: `0x${'0'.repeat(40)}`,
  xmr: `4${'S'.repeat(94)}`,
}

const OWN = { accountId: undefined, actor: actorOf.service('service') }

/**
 * Swaps on the development ledger that move its funds: nano arrives in a wallet made for the swap and is paid from the treasury; the other
 * currency is simulated and arrives automatically. Each status request moves a swap one step on.
 */
export function sandboxSwap(ctx: WalletContext): SwapProvider {
  return {
    name: 'sandbox',
    currencies: () => Promise.resolve(Object.keys(WORTH)),
    async open({ from, to, amount, refundAddress }) {
      const receive = exchange(from, to, amount)
      if (from !== 'nano') return { reference: '-', depositAddress: DEPOSITS[from]!, receive }
      const { id, address } = await createWallet(ctx, { ...OWN, purpose: 'swap', refundAddress })
      return { reference: id, depositAddress: address, receive }
    },
    follow: (swap) => (swap.from === 'nano' ? followDeposit(ctx, swap) : followPayout(ctx, swap)),
  }
}

/** Exact, and truncated to six decimals in our favour. */
function exchange(from: string, to: string, amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const units = BigInt(whole + fraction.padEnd(18, '0').slice(0, 18))
  const out = (units * WORTH[from]! * (100n - FEE_PERCENT)) / (WORTH[to]! * 100n)
  const cut = out / 10n ** BigInt(18 - DECIMALS)
  if (cut === 0n) throw new AppError('invalid_amount', 'The amount is too small.', { body: { field: 'amount' } })
  const text = cut.toString().padStart(DECIMALS + 1, '0')
  const receive = `${text.slice(0, -DECIMALS)}.${text.slice(-DECIMALS)}`.replace(/\.?0+$/, '')
  const isTooMuch = to === 'nano' && (parseNano(receive) ?? RAW_MAX) > PAYOUT_MAX
  if (isTooMuch) throw new AppError('invalid_amount', 'The amount is too large.', { body: { field: 'amount' } })
  return receive
}

async function followDeposit(ctx: WalletContext, swap: FollowedSwap): Promise<SwapStatus> {
  const { id, reference, amount, status, expiresAt } = swap
  const wallet = (await findWallet(ctx.store.db, reference))!
  const wanted = parseNano(amount)!
  if (wallet.status !== 'active') return close(ctx, swap, wallet)
  if (status === 'waiting' || status === 'confirming') {
    if (wallet.balance === wanted) return 'exchanging'
    // Any other amount cannot be exchanged: it is returned, and the swap ends only after that.
    if (wallet.balance > wanted || ctx.store.clock.now() >= expiresAt) return close(ctx, swap, wallet)
    return wallet.balance > 0n || (await isExpected(ctx, wallet.address)) ? 'confirming' : 'waiting'
  }
  if (status === 'exchanging') return 'sending'
  const { address } = await treasury(ctx)
  const payment = {
    walletId: reference,
    destination: address,
    amount: wanted,
    reference: `swap:${id}`,
    purpose: 'swap_deposit' as const,
  }
  return (await pay(ctx, payment)) ? close(ctx, swap, wallet) : status
}

/** Ends the wallet of a swap: like every ended wallet, it returns its balance and whatever arrives later. */
async function close(ctx: WalletContext, swap: FollowedSwap, wallet: Wallet): Promise<SwapStatus> {
  if (wallet.status === 'active') await deleteWallet(ctx, wallet, OWN)
  else await ctx.queue.advance(wallet.id)
  if (swap.status === 'sending') return 'finished'
  const { status, frontier } = (await findWallet(ctx.store.db, wallet.id))!
  if (status !== 'deleted') return swap.status
  // A wallet without any block never held anything that could be returned.
  return frontier === ZERO_HASH ? 'expired' : 'refunded'
}

async function followPayout(ctx: WalletContext, { id, address, receive, status }: FollowedSwap): Promise<SwapStatus> {
  const amount = parseNano(receive)!
  if (status === 'waiting') return 'confirming'
  if (status === 'confirming') return 'exchanging'
  const { id: walletId, address: payer } = await treasury(ctx)
  if (status === 'exchanging') return (await canPay(ctx, payer, amount)) ? 'sending' : 'failed'
  const payment = { walletId, destination: address, amount, reference: `swap:${id}`, purpose: 'swap' as const }
  return (await pay(ctx, payment)) ? 'finished' : status
}

/** Queues a payment once, however often it is called, and returns whether it has reached the ledger. */
async function pay(ctx: WalletContext, payment: Payment): Promise<boolean> {
  const { store, queue } = ctx
  if (!(await findPayment(store.db, payment.reference))) await queuePayment({ db: store.db, store }, payment)
  await queue.advance(payment.walletId)
  const sent = await findPayment(store.db, payment.reference)
  return sent?.status === 'broadcast' || sent?.status === 'confirmed'
}

/** Whether an account has something to receive, confirmed or not. */
async function isExpected(ctx: WalletContext, account: string): Promise<boolean> {
  return (await readWorth(ctx, account)).receivable > 0n
}

/** Whether an account has enough for a payment. What it can receive counts as well, because the queued payment waits until that is received. */
async function canPay(ctx: WalletContext, account: string, amount: bigint): Promise<boolean> {
  const { balance, receivable } = await readWorth(ctx, account)
  return balance + receivable >= amount
}

async function readWorth({ node }: WalletContext, account: string) {
  const worth = await node.read('account_balance', { account, include_only_confirmed: false })
  const toBigInt = (value: unknown) => parseRaw(textOf(value)) ?? 0n
  return { balance: toBigInt(worth.balance), receivable: toBigInt(worth.receivable) }
}

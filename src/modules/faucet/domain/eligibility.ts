import { readOrEmpty } from '../../../kernel/read-or-empty.ts'
import { toObject } from '../../../kernel/shape.ts'
import { findFreeUse } from '../../accounts/index.ts'
import { findServiceWallet, findWalletByAddress, treasury } from '../../wallets/index.ts'
import type { FaucetContext, FaucetRules } from '../context.ts'

interface Eligibility {
  eligible: boolean
  /** When a claim may succeed, in milliseconds; the current time for those who may claim now, and where waiting does not help. */
  nextAt: number
  reason?: string
}

/** Whether a claim would succeed now. This is no promise, because another claim may be faster. */
export async function checkFaucet(ctx: FaucetContext, claimant: Claimant): Promise<Eligibility> {
  const { store, faucet } = ctx
  const { db, clock } = store
  const now = clock.now()
  const refuse = (reason: string, nextAt = now): Eligibility => ({ eligible: false, nextAt, reason })
  if (faucet.amount === 0n) return refuse('The faucet is closed.')
  const refusal = await findRefusal(ctx, claimant.address)
  if (refusal !== undefined) return refuse(refusal)
  for (const { caller, max, reason } of cooldownsOf(faucet, claimant)) {
    if (max <= 0) return refuse(reason, now + DAY)
    const use = await findFreeUse(db, { caller, meter: METER, now })
    if (use && use.taken >= max) return refuse(reason, use.endsAt)
  }
  const wallet = await findServiceWallet(db, 'treasury')
  if (!wallet || wallet.balance < faucet.amount) return refuse('The faucet is empty at the moment.')
  return { eligible: true, nextAt: now }
}

export const DAY = 86_400_000
export const METER = 'faucet'

export interface Claimant {
  /** Undefined for a caller without a key. */
  accountId: string | undefined
  address: string
  ip: string
}

/** A maximum of claims in 24 hours, and the error for further ones. */
export interface Cooldown {
  caller: string
  max: number
  reason: string
}

/** All limits of a claim. Always in the same order, so that concurrent claims wait but never deadlock. */
export function cooldownsOf(rules: FaucetRules, { accountId, address, ip }: Claimant): Cooldown[] {
  const network = networkOf(ip)
  const budget = Number(rules.dailyBudget / rules.amount)
  return [
    ...(accountId === undefined
      ? []
      : [{ caller: `acc:${accountId}`, max: 1, reason: 'This account has claimed in the last 24 hours.' }]),
    { caller: address, max: 1, reason: 'This address has received a claim in the last 24 hours.' },
    ...(rules.perNetworkMax === 0
      ? []
      : [{ caller: `net:${network}`, max: rules.perNetworkMax, reason: 'Too many claims from your network today.' }]),
    { caller: 'faucet', max: budget, reason: 'The faucet has given away its budget of the day.' },
  ]
}

/** The network that a claim counts for: a /24 in IPv4, a /48 in IPv6. IPv6 addresses arrive as a /64 already. */
function networkOf(ip: string): string {
  if (ip.includes(':')) return `${ip.split(':').slice(0, 3).join(':')}::/48`
  const parts = ip.split('.')
  return parts.length === 4 ? `${parts.slice(0, 3).join('.')}.0/24` : ip
}

const UNRECEIVED_MAX = 10
const LOOKED_AT_MAX = 100

/** Why an address gets nothing from any caller; undefined when it may. */
export async function findRefusal(ctx: FaucetContext, address: string): Promise<string | undefined> {
  const wallet = await findWalletByAddress(ctx.store.db, address)
  if (wallet && wallet.accountId === null) return 'The faucet does not give to the wallets of this service.'
  if ((await countUnreceived(ctx, address)) > UNRECEIVED_MAX) {
    return `More than ${UNRECEIVED_MAX} claims wait to be received at this address. Receive them first.`
  }
  return undefined
}

/** Counts gifts that were not received, which shows that the address is not used. */
async function countUnreceived(ctx: FaucetContext, account: string): Promise<number> {
  const { address: giver } = await treasury(ctx)
  const params = { account, count: LOOKED_AT_MAX, source: true, include_only_confirmed: false }
  const { blocks } = await readOrEmpty(ctx.node, 'receivable', params)
  return Object.values(toObject(blocks)).filter((entry) => toObject(entry).source === giver).length
}

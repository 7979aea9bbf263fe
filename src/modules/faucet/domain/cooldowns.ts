import type { FaucetRules } from '../room.ts'
import { networkOf } from './network.ts'

export const DAY = 86_400_000
export const METER = 'faucet'

export interface Claimant {
  /** Undefined for a caller without a key. */
  accountId: string | undefined
  address: string
  ip: string
}

/** So many claims in 24 hours, and what to say to a caller that wants more. */
export interface Cooldown {
  caller: string
  max: number
  reason: string
}

/** Everything a claim is counted for. Always in this order, so that claims at the same time wait and never lock up. */
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

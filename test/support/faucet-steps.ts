import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { Signer, fundsOf } from './blocks.ts'
import { TestClock, turningWhenStuck } from './clock.ts'
import { bearer, openGateway } from './gateway.ts'
import { until } from './until.ts'

export const DAY = 86_400

export interface Claimed {
  success: boolean
  message: string
  claim: { id: string; nano_address: string; amount: string; status: string; tx_hash: string; created_at: number }
}

export const signer = (index: number) => new Signer(800 + index).address
export const GIFT = parseNano('0.001')!

export async function openFaucet(t: TestContext, env: Record<string, string> = {}) {
  const clock = new TestClock()
  const gateway = await openGateway(
    t,
    {
      DEVNET_TREASURY_NANO: '1',
      FAUCET_PER_NETWORK_MAX: '0',
      TRUSTED_PROXIES: 'loopback',
      ...env,
    },
    clock,
  )
  const { db } = gateway.app.store
  const join = async () => (await gateway.join()).key
  const { node } = gateway.app.devnet!
  const treasury = async () =>
    db.selectFrom('wallets').selectAll().where('purpose', '=', 'treasury').executeTakeFirstOrThrow()
  const call = (action: string, address: string, key?: string, headers: Record<string, string> = {}) =>
    turningWhenStuck(
      clock,
      gateway.call(action, { nano_address: address }, { ...(key !== undefined && bearer(key)), ...headers }),
    )
  const claim = (address: string, key: string, headers?: Record<string, string>) =>
    call('faucet_claim', address, key, headers)
  const check = async (address: string, key?: string, headers?: Record<string, string>) =>
    (await call('faucet_check', address, key, headers)).json<{
      eligible: boolean
      reason?: string
      next_claim_unix: number
    }>()
  const funded = () =>
    turningWhenStuck(
      clock,
      until(async () => (await treasury()).balance_raw !== '0'),
    )
  return {
    gateway,
    clock,
    join,
    fundsOf: (address: string) => fundsOf(node, address),
    treasury,
    claim,
    check,
    call,
    funded,
    db,
  }
}

/** Every gift must be on the ledger once, and the treasury must have sent nothing else. */
export async function assertAccounted(world: Awaited<ReturnType<typeof openFaucet>>, total: bigint): Promise<void> {
  const claims = await world.db.selectFrom('faucet_claims').selectAll().execute()
  const given = [...new Set(claims.map(({ address }) => address))].reduce((sum, one) => sum + world.fundsOf(one), 0n)
  const sum = claims.reduce((all, { amount_raw: amount }) => all + BigInt(amount), 0n)
  assert.equal(given, sum)
  assert.equal(given + world.fundsOf((await world.treasury()).address), total)
}

import assert from 'node:assert/strict'
import { type TestContext, describe, test } from 'node:test'
import { systemRandom } from '../../src/infra/random.ts'
import { type Raw, toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { type Checkout } from '../../src/modules/checkout/index.ts'
import { creditSend } from '../../src/modules/checkout/domain/credit.ts'
import { readSends } from '../../src/modules/checkout/domain/read-ledger.ts'
import { findLease } from '../../src/modules/names/index.ts'
import { treasury } from '../../src/modules/wallets/index.ts'
import { Signer, frontierOf, nano, openAccount, publish } from '../support/blocks.ts'
import { assertCreditsBalance } from '../support/credits.ts'
import type { Moment } from '../support/faults.ts'
import { offerCredits, offerName, toSales } from '../support/market.ts'
import { PLACES } from '../support/thorough.ts'
import { toCheckoutCtx } from '../support/checkout-room.ts'
import { type Instance, type WalletWorld, openWalletWorld } from '../support/wallet-world.ts'

/* Payments for what the service sells, with the process dying at every call: nothing is lost and nothing happens twice. */

/** Longer than any lease of a wallet. */
const LEASE = 11_000
const CALLS_MAX = 500
const YEAR = 2

let signers = 2_000

async function openShop({ ctx }: Instance) {
  const { address } = await treasury(ctx)
  return toCheckoutCtx(ctx.store, 'sqlite', { sales: toSales(address) })
}

/** Somebody with ten nano, who pays a plan of a checkout. */
async function pay({ ledger }: WalletWorld, { address, plans }: Checkout, plan: number) {
  const payer = new Signer(signers++)
  await openAccount(ledger, payer, nano(10))
  const amount = plans[plan]!.amountRaw!
  const hash = await publish(ledger, payer.send(frontierOf(ledger, payer.key), fromAddress(address)!, amount))
  return { hash, payer: payer.address, amount }
}

type Paid = Awaited<ReturnType<typeof pay>>

interface Scenario {
  prepare(world: WalletWorld, instance: Instance, round: number): Promise<{ paid: Paid[]; check(): Promise<Raw> }>
}

/** Two pay for one name: one has it, the other its money. Answers what the treasury keeps. */
const race: Scenario = {
  async prepare(world, instance, round) {
    const shop = await openShop(instance)
    const name = `name${round}`
    const paid: Paid[] = []
    for (const checkout of [await offerName(shop, name), await offerName(shop, name)]) {
      paid.push(await pay(world, checkout, YEAR))
    }
    return {
      paid,
      check: async () => {
        const lease = (await findLease(world.db, name))!
        const [winner, loser] = lease.owner === paid[0]!.payer ? paid : [...paid].reverse()
        assert.equal(world.fundsOf(winner!.payer), nano(10) - winner!.amount)
        assert.equal(world.fundsOf(loser!.payer), nano(10), 'everything came back, once')
        return winner!.amount
      },
    }
  },
}

const credits: Scenario = {
  async prepare(world, instance) {
    const shop = await openShop(instance)
    const before = await balanceOf(world)
    const paid = [await pay(world, await offerCredits(shop, world.accountId), 0)]
    return {
      paid,
      check: async () => {
        assert.equal((await balanceOf(world)) - before, 1_000)
        await assertCreditsBalance(world.db)
        return paid[0]!.amount
      },
    }
  },
}

const balanceOf = async ({ db, accountId }: WalletWorld) =>
  (await db.selectFrom('credit_balances').selectAll().where('account_id', '=', accountId).executeTakeFirst())
    ?.available ?? 0

/** What the monitor does with blocks it has heard of, and the jobs of wallets after it. */
async function act(instance: Instance, paid: readonly Paid[]): Promise<void> {
  const { ctx } = instance
  const shop = await openShop(instance)
  const hashes = paid.map(({ hash }) => hash)
  for (const send of await readSends(ctx.node, hashes, ctx.store.clock.now())) {
    await creditSend(shop, { ...send, receivedAt: null })
  }
  await instance.settle()
}

async function failEverywhere(t: TestContext, scenario: Scenario, moment: Moment, deadly: boolean): Promise<void> {
  const world = await openWalletWorld(t, { engine: 'memory', random: systemRandom })
  let instance = await world.start()
  const { address } = await treasury(instance.ctx)
  let kept = 0n
  for (let call = PLACES.first; call < CALLS_MAX; call += PLACES.stride) {
    const { paid, check } = await scenario.prepare(world, instance, call)
    const { faults } = instance
    if (deadly) faults.crashAt(call, moment)
    else faults.failAt(call, moment)
    await world.finish(act(instance, paid)).catch((error: unknown) => {
      if (!faults.fired) throw error
    })
    await world.finish(faults.ended)
    faults.disarm()
    world.clock.advance(LEASE)
    if (faults.dead) instance = await world.start()
    await world.finish(act(instance, paid))
    await world.finish(instance.look())
    await world.finish(instance.settle())
    try {
      kept += await check()
      assert.equal(world.fundsOf(address), toRaw(kept), 'the treasury has what it was paid and owes nobody')
    } catch (cause) {
      throw new Error(`${moment} call ${call}: ${(cause as Error).message}`, { cause })
    }
    if (!faults.fired) {
      t.diagnostic(`${call - 1} places to fail`)
      assert.ok(call > 3)
      assert.deepEqual(world.alarms, [])
      return
    }
  }
  assert.fail('It never ended.')
}

describe('a sale', () => {
  for (const [name, scenario] of Object.entries({ 'two buyers of one name': race, credits })) {
    // Before a call is after the one before it.
    test(`${name}: the same end wherever the process dies after a call`, (t) =>
      failEverywhere(t, scenario, 'after', true))
    test(`${name}: the same end whichever reply gets lost`, (t) => failEverywhere(t, scenario, 'after', false))
  }
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Raw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { type Checkout } from '../../src/modules/checkout/index.ts'
import { creditSend } from '../../src/modules/checkout/domain/credit.ts'
import { readSends } from '../../src/modules/checkout/domain/read-ledger.ts'
import { findLease } from '../../src/modules/names/index.ts'
import { treasury } from '../../src/modules/wallets/index.ts'
import { Signer, frontierOf, nano, openAccount, publish } from '../support/blocks.ts'
import { assertCreditsBalance } from '../support/credits.ts'
import { offerCredits, offerName, toSales } from '../support/market.ts'
import { toCheckoutCtx } from '../support/checkout-context.ts'
import type { Instance, WalletWorld } from '../support/wallet-world.ts'
import { type Scenario, always, failEverywhere } from './fail-everywhere.ts'

/* Payments for the service's own offers, with the process dying at every call: nothing may be lost or happen twice. */

const YEAR = 2

let signers = 2_000

async function openShop({ ctx }: Instance) {
  const { address } = await treasury(ctx)
  return toCheckoutCtx(ctx.store, 'sqlite', { sales: toSales(address) })
}

/** A customer with ten nano pays a plan of a checkout. */
async function pay({ ledger }: WalletWorld, { address, plans }: Checkout, plan: number) {
  const payer = new Signer(signers++)
  await openAccount(ledger, payer, nano(10))
  const amount = plans[plan]!.amountRaw!
  const hash = await publish(ledger, payer.send(frontierOf(ledger, payer.key), fromAddress(address)!, amount))
  return { hash, payer: payer.address, amount }
}

type Paid = Awaited<ReturnType<typeof pay>>

/** Two pay for one name: one gets it, the other is refunded. */
const race: Scenario = async (world, instance) => {
  const shop = await openShop(instance)
  const name = `name${signers}`
  const paid: Paid[] = []
  for (const checkout of [await offerName(shop, name), await offerName(shop, name)]) {
    paid.push(await pay(world, checkout, YEAR))
  }
  return sold(world, paid, async () => {
    const lease = (await findLease(world.db, name))!
    const [winner, loser] = lease.owner === paid[0]!.payer ? paid : [...paid].reverse()
    assert.equal(world.fundsOf(winner!.payer), nano(10) - winner!.amount)
    assert.equal(world.fundsOf(loser!.payer), nano(10), 'everything came back, once')
    return winner!.amount
  })
}

const credits: Scenario = async (world, instance) => {
  const shop = await openShop(instance)
  const before = await balanceOf(world)
  const paid = [await pay(world, await offerCredits(shop, world.accountId), 0)]
  return sold(world, paid, async () => {
    assert.equal((await balanceOf(world)) - before, 1_000)
    await assertCreditsBalance(world.db)
    return paid[0]!.amount
  })
}

const balanceOf = async ({ db, accountId }: WalletWorld) =>
  (await db.selectFrom('credit_balances').selectAll().where('account_id', '=', accountId).executeTakeFirst())
    ?.available ?? 0

/** The monitor processes the reported blocks, and then the wallets' jobs run. */
async function act(instance: Instance, paid: readonly Paid[]): Promise<void> {
  const { ctx } = instance
  const shop = await openShop(instance)
  const hashes = paid.map(({ hash }) => hash)
  for (const send of await readSends(ctx.node, hashes, ctx.store.clock.now())) {
    await creditSend(shop, { ...send, receivedAt: null })
  }
  await instance.settle()
}

/** What the treasury of a world has earned for good. */
const kept = new WeakMap<WalletWorld, bigint>()

/** Processes payments, and checks that the treasury has what `check` returns plus all earlier earnings. */
const sold = (world: WalletWorld, paid: readonly Paid[], check: () => Promise<Raw>) => ({
  act: (instance: Instance) => act(instance, paid),
  check: async (alive: Instance) => {
    await world.finish(alive.look())
    await world.finish(alive.settle())
    const { address } = await treasury(alive.ctx)
    kept.set(world, (kept.get(world) ?? 0n) + (await check()))
    assert.equal(world.fundsOf(address), kept.get(world), 'the treasury has what it was paid and owes nobody')
  },
})

describe('a sale', () => {
  for (const [name, scenario] of Object.entries({ 'two buyers of one name': race, credits })) {
    // Failing before a call equals failing after the one before it.
    test(`${name}: the same end wherever the process dies after a call`, (t) =>
      failEverywhere(t, scenario, always('memory', { moment: 'after', deadly: true }, 3)))
    test(`${name}: the same result whichever reply gets lost`, (t) =>
      failEverywhere(t, scenario, always('memory', { moment: 'after', deadly: false }, 3)))
  }
})

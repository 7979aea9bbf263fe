import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toRaw } from '../../src/kernel/money.ts'
import type { CheckoutContext } from '../../src/modules/checkout/index.ts'
import { creditSend } from '../../src/modules/checkout/domain/credit.ts'
import { followRefunds } from '../../src/modules/checkout/refunds/jobs.ts'
import { refundCheckout } from '../../src/modules/checkout/refunds/refund.ts'
import { readRefund } from '../../src/modules/checkout/refunds/request.ts'
import { bringForward, queueSend } from '../../src/modules/wallets/domain/queue-send.ts'
import { nano } from '../support/blocks.ts'
import { callerOf, openWith, sendOf, toCheckoutCtx } from '../support/checkout-context.ts'
import type { Instance, WalletWorld } from '../support/wallet-world.ts'
import { type Scenario, failByLot, stranger } from './fail-everywhere.ts'

/* Every outside call of a refund fails in turn, or its process dies; the surviving instance must reach the same end and pay once. */

/** For slow machines. */
const PATIENT = { timeout: 600_000 }
const SECOND = 1_000

function shopOf({ ctx }: Instance): CheckoutContext {
  const context = toCheckoutCtx(ctx.store, 'sqlite')
  const wallets: CheckoutContext['ports']['wallets'] = {
    ...context.ports.wallets,
    queueSend: (tx, send) => queueSend(ctx, tx, send),
    bringForward: (block) => bringForward(ctx, block),
  }
  return { ...context, ports: { ...context.ports, wallets } }
}

/** A checkout of two nano, paid to a cloud wallet that holds three. */
async function sell(world: WalletWorld, instance: Instance, payer: string) {
  const wallet = await world.create(instance)
  const hash = await world.deposit(wallet, nano(3))
  const shop = shopOf(instance)
  const fields = { address: wallet, amount: '2', mode: 'unique_address' }
  const { id } = await openWith(shop, callerOf(world.accountId), fields)
  await creditSend(shop, sendOf(shop, { hash, from: payer, to: wallet, amountRaw: toRaw(nano(2)) }))
  return { id, wallet }
}

/** A client repeats the request with the same key until it is answered, and jobs complete what is in progress. */
const refund: Scenario = async (world, instance) => {
  const payer = stranger()
  const { id, wallet } = await sell(world, instance, payer)
  const { db, accountId: owner } = world
  const request = readRefund({})
  const look = (shop: CheckoutContext) => {
    world.clock.advance(3 * SECOND)
    return followRefunds(shop).run({}, new AbortController().signal)
  }
  return {
    act: async (alive) => {
      const shop = shopOf(alive)
      await refundCheckout(shop, { id, owner, actor: OPERATOR, rights: undefined }, request)
      await alive.settle()
      await look(shop)
    },
    check: async (alive) => {
      // Process what the ledger has confirmed since.
      await look(shopOf(alive))
      assert.equal(world.fundsOf(payer), nano(2), 'the payer has what was paid, once')
      assert.equal(world.fundsOf(wallet), nano(1))
      const refunds = await db.selectFrom('checkout_refunds').selectAll().where('checkout_id', '=', id).execute()
      assert.deepEqual(
        refunds.map(({ status, amount_raw: raw, due_at: due }) => [status, BigInt(raw), due]),
        [['sent', nano(2), null]],
      )
      const [checkout] = await db.selectFrom('checkouts').selectAll().where('id', '=', id).execute()
      assert.equal(BigInt(checkout!.refunded_raw), nano(2))
      const events = await db.selectFrom('events').select('type').where('subject', '=', id).execute()
      assert.deepEqual(
        events.map(({ type }) => type).filter((type) => type.startsWith('refund.')),
        ['refund.sent'],
      )
    },
  }
}

test(
  'a refund comes to the same end, paid once and told once, whichever call is the last or loses its reply',
  PATIENT,
  (t) => failByLot(t, refund),
)

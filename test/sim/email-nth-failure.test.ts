import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNano, toRaw } from '../../src/kernel/money.ts'
import { createAccount } from '../../src/modules/accounts/index.ts'
import { claimShare } from '../../src/modules/email/domain/claim.ts'
import { followPayment } from '../../src/modules/email/domain/follow.ts'
import { inviteRecipient } from '../../src/modules/email/domain/invite.ts'
import { claimFaucet } from '../../src/modules/faucet/domain/claim.ts'
import { FEE, MailBox, openPayment, toEmailCtx, treasuryOf } from '../support/email-processes.ts'
import { nano } from '../support/blocks.ts'
import { type Scenario, failByLot, stranger } from './fail-everywhere.ts'

/* Every outside call of an email payment or a gift fails in turn; the surviving instance must reach the same end. */

/** For slow machines. */
const PATIENT = { timeout: 600_000 }

/** Funded with too much, mailed to two recipients, claimed by one, refunded for the other. */
const email: Scenario = async (world, instance) => {
  const [refundAddress, claimant] = [stranger(), stranger()]
  const box = new MailBox()
  const amount = toRaw(nano(1) + 1n)
  const opened = await openPayment(world, instance, { refundAddress, amount, people: 2 })
  const { id, walletId, address, recipientIds } = opened
  const [first] = recipientIds
  const treasury = await treasuryOf(world)
  const feesBefore = world.fundsOf(treasury)
  const deposited = amount + FEE + nano(3)
  await world.deposit(address, toRaw(deposited))
  const hashes = new Set<string>()
  return {
    act: async (alive) => {
      const ctx = toEmailCtx(alive)
      await ctx.queue.advance(walletId)
      await followPayment(ctx, id)
      for (const recipientId of recipientIds) await inviteRecipient(ctx, box.mailerOf(alive), recipientId)
      for (const token of box.codesFor(first!)) {
        const { hash } = await claimShare(ctx, { token, destination: claimant })
        // Without a hash the claim is stored and its block has not been published yet.
        if (hash !== undefined) hashes.add(hash)
      }
      const over = world.db.updateTable('email_payments').set({ expires_at: world.clock.now() })
      await over.where('id', '=', id).where('status', '=', 'funded').execute()
      await followPayment(ctx, id)
      await alive.settle()
    },
    check: async () => {
      const half = nano(1) / 2n
      assert.equal(world.fundsOf(claimant), half, 'the claimant has one share')
      assert.equal(world.fundsOf(refundAddress), half + 1n + nano(3), 'the rest went back')
      assert.equal(world.fundsOf(treasury) - feesBefore, FEE, 'the fee was taken once')
      assert.equal(world.fundsOf(address), 0n)
      assert.equal(hashes.size, 1, 'every code and every try is the same block')
      const row = await world.db.selectFrom('email_payments').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      assert.deepEqual([row.status, row.due_at], ['completed', null])
      const jobs = await world.db.selectFrom('jobs').selectAll().where('kind', '=', 'email.tell').execute()
      const told = jobs.map(({ payload }) => JSON.parse(payload) as { paymentId: string; kind: string })
      const kinds = told.filter(({ paymentId }) => paymentId === id).map(({ kind }) => kind)
      assert.deepEqual(kinds.sort(), ['claimed', 'funded', 'returned'], 'each receipt is asked for once')
      for (const recipientId of recipientIds) {
        const codes = box.codesFor(recipientId)
        assert.ok(codes.length >= 1 && codes.length <= 2, 'a mail is repeated only when its reply was lost')
      }
    },
  }
}

/** A gift that its client requests with the same key until it gets the hash. */
const faucet: Scenario = async (world) => {
  const treasury = await treasuryOf(world)
  const amount = parseNano('0.001')!
  if (world.fundsOf(treasury) === 0n) await world.deposit(treasury, nano(1))
  const { db } = world
  const { id: accountId } = await createAccount(world.ctx, { email: null, role: 'user', actor: OPERATOR })
  const address = stranger()
  const before = world.fundsOf(treasury)
  const hashes = new Set<string>()
  const rules = { amount, dailyBudget: nano(1), perNetworkMax: 0 }
  return {
    act: async ({ ctx }) => {
      const { id } = await db
        .selectFrom('wallets')
        .select('id')
        .where('purpose', '=', 'treasury')
        .executeTakeFirstOrThrow()
      await ctx.queue.advance(id)
      const request = { accountId, address, ip: '192.0.2.1', idempotencyKey: 'one' }
      hashes.add((await claimFaucet({ ...ctx, faucet: rules }, request)).hash)
    },
    check: async () => {
      assert.equal(world.fundsOf(address), amount)
      assert.equal(before - world.fundsOf(treasury), amount)
      assert.equal(hashes.size, 1)
    },
  }
}

test('an email payment has the same result whichever call is the last or loses its reply', PATIENT, (t) =>
  failByLot(t, email),
)

test('a gift has the same result whichever call is the last or loses its reply', PATIENT, (t) => failByLot(t, faucet))

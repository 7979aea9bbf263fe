import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toRaw } from '../../src/kernel/money.ts'
import { createAccount } from '../../src/modules/accounts/index.ts'
import { claimShare } from '../../src/modules/email/domain/claim.ts'
import { followPayment } from '../../src/modules/email/domain/follow.ts'
import { inviteRecipient } from '../../src/modules/email/domain/invite.ts'
import { claimFaucet } from '../../src/modules/faucet/domain/claim.ts'
import { FEE, MailBox, openPayment, toEmailCtx, treasuryOf } from '../support/email-processes.ts'
import { Signer, nano } from '../support/blocks.ts'
import { ENGINES } from '../support/engines.ts'
import { testRandom } from '../support/random.ts'
import { type WalletWorld, openWalletWorld } from '../support/wallet-world.ts'

/* Two processes on one store at the same moment: cases that row locks must decide. */

let signers = 7_000
const stranger = () => new Signer(signers++).address

/** A funded payment to two people, mailed. */
async function fund(world: WalletWorld, instances: Awaited<ReturnType<WalletWorld['start']>>[]) {
  const [one, two] = instances
  const refundAddress = stranger()
  const opened = await openPayment(world, one!, { refundAddress, amount: nano(2), people: 2 })
  await world.deposit(opened.address, toRaw(nano(2) + FEE))
  await world.finish(one!.ctx.queue.advance(opened.walletId))
  await world.finish(Promise.all([one!, two!].map((instance) => followPayment(toEmailCtx(instance), opened.id))))
  const box = new MailBox()
  // A job may run twice; each recipient must get one mail.
  for (const instance of [one!, two!]) {
    for (const id of opened.recipientIds) await inviteRecipient(toEmailCtx(instance), box.mailerOf(instance), id)
  }
  assert.equal(box.mails.length, opened.recipientIds.length)
  return { ...opened, refundAddress, codes: opened.recipientIds.map((id) => box.codesFor(id)[0]!) }
}

for (const engine of ENGINES) {
  describe(engine, () => {
    test('two processes fund a payment, claim one share many times over and end it, at the same moment', async (t) => {
      const world = await openWalletWorld(t, { engine, random: testRandom })
      const instances = [await world.start(), await world.start()]
      const treasury = await treasuryOf(world)
      const made = await fund(world, instances)
      const jobs = await world.db.selectFrom('jobs').select('kind').where('kind', 'like', 'email.%').execute()
      assert.deepEqual(jobs.map(({ kind }) => kind).sort(), ['email.invite', 'email.invite', 'email.tell'])
      // Ten browsers with ten addresses, one of them twice.
      const addresses = Array.from({ length: 10 }, stranger)
      const claims = [...addresses, addresses[0]!].map((destination, at) =>
        claimShare(toEmailCtx(instances[at % 2]!), { token: made.codes[0]!, destination }).then(
          ({ hash }) => hash,
          (error: { code: string }) => error.code,
        ),
      )
      const outcomes = await world.finish(Promise.all(claims))
      const paid = addresses.filter((address) => world.fundsOf(address) > 0n)
      assert.equal(paid.length, 1)
      assert.equal(world.fundsOf(paid[0]!), nano(1))
      assert.ok(outcomes.filter((outcome) => outcome === 'conflict').length >= 9)
      // It expires during a claim: the money goes either to the recipient or to the sender.
      await world.db
        .updateTable('email_payments')
        .set({ expires_at: world.clock.now() + 1 })
        .execute()
      const late = stranger()
      const [claimed] = await world.finish(
        Promise.all([
          claimShare(toEmailCtx(instances[0]!), { token: made.codes[1]!, destination: late }).catch(() => undefined),
          (async () => {
            world.clock.advance(1)
            await followPayment(toEmailCtx(instances[1]!), made.id)
          })(),
        ]),
      )
      await world.finish(followPayment(toEmailCtx(instances[0]!), made.id))
      await world.finish(instances[0]!.settle())
      await world.finish(instances[1]!.settle())
      const [lateHas, back] = [world.fundsOf(late), world.fundsOf(made.refundAddress)]
      assert.deepEqual([lateHas, back], claimed ? [nano(1), 0n] : [0n, nano(1)])
      assert.equal(world.fundsOf(treasury), FEE)
      assert.equal(world.fundsOf(made.address), 0n)
      assert.deepEqual(world.alarms, [])
    })

    test('two processes give away a budget of five gifts to twenty concurrent requests', async (t) => {
      const world = await openWalletWorld(t, { engine, random: testRandom })
      const instances = [await world.start(), await world.start()]
      const treasury = await treasuryOf(world)
      const amount = nano(1)
      await world.deposit(treasury, nano(9))
      const { db } = world
      const { id } = await db
        .selectFrom('wallets')
        .select('id')
        .where('purpose', '=', 'treasury')
        .executeTakeFirstOrThrow()
      await world.finish(instances[0]!.ctx.queue.advance(id))
      const faucet = { amount, dailyBudget: toRaw(nano(5) + 1n), perNetworkMax: 0 }
      const asked = await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          const account = await createAccount(world.ctx, { email: null, role: 'user', actor: OPERATOR })
          const ctx = { ...instances[at % 2]!.ctx, faucet }
          return { ctx, accountId: account.id, address: stranger(), ip: '192.0.2.1', idempotencyKey: undefined }
        }),
      )
      const claims = asked.map(({ ctx, ...request }) =>
        claimFaucet(ctx, request).then(
          () => 'paid',
          (error: { code: string }) => error.code,
        ),
      )
      const outcomes = await world.finish(Promise.all(claims))
      await world.finish(instances[0]!.settle())
      const given = asked.filter(({ address }) => world.fundsOf(address) === amount).length
      assert.equal(given, 5)
      assert.equal(outcomes.filter((outcome) => outcome === 'too_many_requests').length, 15)
      assert.equal(world.fundsOf(treasury), nano(4))
    })
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNano } from '../../kernel/money.ts'
import { fromAddress } from '../../kernel/nano/address.ts'
import {
  type Made,
  alice,
  assertAccounted,
  codeOf,
  decline,
  fundedForAlice,
  openWorld,
  sender,
} from '../../../test/support/email-steps.ts'

const nano = (text: string) => parseNano(text)!

const emails = ['alice@example.com', 'bob@example.com', 'carol@example.com']

for (const [name, deposits, statusWanted, aliceGets, back] of [
  ['too little goes back when the day is over', ['0.5'], 'expired', '0', '0.5'],
  ['too much: the rest goes back at once', ['2.7'], 'funded', '2', '0.7'],
  ['in two parts', ['0.5', '1.5'], 'funded', '2', '0'],
  ['twice: the second time goes back at once', ['2', '2'], 'funded', '2', '2'],
] as const) {
  test(`funded ${name}`, async (t) => {
    const world = await openWorld(t)
    const made = await world.open()
    for (const deposit of deposits) {
      await world.fund(made.address, deposit)
      await world.turnUntil(async () => {
        const { status, amount_paid_raw: paid } = await world.check(made)
        return status === 'funded' || BigInt(paid as string) >= nano(deposit)
      })
    }
    if (statusWanted === 'expired') await world.letExpire(made)
    await world.untilStatus(made, statusWanted)
    await world.gateway.app.store.db.updateTable('email_payments').set({ due_at: 0 }).where('due_at', '>', 0).execute()
    await world.turnUntil(() => world.fundsOf(sender) === nano(back))
    await world.settle()
    if (aliceGets !== '0') {
      await world.turnUntil(() => world.mails.received.length >= 1)
      assert.equal((await world.claim(codeOf(world.mails.received[0]!), alice)).status, 200)
      await world.untilStatus(made, 'completed')
      await world.settle()
    } else assert.deepEqual(world.mails.received, [])
    assert.equal(world.fundsOf(alice), nano(aliceGets))
    assert.equal(world.fundsOf(sender), nano(back))
    const deposited = deposits.reduce((sum, deposit) => sum + nano(deposit), 0n)
    await assertAccounted(world, made, deposited, [alice])
  })
}

test('of two payments one is funded and claimed: nobody is notified of the other', async (t) => {
  const world = await openWorld(t)
  const [made, other] = [await world.open(), await world.open()]
  await world.fund(made.address, '2')
  await world.untilStatus(made, 'funded')
  assert.equal((await world.check(other)).status, 'waiting')
  await world.fund(other.address, '2')
  await world.untilStatus(other, 'funded')
  await world.turnUntil(() => world.mails.received.length >= 1)
  assert.equal((await world.claim(codeOf(world.mails.received[0]!), alice)).status, 200)
  await world.untilStatus(made, 'completed')
  assert.equal((await world.check(other)).status, 'funded')
})

test('funded in pieces that are too small to be received: all of them go back when the day is over', async (t) => {
  const world = await openWorld(t, { WALLET_RECEIVE_MIN_NANO: '1' })
  const made = await world.open()
  for (let piece = 0; piece < 4; piece++) await world.fund(made.address, '0.5')
  const { ledger } = world.gateway.app.devnet!.node
  await world.turnUntil(() => ledger.receivableSum(fromAddress(made.address)!, true) === nano('2'))
  await world.letExpire(made)
  await world.untilStatus(made, 'expired')
  await world.turnUntil(() => world.fundsOf(sender) === nano('2'))
  assert.deepEqual(world.mails.received, [])
  await assertAccounted(world, made, nano('2'))
})

test('who has declined gets no mail of payments that were made before, and their senders get the money back', async (t) => {
  const { world, code } = await fundedForAlice(t)
  const before = await world.open({ emails: ['alice+x@example.com'], email_receipt: 'other@example.com' })
  await decline(world, code)
  await world.fund(before.address, '2')
  await world.untilStatus(before, 'completed')
  await world.turnUntil(() => world.fundsOf(sender) === nano('4'))
  await world.turnUntil(() => world.mails.to('other@example.com').length >= 3)
  const subjects = world.mails.to('other@example.com').map(({ subject }) => subject)
  assert.ok(subjects.includes('An email payment was declined'), subjects.join())
  assert.deepEqual(world.mails.to('alice+x@example.com'), [])
})

test('declined and claimed at the same moment: one of the two wins, and everyone is notified of it', async (t) => {
  const { world, made } = await fundedForAlice(t, { emails, amount: '3' })
  for (const email of emails) {
    const code = codeOf(world.mails.to(email)[0]!)
    const [declined, claimed] = await Promise.all([decline(world, code), world.claim(code, alice)])
    assert.deepEqual([declined.status, claimed.status].toSorted(), [200, 409], declined.text)
    const again = await world.call({ refund_address: sender, amount: '1', emails: [email] })
    assert.equal(again.status, claimed.status === 200 ? 200 : 403)
  }
  await world.untilStatus(made, 'completed')
  await world.settle()
  assert.equal(world.fundsOf(alice) + world.fundsOf(sender), nano('3'))
})

test('a payment that was cancelled before it was funded takes no money any more', async (t) => {
  const world = await openWorld(t)
  const made = await world.open()
  const { payment } = (await world.rest('DELETE', `/api/emails/${made.id}`)).json<{ payment: Made }>()
  assert.equal(payment.status, 'expired')
  await world.fund(made.address, '2')
  await world.turnUntil(() => world.fundsOf(sender) === nano('2'))
  assert.deepEqual(world.mails.received, [])
})

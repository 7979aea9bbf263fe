import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BURN_ADDRESS } from '../../src/kernel/nano/address.ts'
import { Signer } from '../support/blocks.ts'
import { nano } from '../support/checkout-steps.ts'
import {
  type Made,
  alice,
  assertAccounted,
  codeOf,
  decline,
  fundedForAlice,
  openWorld,
  sender,
} from '../support/email-steps.ts'
import { row } from './row.ts'

/* Contract 4.4: an email payment, its mails and its money. */

const emails = ['alice@example.com', 'bob@example.com', 'carol@example.com']

test('three people are paid by mail: funding, mails, claims, receipts, fee, and not a raw too much (contract 1, Product areas: 6. E-mail payments; 4.4, rules 1, 2, 3, 6 and 7; 4.4, nano_email: amount, email_receipt)', async (t) => {
  const world = await openWorld(t)
  const made = await world.open({ amount: '1', emails, from: 'Zoë', email_receipt: 'sender@example.com' })
  // No mail is sent before the money arrives.
  await world.turnUntil(async () => (await world.check(made)).status === 'waiting')
  assert.deepEqual(world.mails.received, [])
  await world.fund(made.address, '1.7')
  await world.untilStatus(made, 'funded')
  await world.turnUntil(() => world.mails.received.length >= 4)
  // The excess of half a nano is refunded at once, and the fee goes to the service.
  await world.turnUntil(() => world.fundsOf(sender) === nano('0.5'))
  const addresses = [70, 71, 72].map((index) => new Signer(index).address)
  for (const [at, email] of emails.entries()) {
    const [mail, ...more] = world.mails.to(email)
    assert.deepEqual(more, [])
    const reply = await world.claim(codeOf(mail!), addresses[at])
    assert.equal(reply.status, 200, reply.text)
    assert.match(reply.json().hash!, /^[0-9A-F]{64}$/)
  }
  await world.untilStatus(made, 'completed')
  await world.settle()
  const share = nano('1') / 3n
  const shares = addresses.map((address) => world.fundsOf(address))
  assert.deepEqual(shares, [share, share, share + 1n])
  // The recipients and the sender have everything except the fee of 0.2.
  await assertAccounted(world, made, nano('1.7'), addresses)
  assert.deepEqual([world.fundsOf(made.address), world.fundsOf(sender)], [0n, nano('0.5')])
  const told = () => world.mails.to('sender@example.com')
  await world.turnUntil(() => told().length >= 4)
  const subjects = told().map(({ subject }) => subject.replace(/^\S+ nano/, 'x'))
  assert.deepEqual(subjects.toSorted(), ['Your email payment is funded', 'x claimed', 'x claimed', 'x claimed'])
  const funded = told()
    .find(({ subject }) => subject === 'Your email payment is funded')!
    .text.replaceAll(/\s+/g, ' ')
  const begins = 'Your email payment of 1 nano and a fee of 0.2 nano is funded. 3 emails are on the way. Shares can be '
  assert.ok(funded.startsWith(`${begins}claimed until `), funded)
  const check = await world.check(made)
  assert.deepEqual(check.recipients, { queued: 0, sent: 0, claimed: 3, refunded: 0 })
})

test('what nobody claims goes back at expiry, and the sender is notified (contract 3, rule 13; 4.4, rules 5, 6 and 7)', async (t) => {
  const world = await openWorld(t)
  const made = await world.open({ emails: emails.slice(0, 2), email_receipt: 'sender@example.com' })
  await world.fund(made.address, '2.1')
  await world.turnUntil(() => world.mails.received.length >= 3)
  await world.claim(codeOf(world.mails.to(emails[0]!)[0]!), alice)
  const shown = await world.rest('GET', `/api/emails/${made.id}`)
  const { funded_at: fundedAt, expires_at: expiresAt } = shown.json<{ payment: Record<string, number> }>().payment
  assert.equal(expiresAt! - fundedAt!, 30 * 86_400_000)
  await world.letExpire(made)
  await world.untilStatus(made, 'completed')
  await world.settle()
  assert.equal(world.fundsOf(alice), nano('1'))
  row('4.4, nano_email: refund_address', () =>
    assert.deepEqual([made.refund_address, world.fundsOf(sender)], [sender, nano('1')]),
  )
  await assertAccounted(world, made, nano('2.1'), [alice])
  const late = await world.claim(codeOf(world.mails.to(emails[1]!)[0]!), alice)
  assert.deepEqual([late.status, late.json().code], [409, 'conflict'])
  await world.turnUntil(() => world.mails.to('sender@example.com').length >= 3)
  const texts = world.mails.to('sender@example.com').map(({ text }) => text.replaceAll('\n', ' '))
  assert.ok(texts.some((text) => /1 nano was claimed; 1 nano goes to nano_/.test(text)))
})

test('who does not want it sends it back, and gets no more such mails (contract 4.4, rules 6 and 9)', async (t) => {
  const { world, made, code } = await fundedForAlice(t)
  const burnt = await world.claim(code, BURN_ADDRESS)
  assert.deepEqual([burnt.status, burnt.json().field], [400, 'address'])
  const reply = await decline(world, code)
  assert.equal(reply.status, 200, reply.text)
  await world.untilStatus(made, 'completed')
  await world.settle()
  assert.equal(world.fundsOf(sender), nano('2'))
  assert.equal((await world.claim(code, alice)).status, 409)
  const told = () => world.mails.to('sender@example.com').map(({ subject }) => subject)
  await world.turnUntil(() => told().includes('An email payment was declined'))
  const both = ['b@example.com', 'Alice@Example.com']
  const again = await world.call({ refund_address: sender, amount: '2', emails: both })
  assert.deepEqual([again.status, again.json().field], [403, 'emails[1]'])
  await assertAccounted(world, made, nano('2'))
})

test('a stranger cannot be flooded with receipts: beyond the daily limit they wait (contract 4.4, rule 10)', async (t) => {
  const world = await openWorld(t)
  const made = await world.open({ emails: ['bob@example.com'], email_receipt: 'Bob+shop@example.com' })
  const { db } = world.gateway.app.store
  const { email_hash: hash } = await db.selectFrom('email_recipients').select('email_hash').executeTakeFirstOrThrow()
  const endsAt = world.clock.now() + 86_400_000
  const today = { caller: `email:${hash}`, meter: 'email-receipts', taken: 200, ends_at: endsAt }
  await db.insertInto('free_uses').values(today).execute()
  await world.fund(made.address, '2')
  const later = () => db.selectFrom('jobs').select('id').where('kind', '=', 'email.tell').where('run_at', '=', endsAt)
  await world.turnUntil(async () => (await later().execute()).length === 1)
  assert.deepEqual(world.mails.to('Bob+shop@example.com'), [])
  const now = world.clock.now()
  await db.updateTable('free_uses').set({ ends_at: now }).execute()
  await db.updateTable('jobs').set({ run_at: now }).where('kind', '=', 'email.tell').execute()
  await world.turnUntil(() => world.mails.to('Bob+shop@example.com').length >= 1)
})

test('a sender cancels: claimed shares stay claimed, the rest goes back at once; others cannot cancel (contract 4.4, rule 11)', async (t) => {
  const { world, made, code } = await fundedForAlice(t, { emails: emails.slice(0, 2), amount: '3' })
  await world.claim(code, alice)
  const other = await world.join()
  assert.equal((await world.rest('DELETE', `/api/emails/${made.id}`, other.key)).status, 404)
  const reply = await world.rest('DELETE', `/api/emails/${made.id}`)
  assert.equal(reply.status, 200, reply.text)
  const { success, payment } = reply.json<{ success: boolean; payment: Made }>()
  assert.deepEqual([success, payment.id], [true, made.id])
  await world.untilStatus(made, 'completed')
  await world.settle()
  assert.deepEqual([world.fundsOf(alice), world.fundsOf(sender)], [nano('1.5'), nano('1.5')])
  assert.equal((await world.rest('DELETE', `/api/emails/${made.id}`)).status, 409)
  await assertAccounted(world, made, nano('3.1'), [alice])
})

test('a mailbox that does not exist: the sender is notified once, the others get theirs, the share comes back (contract 4.4, rule 6)', async (t) => {
  const world = await openWorld(t)
  world.mails.unknown.add('bob@example.com')
  const made = await world.open({ emails: emails.slice(0, 2), email_receipt: 'sender@example.com' })
  await world.fund(made.address, '2.1')
  await world.turnUntil(() => world.mails.received.length >= 3)
  const isFailure = ({ subject }: { subject: string }) => subject === 'An email could not be delivered'
  const [told, ...more] = world.mails.to('sender@example.com').filter(isFailure)
  assert.deepEqual(more, [])
  assert.match(told!.text, /mail to bob@example\.com could not be delivered/)
  await world.claim(codeOf(world.mails.to('alice@example.com')[0]!), alice)
  await world.rest('DELETE', `/api/emails/${made.id}`)
  await world.settle()
  assert.deepEqual([world.fundsOf(alice), world.fundsOf(sender)], [nano('1'), nano('1')])
})

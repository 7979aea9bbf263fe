import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { BURN_ADDRESS } from '../../src/kernel/nano/address.ts'
import { Signer } from '../support/blocks.ts'
import { ask } from '../support/gateway.ts'
import { type Made, type World, alice, codeOf, openWorld, sender } from './world.ts'

const nano = (text: string) => parseNano(text)!

/** What came in from outside is with the recipients, the sender, the treasury, or still in the wallet: to the raw. */
async function assertAccounted(world: World, made: Made, deposited: bigint, others: string[] = []): Promise<void> {
  const treasury = await world.gateway.app.store.db
    .selectFrom('wallets')
    .select('address')
    .where('purpose', '=', 'treasury')
    .executeTakeFirstOrThrow()
  const places = [made.address, sender, treasury.address, ...others]
  const held = places.reduce((sum, address) => sum + world.fundsOf(address), 0n)
  assert.equal(held, deposited, 'not one raw was lost or made')
}

const emails = ['alice@example.com', 'bob@example.com', 'carol@example.com']

test('three people are paid by mail: funding, mails, claims, receipts, fee, and not a raw too much (contract 1, Product areas: 6. E-mail payments; 3, E-mail payment; 4.4, rules 1, 2, 6 and 7)', async (t) => {
  const world = await openWorld(t)
  const made = await world.open({ amount: '1', emails, from: 'Zoë', email_receipt: 'sender@example.com' })
  // No mail before the money is there.
  await world.turnUntil(async () => (await world.check(made)).status === 'waiting')
  assert.deepEqual(world.mails.received, [])
  await world.fund(made.address, '1.2')
  await world.untilStatus(made, 'funded')
  await world.turnUntil(() => world.mails.received.length >= 4)
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
  assert.deepEqual(
    addresses.map((address) => world.fundsOf(address)),
    [share, share, share + 1n],
  )
  await assertAccounted(world, made, nano('1.2'), addresses)
  assert.equal(world.fundsOf(made.address), 0n)
  assert.equal(world.fundsOf(sender), 0n)
  await world.turnUntil(() => world.mails.to('sender@example.com').length >= 4)
  assert.deepEqual(
    world.mails
      .to('sender@example.com')
      .map(({ subject }) => subject.replace(/^\S+ nano/, 'x'))
      .toSorted(),
    ['Your e-mail payment is funded', 'x claimed', 'x claimed', 'x claimed'],
  )
  const check = await world.check(made)
  assert.deepEqual(check.recipients, { queued: 0, sent: 0, claimed: 3, refunded: 0 })
})

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

test('funded late: what comes after the end goes back by itself (contract 3, rule 12; 4.4, rules 5 and 7)', async (t) => {
  const world = await openWorld(t)
  const made = await world.open()
  world.clock.advance(86_399_000)
  assert.equal((await world.check(made)).status, 'waiting')
  world.clock.advance(1_000)
  await world.untilStatus(made, 'expired')
  await world.settle()
  await world.fund(made.address, '2')
  await world.turnUntil(() => world.fundsOf(sender) === nano('2'))
  assert.deepEqual(world.mails.received, [])
  await assertAccounted(world, made, nano('2'))
})

test('what nobody claims goes back at expiry, and the sender is told (contract 3, E-mail payment; 3, rule 13; 4.4, rules 5 and 6)', async (t) => {
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
  assert.deepEqual([world.fundsOf(alice), world.fundsOf(sender)], [nano('1'), nano('1')])
  await assertAccounted(world, made, nano('2.1'), [alice])
  const late = await world.claim(codeOf(world.mails.to(emails[1]!)[0]!), alice)
  assert.deepEqual([late.status, late.json().code], [409, 'conflict'])
  await world.turnUntil(() => world.mails.to('sender@example.com').length >= 3)
  const texts = world.mails.to('sender@example.com').map(({ text }) => text.replaceAll('\n', ' '))
  assert.ok(texts.some((text) => /1 nano was claimed; 1 nano goes to nano_/.test(text)))
})

test('funded in pieces that are too small to be received: all of them go back when the day is over', async (t) => {
  const world = await openWorld(t, { WALLET_RECEIVE_MIN_NANO: '1' })
  const made = await world.open()
  for (let piece = 0; piece < 4; piece++) await world.fund(made.address, '0.5')
  await world.letExpire(made)
  await world.untilStatus(made, 'expired')
  await world.turnUntil(() => world.fundsOf(sender) === nano('2'))
  assert.deepEqual(world.mails.received, [])
  await assertAccounted(world, made, nano('2'))
})

async function fundedForAlice(t: TestContext, fields: object = {}, env?: Record<string, string>) {
  const world = await openWorld(t, env)
  const made = await world.open({ email_receipt: 'sender@example.com', ...fields })
  await world.fund(made.address, BigInt(made.amount_raw) as never)
  await world.turnUntil(() => world.mails.received.length >= 1 + made.emails.length)
  return { world, made, code: codeOf(world.mails.to('alice@example.com')[0]!) }
}

const decline = ({ gateway }: World, code: string) =>
  ask(`${gateway.url}/claim/decline`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })

test('who does not want it sends it back, and gets no more such mails (contract 4.4, rule 9)', async (t) => {
  const { world, made, code } = await fundedForAlice(t)
  const burnt = await world.claim(code, BURN_ADDRESS)
  assert.deepEqual([burnt.status, burnt.json().field], [400, 'address'])
  const reply = await decline(world, code)
  assert.equal(reply.status, 200, reply.text)
  await world.untilStatus(made, 'completed')
  await world.settle()
  assert.equal(world.fundsOf(sender), nano('2'))
  assert.equal((await world.claim(code, alice)).status, 409)
  const again = await world.call({
    refund_address: sender,
    amount: '2',
    emails: ['b@example.com', 'Alice@Example.com'],
  })
  assert.deepEqual([again.status, again.json().field], [403, 'emails[1]'])
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
  assert.ok(subjects.includes('An e-mail payment was declined'), subjects.join())
  assert.deepEqual(world.mails.to('alice+x@example.com'), [])
})

test('declined and claimed at the same moment: it is one of the two, and everybody is told which', async (t) => {
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

test('nobody can have a stranger flooded with receipts: beyond those of a day they wait (contract 4.4, rule 10)', async (t) => {
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

test('a sender cancels: claimed stays claimed, the rest goes back now; a stranger cancels nothing (contract 4.4, rule 11)', async (t) => {
  const { world, made, code } = await fundedForAlice(t, { emails: emails.slice(0, 2), amount: '3' })
  await world.claim(code, alice)
  const other = await world.join()
  assert.equal((await world.rest('DELETE', `/api/emails/${made.id}`, other.key)).status, 404)
  const reply = await world.rest('DELETE', `/api/emails/${made.id}`)
  assert.equal(reply.status, 200, reply.text)
  await world.untilStatus(made, 'completed')
  await world.settle()
  assert.deepEqual([world.fundsOf(alice), world.fundsOf(sender)], [nano('1.5'), nano('1.5')])
  assert.equal((await world.rest('DELETE', `/api/emails/${made.id}`)).status, 409)
  await assertAccounted(world, made, nano('3.1'), [alice])
})

test('a payment that was cancelled before it was funded takes no money any more', async (t) => {
  const world = await openWorld(t)
  const made = await world.open()
  assert.equal(
    (await world.rest('DELETE', `/api/emails/${made.id}`)).json<{ payment: Made }>().payment.status,
    'expired',
  )
  await world.fund(made.address, '2')
  await world.turnUntil(() => world.fundsOf(sender) === nano('2'))
  assert.deepEqual(world.mails.received, [])
})

test('a mailbox that does not exist: the sender is told once, the others get theirs, the share comes back (contract 4.4, rule 6)', async (t) => {
  const world = await openWorld(t)
  world.mails.unknown.add('bob@example.com')
  const made = await world.open({ emails: emails.slice(0, 2), email_receipt: 'sender@example.com' })
  await world.fund(made.address, '2.1')
  await world.turnUntil(() => world.mails.received.length >= 3)
  const told = world.mails.to('sender@example.com').filter(({ subject }) => subject === 'A mail could not be delivered')
  assert.equal(told.length, 1)
  assert.match(told[0]!.text, /mail to bob@example\.com could not be delivered/)
  await world.claim(codeOf(world.mails.to('alice@example.com')[0]!), alice)
  await world.rest('DELETE', `/api/emails/${made.id}`)
  await world.settle()
  assert.deepEqual([world.fundsOf(alice), world.fundsOf(sender)], [nano('1'), nano('1')])
})

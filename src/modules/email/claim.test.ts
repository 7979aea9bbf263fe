import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNano } from '../../kernel/money.ts'
import { ask, openGateway, sharedKeys } from '../../../test/support/gateway.ts'
import { createDatabase } from '../../../test/support/postgres.ts'
import { alice, codeOf, mallory, openFunded, openWorld, submit } from '../../../test/support/email-steps.ts'

const nano = (text: string) => parseNano(text)!

test('“funded” and “completed” are true on every instance that says so: the code opens its share, and the money is there (contract 4.6, rule 11)', async (t) => {
  const shared = { ...sharedKeys(), DATABASE_URL: await createDatabase() }
  const world = await openWorld(t, shared)
  const { rpcUrl, wsUrl } = world.gateway.app.devnet!
  const nodes = { NODE_URLS: rpcUrl, NODE_WS_URLS: wsUrl, NODE_NETWORK: 'dev' }
  // Either instance may send the mail.
  const second = await openGateway(t, { ...shared, ...nodes, SMTP_URL: world.mails.url }, world.clock)
  const statusThere = async (id: string) =>
    (await ask(`${second.url}/email/${id}/check`, { method: 'GET' })).json().status
  const waitingThere = async () =>
    (await second.call('receivable', { account: alice, source: true })).json<{ blocks: object }>().blocks
  // That instance has cached this account as one that nothing waits for.
  assert.deepEqual(Object.keys(await waitingThere()), [])
  const made = await world.open()
  await world.fund(made.address, nano('2'))
  await world.turnUntil(async () => world.mails.received.length > 0 && (await statusThere(made.id)) === 'funded')
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ code: codeOf(world.mails.received[0]!) })
  const look = await ask(`${second.url}/claim`, { headers, body })
  assert.deepEqual([look.status, look.json().amount_raw], [200, `${nano('2')}`])
  assert.equal((await world.claim(codeOf(world.mails.received[0]!), alice)).status, 200)
  await world.turnUntil(async () => (await statusThere(made.id)) === 'completed')
  await world.gateway.confirmed()
  assert.equal(Object.keys(await waitingThere()).length, 1)
})

test('a claim that was taken is paid, also when the time is over before its block has left', async (t) => {
  const { world, made, code } = await openFunded(t, {}, { WALLET_SENDS: 'false', WALLET_WAIT_MS: '0' })
  const kept = await world.claim(code, alice)
  assert.deepEqual([kept.status, kept.json().status, kept.json().hash], [200, 'claimed', undefined])
  assert.match((await submit(world, { code, address: alice })).text, /Claim received/)
  await world.letExpire(made)
  await world.untilStatus(made, 'completed')
  // Sends were stopped. Payments promised before are made first, and nothing is left to refund.
  const sends = world.gateway.app.store.db.selectFrom('wallet_blocks').where('kind', '=', 'send')
  const blocks = await sends.select(['destination', 'amount_raw', 'status']).execute()
  assert.deepEqual(blocks, [{ destination: alice, amount_raw: made.amount_raw, status: 'queued' }])
})

test('guessing codes is slowed down, and a wrong one reveals nothing', async (t) => {
  const { world, code } = await openFunded(t)
  const statuses = new Map<number, number>()
  for (let guess = 0; guess < 40; guess++) {
    const { status } = await world.claim(`${'A'.repeat(41)}${String(guess).padStart(2, '0')}`, mallory)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  assert.deepEqual([statuses.get(404), statuses.get(429)], [30, 10])
  const slow = await submit(world, { code })
  assert.deepEqual([slow.status, slow.headers['content-type']], [429, 'text/html; charset=utf-8'])
  world.clock.advance(60_000)
  for (const wrong of ['', 'short', `${code}A`, code.slice(1), { code }, null]) {
    const reply = await ask(`${world.gateway.url}/claim`, { body: JSON.stringify({ code: wrong, address: mallory }) })
    assert.equal(reply.status, 404, reply.text)
  }
})

test('a mail server is down for an hour: every mail arrives once', async (t) => {
  const world = await openWorld(t)
  world.mails.down = true
  const made = await world.open({ emails: ['alice@example.com', 'bob@example.com'], email_receipt: 'c@example.com' })
  await world.fund(made.address, '2.1')
  await world.untilStatus(made, 'funded')
  const { db } = world.gateway.app.store
  const mailing = () =>
    db.selectFrom('jobs').select(['attempts', 'status']).where('kind', 'in', ['email.invite', 'email.tell']).execute()
  // Ten minutes are longer than the first pauses, so each step brings another attempt for every mail. The clock is only
  // advanced while no attempt is running: one that takes longer than its lease would run twice.
  for (let failures = 1; failures <= 6; failures++) {
    if (failures > 1) world.clock.advance(600_000)
    await world.turnUntil(async () => {
      const jobs = await mailing()
      return jobs.length === 3 && jobs.every(({ attempts, status }) => attempts >= failures && status === 'ready')
    })
  }
  assert.deepEqual(world.mails.received, [])
  assert.deepEqual((await world.check(made)).recipients, { queued: 2, sent: 0, claimed: 0, refunded: 0 })
  world.mails.down = false
  world.clock.advance(600_000)
  await world.turnUntil(() => world.mails.received.length >= 3)
  await world.turnUntil(async () => JSON.stringify((await world.check(made)).recipients).includes('"sent":2'))
  const recipients = world.mails.received.flatMap(({ to }) => to).toSorted()
  assert.deepEqual(recipients, ['alice@example.com', 'bob@example.com', 'c@example.com'])
})

test('a reply of the mail server that is lost: the second mail has the same id, and both codes open one share', async (t) => {
  const world = await openWorld(t)
  world.mails.silences = 1
  const made = await world.open()
  await world.fund(made.address, '2')
  await world.turnUntil(() => world.mails.received.length >= 2)
  const [first, second] = world.mails.received
  assert.equal(first!.messageId, second!.messageId)
  assert.notEqual(codeOf(first!), codeOf(second!))
  const paid = await world.claim(codeOf(first!), alice)
  assert.equal(paid.status, 200)
  assert.equal((await world.claim(codeOf(second!), alice)).json().hash, paid.json().hash)
  assert.equal((await world.claim(codeOf(second!), mallory)).status, 409)
  assert.equal(world.fundsOf(alice), nano('2'))
})

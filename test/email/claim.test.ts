import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { dumpStore } from '../accounts/world.ts'
import { Signer } from '../support/blocks.ts'
import { turningWhenStuck } from '../support/clock.ts'
import { ask } from '../support/gateway.ts'
import { type World, alice, codeOf, mallory, openWorld, sender } from './world.ts'

const nano = (text: string) => parseNano(text)!
const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }

async function openFunded(t: TestContext, fields: object = {}, env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  const made = await world.open(fields)
  await world.fund(made.address, BigInt(made.amount_raw) as never)
  // The mail is there a moment before its server has said so.
  await world.turnUntil(async () => {
    const { recipients } = await world.check(made)
    return (recipients as { sent: number } | undefined)?.sent === made.emails.length
  })
  return { world, made, code: codeOf(world.mails.received[0]!) }
}

/** A browser without scripts. */
const submit = ({ gateway, clock }: World, fields: Record<string, string>, path = '/claim') =>
  turningWhenStuck(clock, ask(`${gateway.url}${path}`, { headers: FORM, body: new URLSearchParams(fields).toString() }))

test('the mail says who, how much, until when and from where, and carries nothing from elsewhere (contract 4.4, rules 4 and 8)', async (t) => {
  const message = 'Hi <b>Alice</b> & "friends"\nsecond line'
  const { world, made, code } = await openFunded(t, { from: 'Bank </p><script>', message })
  const [mail] = world.mails.received
  assert.equal(mail!.subject, 'You have been sent 2 nano')
  assert.equal(mail!.from, 'noreply@gateway.test')
  assert.match(mail!.data, /^From: "nano-gateway" <noreply@gateway\.test>\r$/m)
  for (const text of [mail!.text, mail!.html]) {
    assert.match(text, /2 nano/)
    assert.match(text, /This name is not verified/)
    assert.match(text, /15 December 2026/)
    assert.ok(text.includes(new URL(world.gateway.url).host))
    assert.ok(text.includes(`${world.gateway.url}/claim#${code}`))
    assert.ok(text.includes(`${world.gateway.url}/claim/decline#${code}`))
  }
  assert.match(mail!.text, /^> Hi <b>Alice<\/b> & "friends"\n> second line$/m)
  assert.match(mail!.html, /Hi &lt;b>Alice&lt;\/b> &amp; &quot;friends&quot;/)
  // Nothing is loaded, and every link is ours.
  assert.doesNotMatch(mail!.html, /<(img|script|link|iframe|style|form)\b|url\(|\bsrc=/i)
  const links = [...mail!.html.matchAll(/href="([^"]+)"/g)].map(([, link]) => new URL(link!).origin)
  assert.deepEqual(new Set(links), new Set([world.gateway.url]))
  // Whoever has the store or the log cannot claim.
  const dump = JSON.stringify(await dumpStore(world.gateway.app.store.db))
  await world.claim(code)
  assert.ok(!dump.includes(code) && !world.gateway.log().includes(code))
  assert.equal((await world.check(made)).status, 'funded')
})

test('opening claims nothing: any number of GET and HEAD leaves the share as it is (contract 4.4, rule 4)', async (t) => {
  const { world, code } = await openFunded(t)
  for (const path of ['/claim', '/claim/decline', `/claim?code=${code}&address=${mallory}`]) {
    for (const method of ['GET', 'HEAD']) {
      const reply = await ask(`${world.gateway.url}${path}`, { method, headers: { accept: 'text/html' } })
      assert.equal(reply.status, 200)
      assert.ok(!reply.text.includes(code))
      const policy = reply.headers['content-security-policy'] as string
      assert.match(policy, /^default-src 'none'; script-src 'self'/)
      assert.doesNotMatch(policy, /unsafe|https?:/)
      assert.deepEqual([reply.headers['referrer-policy'], reply.headers['cache-control']], ['no-referrer', 'no-store'])
    }
  }
  assert.equal((await world.claim(code)).json().status, 'sent')
})

test('without scripts: the code is typed, the share is shown, an address gets it, and again the same block (contract 4.4, rule 9)', async (t) => {
  const { world, code } = await openFunded(
    t,
    { from: 'Bob', message: 'Thanks' },
    { KNOWN_NAMES: JSON.stringify({ alice }) },
  )
  const unknown = await submit(world, { code: 'x'.repeat(43) })
  assert.equal(unknown.status, 404)
  assert.match(unknown.text, /role="alert"[^>]*>This code opens nothing/)
  // People paste whole links, with spaces around them.
  const shown = await submit(world, { code: ` ${world.gateway.url}/claim#${code} ` })
  assert.equal(shown.status, 200)
  for (const words of [/<strong>2<\/strong> nano/, /“Bob”/, /not verified/, /Thanks/]) assert.match(shown.text, words)
  for (const [address, text] of [
    ['nano_wrong', 'This is no Nano address'],
    ['@nobody', 'Username not found'],
  ] as const) {
    const wrong = await submit(world, { code, address })
    assert.deepEqual([wrong.status, wrong.text.includes(text)], [400, true])
    assert.ok(wrong.text.includes(`value="${address}"`))
  }
  const paid = await submit(world, { code, address: '@Alice' })
  assert.equal(paid.status, 200, paid.text)
  const [, hash] = /<code>([0-9A-F]{64})<\/code>/.exec(paid.text)!
  assert.equal(world.fundsOf(alice), nano('2'))
  assert.ok((await submit(world, { code, address: alice })).text.includes(hash!))
  const other = await submit(world, { code, address: mallory })
  assert.deepEqual([other.status, other.text.includes('claimed already')], [409, true])
  assert.ok(!other.text.includes(alice))
  assert.equal(world.fundsOf(mallory), 0n)
})

test('one link in many browsers at once: one send (contract 4.4, rule 4)', async (t) => {
  const { world, made, code } = await openFunded(t)
  const addresses = Array.from({ length: 12 }, (_, at) => new Signer(900 + at).address)
  const replies = await Promise.all(addresses.map((address) => world.claim(code, address)))
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, ...Array.from({ length: 11 }, () => 409)])
  const winner = addresses[replies.findIndex(({ status }) => status === 200)]!
  assert.equal(world.fundsOf(winner), nano('2'))
  await world.untilStatus(made, 'completed')
  await world.settle()
  const total = addresses.reduce((sum, address) => sum + world.fundsOf(address), 0n)
  assert.deepEqual([total, world.fundsOf(made.address), world.fundsOf(sender)], [nano('2'), 0n, 0n])
})

test('a claim that was taken is paid, also when the time is over before its block has left', async (t) => {
  const { world, made, code } = await openFunded(t, {}, { WALLET_SENDS: 'false', WALLET_WAIT_MS: '0' })
  const kept = await world.claim(code, alice)
  assert.deepEqual([kept.status, kept.json().status, kept.json().hash], [200, 'claimed', undefined])
  assert.match((await submit(world, { code, address: alice })).text, /Your claim is kept/)
  await world.letExpire(made)
  await world.untilStatus(made, 'completed')
  // Sends were stopped; what was promised before is paid first, and nothing is left to refund.
  const blocks = await world.gateway.app.store.db
    .selectFrom('wallet_blocks')
    .select(['destination', 'amount_raw', 'status'])
    .where('kind', '=', 'send')
    .execute()
  assert.deepEqual(blocks, [{ destination: alice, amount_raw: made.amount_raw, status: 'queued' }])
})

test('guessing codes is slowed down, and a wrong one tells nothing', async (t) => {
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

test('an address gets its mails of the day and no more, however it is spelled; the rest waits and nothing is lost (contract 4.4, rule 10; 8, Other areas: emails)', async (t) => {
  const world = await openWorld(t, { EMAIL_MAILS_PER_ADDRESS_MAX: '1' })
  const [first, second] = [
    await world.open({ amount: '1' }),
    await world.open({ amount: '1', emails: ['Alice+2@Example.com'] }),
  ]
  for (const made of [first, second]) await world.fund(made.address, '1')
  await world.untilStatus(first, 'funded')
  await world.untilStatus(second, 'funded')
  const { db } = world.gateway.app.store
  const jobs = () => db.selectFrom('jobs').selectAll().where('kind', '=', 'email.invite').execute()
  await world.turnUntil(async () =>
    (await jobs()).some(({ last_error: error }) => /as many mails today/.test(error ?? '')),
  )
  await world.turnUntil(() => world.mails.received.length > 0)
  assert.equal(world.mails.received.length, 1)
  const refused = await world.call({ refund_address: sender, amount: '1', emails: ['alice+3@example.com'] })
  assert.deepEqual([refused.status, refused.json().field], [429, 'emails[0]'])
  // Tomorrow.
  await db.updateTable('free_uses').set({ ends_at: world.clock.now() }).execute()
  await world.turnUntil(() => world.mails.received.length >= 2)
})

test('a mail server that is away for an hour: every mail arrives, once', async (t) => {
  const world = await openWorld(t)
  world.mails.down = true
  const made = await world.open({ emails: ['alice@example.com', 'bob@example.com'], email_receipt: 'c@example.com' })
  await world.fund(made.address, '2.1')
  await world.untilStatus(made, 'funded')
  const { db } = world.gateway.app.store
  const mailing = () =>
    db.selectFrom('jobs').select(['attempts', 'status']).where('kind', 'in', ['email.invite', 'email.tell']).execute()
  // Ten minutes are longer than any of the first pauses, so that each of them brings another attempt of every mail.
  for (let failures = 1; failures <= 6; failures++) {
    await world.turnUntil(async () =>
      (await mailing()).every(({ attempts, status }) => attempts >= failures && status === 'ready'),
    )
    world.clock.advance(600_000)
  }
  assert.deepEqual(world.mails.received, [])
  assert.deepEqual((await world.check(made)).recipients, { queued: 2, sent: 0, claimed: 0, refunded: 0 })
  world.mails.down = false
  world.clock.advance(600_000)
  await world.turnUntil(() => world.mails.received.length >= 3)
  await world.turnUntil(async () => JSON.stringify((await world.check(made)).recipients).includes('"sent":2'))
  assert.deepEqual(world.mails.received.flatMap(({ to }) => to).toSorted(), [
    'alice@example.com',
    'bob@example.com',
    'c@example.com',
  ])
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

test('a clock that jumps beyond the end loses nothing, and in time everybody is forgotten (contract 3, rule 13; 8, Other areas: names and addresses)', async (t) => {
  const { world, made, code } = await openFunded(t, { expiration: '1 day' })
  // Leases, deadlines and jobs all run out together, and the share goes back.
  world.clock.advance(2 * 86_400_000)
  await world.untilStatus(made, 'completed')
  await world.settle()
  assert.equal((await world.claim(code, alice)).status, 409)
  assert.deepEqual([world.fundsOf(alice), world.fundsOf(sender)], [0n, nano('2')])
  // Ninety days later nobody knows any more who it was for.
  const { db } = world.gateway.app.store
  const longAgo = world.clock.now() - 91 * 86_400_000
  await db.updateTable('email_payments').set({ ended_at: longAgo }).execute()
  world.clock.advance(3_600_000)
  await world.turnUntil(async () => {
    const rows = await db.selectFrom('email_recipients').select(['email', 'email_hash']).execute()
    return rows.every(({ email, email_hash: hash }) => email === null && hash === null)
  })
  assert.equal((await world.claim(code, alice)).status, 404)
  assert.equal((await world.rest('GET', `/api/emails/${made.id}`)).status, 200)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nano } from '../support/checkout-steps.ts'
import { dumpStore } from '../support/dump-store.ts'
import { ask } from '../support/gateway.ts'
import { alice, codeOf, mallory, openFunded, openWorld, sender, submit } from '../support/email-steps.ts'

/* Contract 4.4: the mail, its link, and claims. */

test('the mail says who, how much, until when and from where, carries nothing from elsewhere, and opening its link claims nothing (contract 4.4, rules 4, 7, 8 and 12; 4.4, nano_email: from, message)', async (t) => {
  const message = 'Hi <b>Alice</b> & "friends"\nsecond line'
  const { world, made, code } = await openFunded(t, { from: 'Bank </p><script>', message })
  const [mail] = world.mails.received
  assert.equal(mail!.subject, 'You received 2 nano')
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
  // The mail loads nothing, and every link goes to the gateway.
  assert.doesNotMatch(mail!.html, /<(img|script|link|iframe|style|form)\b|url\(|\bsrc=/i)
  const links = [...mail!.html.matchAll(/href="([^"]+)"/g)].map(([, link]) => new URL(link!).origin)
  assert.deepEqual(new Set(links), new Set([world.gateway.url]))
  // The store and the log do not contain the claim code.
  const dump = JSON.stringify(await dumpStore(world.gateway.app.store.db))
  await world.claim(code)
  assert.ok(!dump.includes(code) && !world.gateway.log().includes(code))
  assert.equal(Buffer.from(code, 'base64url').length, 32, 'a token of 256 bits')
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
  // Opening the link shows the share and does not change it.
  const { id, ...share } = (await world.claim(code)).json<Record<string, unknown>>()
  assert.equal(typeof id, 'string')
  const said = { from: 'Bank </p><script>', from_verified: false, message }
  const expires_unix = Math.floor(Number((await world.check(made)).expires_unix))
  assert.deepEqual(share, { status: 'sent', amount_raw: `${nano('2')}`, ...said, expires_unix })
  assert.equal((await world.check(made)).status, 'funded')
})

test('without scripts: the code is typed, the share is shown, an address gets it, and again the same block (contract 4.4, rules 9 and 12)', async (t) => {
  const names = { KNOWN_NAMES: JSON.stringify({ alice }) }
  const { world, code } = await openFunded(t, { from: 'Bob', message: 'Thanks' }, names)
  const unknown = await submit(world, { code: 'x'.repeat(43) })
  assert.equal(unknown.status, 404)
  assert.match(unknown.text, /role="alert"[^>]*>This code is not valid/)
  // People paste whole links, with spaces around them.
  const shown = await submit(world, { code: ` ${world.gateway.url}/claim#${code} ` })
  assert.equal(shown.status, 200)
  for (const words of [/<strong>2<\/strong> nano/, /“Bob”/, /not verified/, /Thanks/]) assert.match(shown.text, words)
  const texts = { nano_wrong: 'This is not a Nano address', '@nobody': 'or a known username' }
  for (const [address, text] of Object.entries(texts)) {
    const wrong = await submit(world, { code, address })
    assert.deepEqual([wrong.status, wrong.text.includes(text)], [400, true])
    assert.ok(wrong.text.includes(`value="${address}"`))
  }
  const paid = await submit(world, { code, address: '@Alice' })
  assert.equal(paid.status, 200, paid.text)
  const [, hash] = /<code>([0-9A-F]{64})<\/code>/.exec(paid.text)!
  assert.equal(world.fundsOf(alice), nano('2'))
  assert.ok((await submit(world, { code, address: alice })).text.includes(hash!))
  const told = (await world.claim(code, alice)).json()
  assert.deepEqual([told.status, told.hash, told.block!.endsWith(hash!)], ['claimed', hash, true])
  const other = await submit(world, { code, address: mallory })
  assert.deepEqual([other.status, other.text.includes('already claimed')], [409, true])
  assert.ok(!other.text.includes(alice))
  assert.equal(world.fundsOf(mallory), 0n)
})

test('an address gets five mails a day, however it is spelled; the next payment is refused, a funded one waits, and nothing is lost (contract 4.4, rule 10; 8, Other areas: emails)', async (t) => {
  const world = await openWorld(t)
  const spellings = ['alice', 'Alice', 'alice+1', 'ALICE+2', 'alice+3', 'alice+4'].map((name) => `${name}@Example.com`)
  const payments = await Promise.all(spellings.map((email) => world.open({ amount: '1', emails: [email] })))
  for (const made of payments) await world.fund(made.address, '1')
  for (const made of payments) await world.untilStatus(made, 'funded')
  const { db } = world.gateway.app.store
  const jobs = () => db.selectFrom('jobs').selectAll().where('kind', '=', 'email.invite').execute()
  await world.turnUntil(async () =>
    (await jobs()).some(({ last_error: error }) => /daily email limit/.test(error ?? '')),
  )
  await world.turnUntil(() => world.mails.received.length >= 5)
  const refused = await world.call({ refund_address: sender, amount: '1', emails: ['alice+9@example.com'] })
  assert.deepEqual([refused.status, refused.json().field], [429, 'emails[0]'])
  assert.ok(Number(refused.headers['retry-after']) > 80_000)
  assert.equal(world.mails.received.length, 5)
  // Tomorrow.
  world.clock.leap(86_400_000)
  await world.turnUntil(() => world.mails.received.length >= 6)
  assert.equal(new Set(world.mails.received.map(codeOf)).size, 6)
})

test('a clock that jumps beyond the end loses nothing, and all personal data is erased in time (contract 3, rule 13; 8, Other areas: names and addresses)', async (t) => {
  const { world, made, code } = await openFunded(t, { expiration: '1 day' })
  // Leases, deadlines and jobs all expire together, and the share is refunded.
  world.clock.advance(2 * 86_400_000)
  await world.untilStatus(made, 'completed')
  await world.settle()
  assert.equal((await world.claim(code, alice)).status, 409)
  assert.deepEqual([world.fundsOf(alice), world.fundsOf(sender)], [0n, nano('2')])
  // Ninety days later the recipient's address is erased.
  const { db } = world.gateway.app.store
  const almost = world.clock.now() - 90 * 86_400_000 + 3_600_000
  await db.updateTable('email_payments').set({ ended_at: almost }).execute()
  assert.equal((await world.claim(code, alice)).status, 409)
  world.clock.advance(3_600_000)
  await world.turnUntil(async () => {
    const rows = await db.selectFrom('email_recipients').select(['email', 'email_hash']).execute()
    return rows.every(({ email, email_hash: hash }) => email === null && hash === null)
  })
  assert.equal((await world.claim(code, alice)).status, 404)
  assert.equal((await world.rest('GET', `/api/emails/${made.id}`)).status, 200)
})

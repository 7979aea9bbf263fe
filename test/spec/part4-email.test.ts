import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BURN_ADDRESS, fromAddress } from '../../src/kernel/nano/address.ts'
import { ask, bearer } from '../support/gateway.ts'
import { openWorld, sender } from '../support/email-steps.ts'
import { readQr } from '../support/read-qr.ts'
import { assertNamed, wrongIn } from '../support/wrong-fields.ts'
import { row } from './row.ts'

const GOOD = { refund_address: sender, amount: '1', emails: ['alice@example.com', 'bob@example.com'] }

test('nano_email', async (t) => {
  const world = await openWorld(t, { EMAIL_RECIPIENTS_PER_DAY_MAX: '0' })

  await t.test(
    '200 with every field of the contract in its type, and one integer behind amount, link and QR code (contract 4.4, rules 1, 2 and 3; 8, Other areas: service_fee, funding)',
    async () => {
      const texts = { message: 'Thank you!', from: 'Bob', email_receipt: 'bob@example.com', expiration: '45 days' }
      const made = await world.open({ ...GOOD, amount: '1.000000000000000000000000000001', ...texts })
      const { id, address, qrcode, link } = made
      assert.match(id, /^[0-9a-f]{16}$/)
      assert.ok(fromAddress(address))
      const raw = '1100000000000000000000000000001'
      const now = world.clock.now()
      row(
        '2, Email payment: id, address, browser, check, subtotal, service_fee, amount, amount_raw, special_message, link, emails[], refund_address, status, expiration, expires_unix, created_at',
        () =>
          assert.deepEqual(made, {
            ...{ id, address, qrcode, link: `nano:${address}?amount=${raw}` },
            ...{ browser: `${world.gateway.url}/email/${id}`, check: `${world.gateway.url}/email/${id}/check` },
            ...{ subtotal: 1, service_fee: 0.1, amount: 1.1, amount_raw: raw, special_message: 'Thank you!' },
            emails: [
              { email: 'alice@example.com', amount: 0.5, amount_raw: '500000000000000000000000000000' },
              { email: 'bob@example.com', amount: 0.5, amount_raw: '500000000000000000000000000001' },
            ],
            ...{ refund_address: sender, status: 'waiting', expiration: 'in 2 months' },
            ...{ expires_unix: now / 1000 + 86_400, created_at: now },
          }),
      )
      row('2, Email payment: qrcode', () => assert.equal(readQr(qrcode), link))
      const wallets = world.gateway.app.store.db.selectFrom('wallets').select('purpose').where('address', '=', address)
      assert.deepEqual(await wallets.execute(), [{ purpose: 'email' }])
      const [bare, single] = [
        await world.open({ emails: 'alice@example.com', amount: 2 }),
        await world.open({ emails: undefined, email: 'alice@example.com', amount: 2 }),
      ]
      assert.deepEqual([bare.subtotal, bare.service_fee, bare.special_message], [2, 0, ''])
      row('4.4, nano_email: expiration', () =>
        assert.deepEqual([made.expiration, bare.expiration], ['in 2 months', 'in 1 month']),
      )
      row('4.4, nano_email: emails[]', () => {
        const alone = [{ email: 'alice@example.com', amount: 2, amount_raw: '2000000000000000000000000000000' }]
        assert.deepEqual([bare.emails, single.emails], [alone, alone])
      })
    },
  )

  await t.test(
    'the check tells anybody how the funding stands, and nobody who the recipients are (contract 4.6, rule 1)',
    async () => {
      const made = await world.open({ ...GOOD, from: 'Bob' })
      for (const method of ['GET', 'POST']) {
        const reply = await ask(made.check.replace(made.id, made.id.toUpperCase()), { method })
        assert.equal(reply.status, 200)
        const { browser, ...check } = reply.json<Record<string, unknown>>()
        assert.equal(browser, made.browser)
        const { id, address, amount_raw: raw } = made
        assert.deepEqual(check, {
          ...{ id, status: 'waiting', success: false, address, json: made.check },
          ...{ amount: '1.1', amount_raw: raw, amount_paid: '0', amount_paid_raw: '0', amount_due_raw: raw },
          expires_unix: world.clock.now() / 1000 + 86_400,
        })
      }
      const page = await ask(made.browser, { method: 'GET', headers: { accept: 'text/html' } })
      assert.doesNotMatch(page.text, /alice|bob@/i)
      assert.match(page.text, new RegExp(made.address))
      assert.equal((await ask(`${world.gateway.url}/email/0000000000000000/check`, { method: 'GET' })).status, 404)
    },
  )

  await t.test(
    '400 for wrong input, by the name of the field (contract 4.4, rule 8; 8, Other areas: emails, from, message, smallest share)',
    async () => {
      const many = Array.from({ length: 51 }, (_, at) => `a${at}@example.com`)
      const second = (...entries: unknown[]) =>
        ['emails[1]', ...entries.map((entry) => ({ emails: ['ok@example.com', entry] }))] as const
      await assertNamed(
        (fields) => world.call({ ...GOOD, ...fields }),
        [
          wrongIn('refund_address', 'nano_wrong', undefined, '@nobody', BURN_ADDRESS),
          wrongIn('amount', '0', '-1', '1e', '0.000001', '340282366.920938463463374607431768211455', undefined),
          // Two shares, one of which is a raw too small.
          wrongIn('amount', '0.000001999999999999999999999999'),
          wrongIn('emails', [], undefined, { a: 1 }, many),
          second(1, '', 'OK@EXAMPLE.com', 'alice', 'alice@localhost', 'alice@127.0.0.1', 'alice@[127.0.0.1]'),
          second('alice@①②⑦.0.0.1', 'alice@ｅxample.com', 'a@b@example.com', 'a..b@example.com', '.a@example.com'),
          second('a@example..com', 'a@-example.com', 'a%evil.example@example.com', 'evil.example!a@example.com'),
          second('"a b"@example.com', 'a@example.com,b@example.com', 'a@example.com;b@example.com'),
          second('Alice <a@example.com>', 'a@example.com\r\nBcc: b@example.com', 'a\n@example.com'),
          second('a@example.com\u0000', 'a\u202e@example.com', `${'a'.repeat(65)}@example.com`),
          second(`a@${'b'.repeat(64)}.com`),
          wrongIn('email_receipt', 'a@example.com, b@example.com', 'a@example.com\nBcc: x@example.com'),
          wrongIn('from', 'a\r\nBcc: b@example.com', 'a\u0000', 'x'.repeat(61), 'paypal.com', { a: 1 }),
          wrongIn('message', 'x'.repeat(281), 'see https://evil.example', 'see evil.com now', 'see evil\u200b.com'),
          wrongIn('message', 'see evil。com', 'see evil．com', 'www.x', 'http://1.2.3.4/', 'call 10.0.0.1'),
          wrongIn('message', 'write to me@evil.example', 'nano:nano_1', 'a\u0007b'),
          wrongIn('expiration', '59 minutes', '91 days', 'soon'),
        ],
      )
      const both = { ...GOOD, email: 'carol@example.com' }
      const two = await world.gateway.call('nano_email', both, bearer(world.key))
      row('9, Synonyms: nano_email', () => assert.deepEqual([two.status, two.json().field], [400, 'email']))
      assert.equal((await world.call({ ...GOOD, expiration: '2 days', expire: '3 days' })).status, 400)
      // Values exactly at the limits are accepted.
      const longest = { from: 'x'.repeat(60), message: 'y'.repeat(280), expiration: '90 days' }
      const within = await world.open({ emails: many.slice(1), amount: '0.00005', ...longest })
      assert.deepEqual([within.emails.length, within.service_fee], [50, 4.9])
      const [shortest, usual] = [await world.open({ ...GOOD, expiration: '1 hour' }), await world.open(GOOD)]
      const lasting = [shortest, usual, within].map(({ expiration }) => expiration)
      row('8, Other areas: expiration', () => assert.deepEqual(lasting, ['in 1 hour', 'in 1 month', 'in 3 months']))
      assert.ok(within.emails.every(({ amount_raw: raw }) => raw === '1000000000000000000000000'))
    },
  )

  await t.test('names in other scripts, lines and all fair words pass (contract 4.4, rule 8)', async () => {
    const made = await world.open({
      emails: ['zoe+nano@bücher.example', "o'neil_x@Mail.Example.COM"],
      from: 'Zoë 🌻',
      message: 'Happy birthday!\nHere are 1.5 nano. See you at 5:30 @ the café… 50/50?',
      expire: '1 hour',
    })
    const spelt = made.emails.map(({ email }) => email)
    assert.deepEqual(spelt, ['zoe+nano@xn--bcher-kva.example', "o'neil_x@mail.example.com"])
    assert.equal(made.expiration, 'in 1 hour')
  })

  await t.test(
    'an account lists its own payments page by page, with masked addresses, and nobody else sees them (contract 4.4, rule 11; 8, Requests: limit of a REST list)',
    async () => {
      const { key } = await world.join()
      const made: string[] = []
      for (let count = 0; count < 5; count++) {
        made.push((await world.open(GOOD, key)).id)
        world.clock.advance(count % 2)
      }
      const listed: string[] = []
      let cursor: string | null = ''
      do {
        const reply = await world.rest('GET', `/api/emails?limit=2&cursor=${cursor}`, key)
        const page: { payments: { id: string }[]; next_cursor: string | null } = reply.json()
        listed.push(...page.payments.map(({ id }) => id))
        cursor = page.next_cursor
      } while (cursor !== null)
      assert.deepEqual(listed.toSorted(), made.toSorted())
      const one = await world.rest('GET', `/api/emails/${made[0]}`, key)
      const { recipients } = one.json<{ payment: { recipients: { email: string; status: string }[] } }>().payment
      const masked = recipients.map(({ email, status }) => `${email} ${status}`)
      assert.deepEqual(masked, ['a…@example.com queued', 'b…@example.com queued'])
      assert.equal((await world.rest('GET', `/api/emails/${made[0]}`)).status, 404)
      const countOf = async (status: string) =>
        (await world.rest('GET', `/api/emails?status=${status}`, key)).json<{ payments: object[] }>().payments.length
      assert.deepEqual([await countOf('waiting'), await countOf('funded')], [5, 0])
      assert.equal((await world.rest('GET', '/api/emails?status=nope')).status, 400)
      for (const limit of ['0', '101', '-1', 'x']) {
        assert.equal((await world.rest('GET', `/api/emails?limit=${limit}`)).status, 400)
      }
      const { limit } = (await world.rest('GET', '/api/emails')).json<{ limit: number }>()
      assert.equal(limit, 25)
    },
  )
})

test('429 beyond the 200 recipients of a day, however many requests come at once (contract 4.4, rule 10; 8, Other areas: emails)', async (t) => {
  const world = await openWorld(t)
  const people = (count: number) => Array.from({ length: count }, (_, at) => `person${at}@example.com`)
  const ask = (count: number) => world.call({ ...GOOD, emails: people(count) })
  const replies = await Promise.all([50, 50, 50, 45, 45, 45].map(ask))
  assert.equal(replies.filter(({ status }) => status === 200).length, 4)
  const refused = replies.find(({ status }) => status === 429)!
  assert.deepEqual([refused.json().field, refused.json().code], ['emails', 'too_many_requests'])
  assert.ok(Number(refused.headers['retry-after']) > 86_000)
  assert.equal(Number(refused.json().retry_after), Number(refused.headers['retry-after']))
  world.clock.advance(82_800_000)
  const later = Number((await ask(50)).headers['retry-after'])
  assert.ok(later > 0 && later <= 3_600, 'the first of them was named nearly a day ago')
  world.clock.advance(later * 1_000)
  assert.equal((await ask(50)).status, 200)
})

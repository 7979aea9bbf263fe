import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { listEvents, merchant, openWorld, payFor, turnUntil } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { enter, idIn, sendForm } from '../support/form-steps.ts'
import { ask } from '../support/gateway.ts'
import { fingerprintOf } from '../../src/modules/email/index.ts'
import { testRandom } from '../support/random.ts'
import { subscribe } from '../support/subscribe.ts'
import { assertNamed, wrongIn } from '../support/wrong-fields.ts'
import { row } from './row.ts'
import { another } from '../support/another.ts'

/* Contract 4.13: subscriptions, which payers renew themselves. */

const { address } = merchant
const PAYER = 'payer@example.com'
const DAY = 86_400_000

/** A merchant with a monthly subscription, on a clock at the end of January. */
async function openClub(t: TestContext, engine?: StoreEngine, terms: object = {}, env = {}) {
  const world = await openWorld(t, engine)
  const shop = await world.start(env)
  const { key, accountId } = await shop.join()
  const { db } = shop.app.store
  const goTo = (moment: string) => world.clock.leap(Date.parse(moment) - world.clock.now())
  goTo('2027-01-31T10:00:00Z')
  const club = { address, amount: '2', title: 'Club', every: 'month', ...terms }
  const made = await shop.rest('POST', '/api/links', key, club)
  assert.equal(made.status, 201, made.text)
  const link = made.json<{ id: string; slug: string; every: string; grace_days: number }>()
  const read = async () => (await db.selectFrom('subscriptions').selectAll().execute())[0]!
  const until = (status: string) => turnUntil(world, 30_000, async () => (await read()).status === status)
  const sent = new Map<string, { id: string; subject: string; text: string }>()
  /** All mails about the subscription except receipts; the mailbox drops old ones. */
  const mails = async () => {
    const kept = db
      .selectFrom('mails')
      .selectAll()
      .where('recipient', '=', PAYER)
      .where('subject', 'not in', ['Ihr Beleg', 'Your receipt'])
      .orderBy('created_at')
    for (const mail of await kept.execute()) sent.set(mail.id, mail)
    return [...sent.values()]
  }
  return {
    ...{ world, shop, key, accountId, db, goTo, link, read },
    order: (fields: Record<string, string> = { email: PAYER, lang: 'de' }) =>
      sendForm(`${shop.url}/buy/${link.slug}`, fields),
    pay: (id: string) => payFor(world, shop, id),
    until,
    paidUntil: async () => new Date((await read()).paid_until!).toISOString().slice(0, 10),
    mails,
    /** The link of the first mail. */
    async payerPage() {
      await until('due')
      await turnUntil(world, 500, async () => (await mails()).length === 1)
      return `${shop.url}${/\/subscriptions\/sub_\w+\/\w+/.exec((await mails())[0]!.text)![0]}`
    },
  }
}

forEachEngine((engine) => {
  test('a subscription is due, renewed and lapsed by what its payer pays, reported once each, and ended by one link (contract 4.13, rules 1 to 6; 6, Event kinds: subscription.renewed, subscription.due, subscription.lapsed; 6, rule 28)', async (t) => {
    const club = await openClub(t, engine)
    const { world, shop, key, goTo, link, read, order, pay, until, paidUntil, mails } = club
    assert.deepEqual([link.every, link.grace_days], ['month', 0])
    const offer = (await ask(`${shop.url}/buy/${link.slug}?lang=en`, { method: 'GET' })).text
    assert.match(offer, /every month[^]*name="email"/)
    for (const email of ['', 'nobody', 'a@b c', 'a@b\r\nBcc: x@y.example']) {
      const refused = await order({ email, lang: 'en' })
      row('4.13, rule 1', () => assert.deepEqual([refused.status, /id="wrong-email"/.test(refused.text)], [400, true]))
    }
    const first = idIn(await order())
    assert.equal((await read()).status, 'pending', 'nobody is written to before something is paid')
    await pay(first)
    assert.equal((await read()).status, 'active')
    assert.equal(await paidUntil(), '2027-02-28')

    goTo('2027-02-25T09:00:00Z')
    world.clock.advance(120_000)
    assert.equal((await read()).status, 'active')
    goTo('2027-02-25T10:00:30Z')
    await until('due')
    await turnUntil(world, 5_000, async () => (await mails()).length === 1)
    const [mail] = await mails()
    assert.match(mail!.subject, /^Zeit zum Verlängern: Club$/)
    const page = /https?:\/\/\S+\/subscriptions\/sub_\w+\/\w+/.exec(mail!.text)![0]
    const local = page.replace(/^https?:\/\/[^/]+/, shop.url)
    const shown = await ask(`${local}?lang=en`, { method: 'GET' })
    row('4.13, rule 5', () => {
      assert.match(shown.text, /2 nano[^]*Pay for the next period[^]*Yes, cancel it/)
      assert.equal(shown.headers['referrer-policy'], 'no-referrer')
    })
    const forged = another(local)
    assert.equal((await ask(forged, { method: 'GET' })).status, 404)
    assert.equal((await sendForm(`${forged}/end`)).status, 404)
    const second = idIn(await sendForm(`${local}/renew`))
    assert.equal(idIn(await sendForm(`${local}/renew`)), second, 'pressed twice, it is one checkout')
    await pay(second)
    // Periods are counted from the end of the last one, so that they do not drift.
    assert.deepEqual([(await read()).status, await paidUntil()], ['active', '2027-03-31'])
    // A second payment right away extends the period that follows.
    await pay(idIn(await sendForm(`${local}/renew`)))
    assert.equal(await paidUntil(), '2027-04-30')

    goTo('2027-04-27T10:01:00Z')
    await until('due')
    await turnUntil(world, 5_000, async () => (await mails()).length === 2)
    goTo('2027-04-30T10:01:00Z')
    await until('lapsed')
    await turnUntil(world, 5_000, async () => (await mails()).length === 3)
    const subjects = (await mails()).map(({ subject }) => subject)
    row('4.13, rule 4', () =>
      assert.deepEqual(subjects, ['Zeit zum Verlängern: Club', 'Zeit zum Verlängern: Club', 'Beendet: Club']),
    )
    const toldOf = async (id: string) =>
      (await listEvents(shop, id)).map(({ type }) => type).filter((type) => type.startsWith('subscription'))
    const last = (await read()).checkout_id!
    assert.deepEqual(await toldOf(first), ['subscription.renewed', 'subscription.due'])
    assert.deepEqual(await toldOf(second), ['subscription.renewed'])
    assert.deepEqual(await toldOf(last), ['subscription.renewed', 'subscription.due', 'subscription.lapsed'])
    goTo('2027-05-10T12:00:00Z')
    await pay(idIn(await sendForm(`${local}/renew`)))
    // A cancelled subscription takes no payments.
    assert.deepEqual([(await read()).status, await paidUntil()], ['active', '2027-06-10'])

    const list = await shop.rest('GET', `/api/links/${link.id}`, key)
    assert.equal(list.json<{ orders: number }>().orders, 4)
    assert.equal((await sendForm(`${local}/end`)).status, 303)
    assert.equal((await sendForm(`${local}/end`)).status, 303, 'twice is once')
    const entries = shop.ctx.db.selectFrom('audit_entries').select('actor').where('what', '=', 'subscription.ended')
    assert.deepEqual(await entries.execute(), [{ actor: 'payer' }])
    assert.equal((await read()).status, 'ended')
    assert.equal((await sendForm(`${local}/renew`)).status, 409)
    goTo('2027-06-20T12:00:00Z')
    await turnUntil(world, 30_000, async () => (await read()).email === null)
    assert.equal((await mails()).length, 3)
  })

  test('whose merchant is suspended is neither reminded nor lapsed, and has its days afterwards; grace is added to the end (contract 4.13, rules 4 and 7)', async (t) => {
    const terms = { every: '30 days', grace_days: 5, plans: [{ title: 'Gold', value: '2' }], amount: null }
    const club = await openClub(t, engine, terms)
    const { world, shop, db, accountId, goTo, read, order, pay, until, mails } = club
    await pay(idIn(await order({ email: PAYER, plan: '0' })))
    const end = (await read()).paid_until!
    assert.equal(end - (await read()).began_at!, 30 * DAY)
    const suspend = (at: number | null) =>
      db.updateTable('accounts').set({ suspended_at: at }).where('id', '=', accountId).execute()
    await suspend(1)
    goTo(new Date(end + 10 * DAY).toISOString())
    await turnUntil(world, 60_000, async () => (await read()).due_at! > world.clock.now())
    assert.equal((await read()).status, 'active')
    await suspend(null)
    goTo(new Date(world.clock.now() + 3_600_000).toISOString())
    await until('due')
    assert.ok((await read()).due_at! >= world.clock.now() + 2.9 * DAY, 'as long as others have')
    await turnUntil(world, 5_000, async () => (await mails()).length === 1)
    const page = /\/subscriptions\/sub_\w+\/\w+/.exec((await mails())[0]!.text)![0]
    await pay(idIn(await sendForm(`${shop.url}${page}/renew`)))
    assert.equal((await read()).paid_until, end + 30 * DAY, 'grace costs nobody a day')
    goTo(new Date(end + 30 * DAY).toISOString())
    await until('due')
    world.clock.advance(120_000)
    assert.equal((await read()).due_at, end + 35 * DAY)
  })

  test('a merchant’s program lists subscriptions page by page, by link and by state, and ends one; those of others are not there (contract 4.13, rule 8)', async (t) => {
    const { shop, key, accountId, link, order, pay, read } = await openClub(t, engine)
    const get = (path: string, as = key) => shop.rest('GET', `/api/subscriptions${path}`, as)
    type Listed = { subscriptions: { id: string; status: string }[]; next_cursor: string | null }
    const idsOf = async (path: string, as = key) =>
      (await get(path, as)).json<Listed>().subscriptions.map(({ id }) => id)
    const checkout = idIn(await order())
    assert.deepEqual(await idsOf(''), [], 'what was never paid for is no subscription')
    await pay(checkout)
    const { id } = await read()
    const stranger = await shop.join()
    const ctx = { db: shop.app.store.db }
    const theirs = await subscribe(ctx, stranger.accountId, { linkId: link.id })
    const lapsed = await subscribe(ctx, accountId, { status: 'lapsed' })
    const other = await subscribe(ctx, accountId)
    assert.deepEqual(await idsOf(''), [id, other, lapsed])
    assert.deepEqual(await idsOf('?limit=2'), [id, other])
    const { next_cursor: cursor } = (await get('?limit=2')).json<Listed>()
    const second = (await get(`?limit=2&cursor=${cursor}`)).json<Listed>()
    assert.deepEqual([second.subscriptions.map((one) => one.id), second.next_cursor], [[lapsed], null])
    assert.deepEqual(await idsOf(`?payment_link=${link.id}`), [id])
    assert.deepEqual(await idsOf('?status=lapsed'), [lapsed])
    assert.deepEqual(await idsOf(`?payment_link=${link.id}&status=lapsed`), [])
    for (const query of ['status=pending', 'limit=101', 'cursor=x']) {
      const refused = await get(`?${query}`)
      assert.deepEqual([refused.status, refused.json<{ field: string }>().field], [400, query.split('=')[0]])
    }
    const shown = (await get(`/${id}`)).json<Record<string, unknown>>()
    const expected = { payment_link: link.id, status: 'active', email: PAYER, periods: 1, checkout_id: checkout }
    assert.deepEqual({ ...shown, ...expected }, shown)
    assert.equal((await get(`/${theirs}`)).status, 404)
    assert.deepEqual(await idsOf('', stranger.key), [theirs])
    const end = (which: string, as = key) => shop.rest('POST', `/api/subscriptions/${which}/end`, as, {})
    assert.equal((await end(id, stranger.key)).status, 404)
    assert.equal((await read()).status, 'active')
    const ended = (await end(id)).json<{ status: string; ended_unix: number }>()
    assert.equal(ended.status, 'ended')
    assert.deepEqual((await end(id)).json(), { ...shown, ...ended }, 'twice is once')
  })
})

for (const [when, paidAt, until] of [
  ['in time', '2027-02-28T09:55:00Z', '2027-03-31'],
  ['when that was over', '2027-02-28T10:10:00Z', '2027-03-28'],
] as const) {
  test(`who ended a subscription and paid the renewal that waited, ${when}, has a whole period for it (contract 4.13, rules 3 and 6)`, async (t) => {
    const club = await openClub(t)
    const { goTo, order, pay, read } = club
    await pay(idIn(await order()))
    goTo('2027-02-25T10:01:00Z')
    const page = await club.payerPage()
    goTo('2027-02-28T09:50:00Z')
    const renewal = idIn(await sendForm(`${page}/renew`))
    assert.equal((await sendForm(`${page}/end`)).status, 303)
    goTo(paidAt)
    await pay(renewal)
    assert.deepEqual([(await read()).status, await club.paidUntil()], ['ended', until])
  })
}

test('a payer renews nothing else when what they subscribed to is not offered any more, neither another plan nor another period (contract 4.13, rule 3)', async (t) => {
  const gold = { title: 'Gold', value: '2' }
  const club = await openClub(t, undefined, { plans: [{ title: 'Silver', value: '1' }, gold], amount: null })
  const { shop, key, link, order, pay, goTo } = club
  await pay(idIn(await order({ email: PAYER, plan: '1' })))
  goTo('2027-02-25T10:01:00Z')
  const page = await club.payerPage()
  const offer = (terms: object) => shop.rest('PUT', `/api/links/${link.id}`, key, terms)
  for (const [other, back] of [
    [{ plans: [{ title: 'Silver', value: '1' }] }, { plans: [gold] }],
    [
      { plans: null, amount: '2' },
      { plans: [gold], amount: null },
    ],
    [{ every: 'year' }, { every: 'month' }],
  ]) {
    assert.equal((await offer(other!)).status, 200)
    assert.equal((await sendForm(`${page}/renew`)).status, 409, JSON.stringify(other))
    assert.equal((await offer(back!)).status, 200)
  }
  assert.equal((await sendForm(`${page}/renew`)).status, 303, 'offered again')
})

test('a payer who has asked the service for no more mail is not reminded of a subscription (contract 4.13, rule 9)', async (t) => {
  const secretKey = testRandom.bytes(32)
  const secrets = openSecretBox(secretKey, testRandom)
  const env = { SECRET_KEY: Buffer.from(secretKey).toString('base64') }
  const { world, db, order, pay, until, goTo } = await openClub(t, undefined, {}, env)
  await pay(idIn(await order({ email: 'Pay.er+club@example.com' })))
  const email_hash = fingerprintOf({ ports: { secrets } }, 'pay.er@example.com')
  await db.insertInto('email_suppressions').values({ email_hash, created_at: 1 }).execute()
  goTo('2027-02-25T10:01:00Z')
  await until('due')
  const jobs = db.selectFrom('jobs').select('status').where('kind', '=', 'links.mail-subscription')
  await turnUntil(world, 5_000, async () => (await jobs.execute()).every(({ status }) => status === 'done'))
  assert.deepEqual(await db.selectFrom('mails').select('recipient').where('subject', 'like', '%Club').execute(), [])
})

test('invalid fields of a subscription are refused by name, and only its merchant can end it (contract 4.13, rules 1 and 6)', async (t) => {
  const { shop, key, link, read, order, pay } = await openClub(t)
  await assertNamed(
    (fields) => shop.rest('POST', '/api/links', key, { address, amount: '2', every: 'month', ...fields }),
    [
      ['every', { every: 'week' }, { every: 0 }, { every: 367 }, { amount: null }],
      wrongIn('quantity', { max: 3 }),
      wrongIn('sold_max', 3),
      wrongIn('grace_days', 31),
    ],
  )
  await pay(idIn(await order()))
  const { id } = await read()
  const end = async (as: string) => {
    const cookie = await enter(shop, as)
    const own = await ask(`${shop.url}/dashboard/links`, { method: 'GET', headers: { cookie } })
    const csrf = /name="csrf" value="([^"]+)"/.exec(own.text)?.[1] ?? ''
    const path = `${shop.url}/dashboard/links/${link.id}/subscriptions/${id}/end`
    return sendForm(path, { csrf, form_token: 'a'.repeat(22) }, { cookie, origin: shop.url })
  }
  const other = await shop.join()
  assert.equal((await end(other.key)).status, 404)
  assert.equal((await read()).status, 'active')
  const headers = { cookie: await enter(shop, key) }
  const listed = await ask(`${shop.url}/dashboard/links/${link.id}/subscriptions`, { method: 'GET', headers })
  assert.ok(listed.text.includes(PAYER))
  assert.equal((await end(key)).status, 303)
  assert.equal((await read()).status, 'ended')
})

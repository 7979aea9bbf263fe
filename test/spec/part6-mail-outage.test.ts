import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ExpressionBuilder } from 'kysely'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { MAIL_KINDS } from '../../src/kernel/mail-job.ts'
import { insertLease } from '../../src/modules/names/index.ts'
import { Signer } from '../support/blocks.ts'
import { type Shop, bearer, merchant, openWorld, payFor, turnUntil, untilStatus } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { enter, idIn, sendForm } from '../support/form-steps.ts'
import { ask } from '../support/gateway.ts'
import { openMailServer } from '../support/mail-server.ts'
import type { Tables } from '../../src/kernel/db.ts'
import { subscribe } from '../support/subscribe.ts'
import { until } from '../support/until.ts'
import { row } from './row.ts'

/* Mails wait for the mail server and for mail limits; none is lost. */

const { address } = merchant
const PAYER = 'payer@example.com'
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A gateway with a mail server that can be down. */
async function openMailing(t: TestContext, engine?: StoreEngine) {
  const mails = await openMailServer(t)
  const world = await openWorld(t, engine)
  const shop = await world.start({ SMTP_URL: mails.url, MAIL_FROM: 'noreply@gateway.test' })
  const { db } = shop.app.store
  const { clock } = world
  const jobsOf = (...kinds: string[]) => db.selectFrom('jobs').selectAll().where('kind', 'in', kinds).execute()
  const open = db
    .selectFrom('jobs')
    .select(['status', 'run_at', 'attempts'])
    .where('kind', 'in', [...MAIL_KINDS])
    .where('status', 'in', ['ready', 'running'])
  /**
   * Waits until every mail is sent or postponed; returns the postponed ones. The clock advances only while no job is running, in small steps that do not
   * end leases.
   */
  const settle = async () => {
    await until(async () => {
      const atHand = ({ eb, or }: ExpressionBuilder<Tables, 'jobs'>) =>
        or([eb('status', '=', 'running'), eb('run_at', '<=', clock.now())])
      const next = await open.where(atHand).orderBy('status', 'desc').limit(1).executeTakeFirst()
      if (next?.status === 'ready') clock.advance(100)
      return next === undefined
    })
    return open.execute()
  }
  /** Advances the clock from attempt to attempt, until a moment or until no mail is left. */
  const outlast = async (moment = Infinity) => {
    for (;;) {
      const next = Math.min(...(await settle()).map(({ run_at: at }) => at))
      if (next > moment || next === Infinity) return
      clock.leap(next - clock.now())
    }
  }
  return { mails, world, clock, shop, db, jobsOf, settle, outlast }
}

const openClub = async (shop: Shop, key: string) => {
  const made = await shop.rest('POST', '/api/links', key, { address, amount: '2', title: 'Club', every: 'month' })
  assert.equal(made.status, 201, made.text)
  return made.json<{ id: string; slug: string }>()
}

forEachEngine((engine) => {
  test('a payer gets their reminder although the mail server was away for minutes (contract 4.13, rule 10)', async (t) => {
    const { mails, world, clock, shop, jobsOf, settle, outlast } = await openMailing(t, engine)
    const { key } = await shop.join()
    const { slug } = await openClub(shop, key)
    await payFor(world, shop, idIn(await sendForm(`${shop.url}/buy/${slug}`, { email: PAYER, lang: 'en' })))
    mails.down = true
    clock.leap(28 * DAY)
    await turnUntil(world, 5_000, async () => (await jobsOf('links.mail-subscription')).length === 1)
    await outlast(clock.now() + 10 * 60_000)
    const [job] = await jobsOf('links.mail-subscription')
    assert.ok(job!.attempts > 5, 'more than the places of a day')
    assert.deepEqual(mails.to(PAYER), [])
    mails.down = false
    await outlast()
    await settle()
    row('4.13, rule 10', () =>
      assert.deepEqual(
        mails.to(PAYER).flatMap(({ subject }) => (subject === 'Your receipt' ? [] : [subject])),
        ['Time to renew: Club'],
      ),
    )
  })

  test('the 501st reminder of a merchant’s day arrives the next day, and other shops’ reminders use up nobody’s places (contract 4.13, rule 10)', async (t) => {
    const { mails, clock, shop, db, settle } = await openMailing(t, engine)
    const [busy, small] = [await shop.join(), await shop.join()]
    const [big, club] = [await openClub(shop, busy.key), await openClub(shop, small.key)]
    const now = clock.now()
    await db.transaction().execute(async (tx) => {
      const of = (at: number) => (at < 6 ? PAYER : `p${at}@example.com`)
      // This many of the merchant's five hundred mails a day are already used.
      const used = { caller: `acc:${busy.accountId}`, meter: 'subscription-mail', ends_at: now + DAY, taken: 480 }
      await tx.insertInto('free_uses').values(used).execute()
      for (let at = 0; at < 22; at++) {
        await subscribe({ db: tx }, busy.accountId, { linkId: big.id, email: of(at) })
      }
      await subscribe({ db: tx }, small.accountId, { linkId: club.id, email: PAYER })
      const due = { began_at: now, paid_until: now + 30 * DAY, due_at: now }
      await tx.updateTable('subscriptions').set(due).execute()
    })
    const reminders = db.selectFrom('jobs').where('kind', '=', 'links.mail-subscription')
    const asked = reminders.select(({ fn }) => fn.countAll().as('count'))
    await until(async () => {
      await settle()
      if (Number((await asked.executeTakeFirstOrThrow()).count) === 23) return true
      clock.advance(5_000)
      return false
    })
    const waiting = await settle()
    // Five of the six mails that one merchant may send to one address; the other merchant writes to it as well.
    assert.deepEqual([mails.to(PAYER).length, mails.received.length], [6, 21])
    assert.deepEqual(
      waiting.map(({ attempts }) => attempts),
      [0, 0],
    )
    clock.leap(DAY)
    await settle()
    assert.deepEqual([mails.to(PAYER).length, mails.received.length], [7, 23])
  })

  test('an outage of two days costs no receipt, no invitation and no warning that a name ends (contract 6, rule 31)', async (t) => {
    const { mails, world, clock, shop, db, jobsOf, outlast } = await openMailing(t, engine)
    const { key, accountId } = await shop.join({ email: 'owner@example.com' })
    mails.down = true
    const made = await shop.open({ address, amount: '1', notify: 'shop@example.com' }, bearer(key))
    await world.pay(address, made.amount_raw)
    await untilStatus(shop, made.id, 'complete')
    const invited = await shop.rest('POST', '/api/members', key, { email: 'new@example.com', role: 'reader' })
    assert.equal(invited.status, 201, invited.text)
    const now = clock.now()
    const owner = new Signer(16).address
    const lease = { owner, address: owner, accountId, profile: {}, indexed: false, key: 'kept', name: 'kept' }
    const ends = { createdAt: now - 300 * DAY, changedAt: now, expiresAt: now + 6 * DAY, graceUntil: now + 30 * DAY }
    await insertLease(db, { ...lease, ...ends })
    const told = async () => (await db.selectFrom('usernames').select('told').executeTakeFirstOrThrow()).told
    await turnUntil(world, 60_000, async () => (await jobsOf(...MAIL_KINDS)).length === 3)
    await outlast(now + 2 * DAY)
    assert.deepEqual([mails.received, await told()], [[], 0], 'nothing that was not sent is marked as sent')
    mails.down = false
    await outlast()
    const at = (recipient: string) => mails.to(recipient).map(({ subject }) => subject)
    row('6, rule 31', () => {
      assert.deepEqual([at('shop@example.com'), at('new@example.com')], [['Payment received'], ['You are invited']])
      assert.match(at('owner@example.com').join(), /^@kept ends on /)
    })
    assert.equal(await told(), 1)
  })

  test('an operator sees on the dashboard that a mail was given up, and sends it after all (contract 6, rule 31)', async (t) => {
    const { mails, world, clock, shop, jobsOf, outlast } = await openMailing(t, engine)
    const look = async (path: string, key = world.key()) => {
      const cookie = await enter(shop, key)
      return { cookie, ...(await ask(`${shop.url}/dashboard${path}`, { method: 'GET', headers: { cookie } })) }
    }
    mails.down = true
    const made = await shop.open({ address, amount: '1', notify: 'shop@example.com' }, bearer(world.key()))
    await world.pay(address, made.amount_raw)
    await untilStatus(shop, made.id, 'complete')
    assert.doesNotMatch((await look('')).text, /could not be sent/)
    const asked = clock.now()
    await outlast()
    const [job] = await jobsOf('checkout.notify')
    assert.equal(job!.status, 'dead')
    assert.ok(job!.finished_at! - asked >= 3 * DAY, 'for three days')
    assert.match((await look('')).text, /1 mail could not be sent[^]*\/dashboard\/admin\/jobs/)
    assert.doesNotMatch((await look('', (await shop.join()).key)).text, /could not be sent/)
    mails.down = false
    const { text, cookie } = await look('/admin/jobs')
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)![1]!
    const retry = `${shop.url}/dashboard/admin/jobs/${job!.id}/retry`
    const form = { csrf, form_token: 'a'.repeat(22) }
    assert.equal((await sendForm(retry, form, { cookie, origin: shop.url })).status, 303)
    await until(() => mails.to('shop@example.com').length === 1)
    assert.doesNotMatch((await look('')).text, /could not be sent/)
  })
})

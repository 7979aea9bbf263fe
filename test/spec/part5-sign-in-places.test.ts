import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { ask } from '../support/gateway.ts'
import { openMailServer, tokenOf } from '../support/mail-server.ts'
import { until } from '../support/until.ts'

/* Contract 5: who may request sign-in links, and how often. */

const ALICE = 'alice@example.com'
const MINUTE = 60_000

forEachEngine((engine) => {
  test('an anonymous caller who asks for link after link does not prevent others from signing in by email (contract 5, rule 17)', async (t) => {
    const mails = await openMailServer(t)
    const world = await openWorld(t, engine)
    const gateway = await world.start({ SMTP_URL: mails.url, TRUSTED_PROXIES: 'loopback' })
    const from = (ip: string) => ({ 'x-forwarded-for': ip })
    const byCall = (ip: string) => gateway.call('rpc_key', { email: ALICE }, from(ip))
    const byForm = (ip: string) =>
      ask(`${gateway.url}/dashboard/sign-in/mail`, {
        body: `email=${encodeURIComponent(ALICE)}`,
        headers: { ...from(ip), 'content-type': 'application/x-www-form-urlencoded', origin: gateway.url },
      })
    const signIn = (token: string) => gateway.rest('POST', '/api/sign-in', undefined, { token })
    const tokenAt = async (at: number) => {
      await until(() => mails.to(ALICE).length > at)
      return tokenOf(mails.to(ALICE)[at]!.text)
    }
    for (let times = 0; times < 4; times++) assert.equal((await byCall('203.0.113.9')).status, 200)
    // One caller, whether by API or form, and whatever addresses of its network it uses.
    assert.deepEqual([(await byCall('203.0.113.9')).status, (await byForm('203.0.113.9')).status], [429, 429])
    const ofNetwork = (at: number) => byCall(`2001:db8:1:2::${at}`)
    assert.equal((await byForm('198.51.100.7')).status, 200, 'the last place is kept for other callers')
    assert.equal((await signIn(await tokenAt(4))).status, 200)
    // Several callers can use up an address's limit. Then the mailbox already has links that are still valid.
    assert.equal((await ofNetwork(1)).status, 429)
    world.clock.leap(60 * MINUTE - 1)
    assert.equal((await byCall('198.51.100.7')).status, 429)
    assert.equal((await signIn(await tokenAt(0))).status, 200)
    world.clock.leap(1)
    assert.equal((await signIn(await tokenAt(1))).status, 401)
    for (let at = 0; at < 4; at++) assert.equal((await ofNetwork(at)).status, 200)
    assert.equal((await ofNetwork(9)).status, 429)
    assert.equal((await byCall('198.51.100.7')).status, 200)
  })

  test('a link that the mail server has refused for an hour is not mailed any more (contract 5, rule 17)', async (t) => {
    const mails = await openMailServer(t)
    const world = await openWorld(t, engine)
    const gateway = await world.start({ SMTP_URL: mails.url })
    mails.down = true
    assert.equal((await gateway.call('rpc_key', { email: ALICE })).status, 200)
    const jobs = gateway.app.store.db.selectFrom('jobs').selectAll().where('kind', '=', 'accounts.mail-sign-in')
    await until(async () => (await jobs.executeTakeFirstOrThrow()).status === 'ready')
    mails.down = false
    world.clock.leap(60 * MINUTE)
    await until(async () => {
      const { status } = await jobs.executeTakeFirstOrThrow()
      if (status === 'ready') world.clock.advance(100)
      return status === 'done'
    })
    assert.deepEqual(mails.received, [])
  })
})

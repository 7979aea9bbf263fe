import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listCapturedMail } from '../../src/infra/mail/captured.ts'
import { listKeys } from '../../src/modules/accounts/index.ts'
import { TestClock } from '../support/clock.ts'
import { until } from '../support/until.ts'
import { openPeople } from './dashboard-steps.ts'

test('the dashboard asks again after a quarter of an hour, does nothing before the answer, and then continues (contract 5, rule 33)', async (t) => {
  const clock = new TestClock()
  const { dashboard, accountId, sessions } = await openPeople(t, { clock })
  const { ctx, get, send } = dashboard
  const cookie = `nano-gateway=${await sessions.create(accountId)}`
  const count = async () => (await listKeys(ctx.db, accountId, 10)).length
  const before = await count()
  clock.advance(15 * 60_000 + 1)
  const asked = await send('/dashboard/keys', '/dashboard/keys', { name: 'Till', kind: 'secret' }, cookie)
  assert.deepEqual([asked.status, asked.headers.location], [303, '/dashboard/prove?next=%2Fdashboard%2Fkeys'])
  assert.equal(await count(), before)
  const place = asked.headers.location!
  assert.match((await get(place, cookie)).text, /We send a code to owner@example\.com/)
  const mailed = await send(place, '/dashboard/prove/mail', { next: '/dashboard/keys' }, cookie)
  assert.equal(mailed.headers.location, '/dashboard/prove?done=mailed&next=%2Fdashboard%2Fkeys')
  const find = async () =>
    (await listCapturedMail(ctx.db, 10)).flatMap(({ text }) => /Your code: (\w+)/.exec(text)?.[1] ?? [])[0]
  await until(async () => (await find()) !== undefined)
  const wrong = await send(place, '/dashboard/prove', { code: 'wrong', next: '/dashboard/keys' }, cookie)
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /This code is wrong/)
  const evil = { code: (await find())!, next: 'https://evil.example' }
  const proved = await send(place, '/dashboard/prove', evil, cookie)
  assert.deepEqual([proved.status, proved.headers.location], [303, '/dashboard'])
  const fresh = proved.headers['set-cookie']![0]!.split(';')[0]!
  const made = await send('/dashboard/keys', '/dashboard/keys', { name: 'Till', kind: 'secret' }, fresh)
  assert.equal(made.status, 200)
  assert.equal(await count(), before + 1)
})

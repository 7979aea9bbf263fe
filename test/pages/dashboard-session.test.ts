import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboard, tokensOf } from './dashboard-steps.ts'
import { another } from '../support/another.ts'

/* The beginning and the end of a dashboard session. */

test('signing out ends the session and all access by its cookie; people of an account that was suspended meanwhile can leave, too', async (t) => {
  const { get, post, enter, join, rest, adminKey } = await openDashboard(t)
  const { key, accountId } = await join('owner@example.com')
  const cookie = await enter(key)
  const { csrf } = tokensOf((await get('/dashboard', cookie)).text)
  assert.equal((await post('/dashboard/sign-out', {}, { cookie })).status, 403, 'not by a page of somebody else')
  assert.equal((await get('/dashboard', cookie)).status, 200)
  const leave = async (csrf: string, cookie: string) => {
    const out = await post('/dashboard/sign-out', { csrf }, { cookie })
    assert.deepEqual([out.status, out.headers.location], [303, '/dashboard/sign-in'])
    return out
  }
  const out = await leave(csrf, cookie)
  assert.match(out.headers['set-cookie']![0]!, /Max-Age=0; HttpOnly; SameSite=Strict/)
  assert.equal((await get('/dashboard', cookie)).status, 303)
  assert.equal((await post('/dashboard/sign-out', {}, { cookie })).status, 303, 'twice is no mistake')
  const other = await enter(key)
  const tokens = tokensOf((await get('/dashboard', other)).text)
  await rest('POST', `/api/accounts/${accountId}/suspend`, adminKey, { reason: 'Abuse.' })
  assert.equal((await get('/dashboard', other)).status, 403)
  await leave(tokens.csrf, other)
})

test('signing in leads to pages of the dashboard and nowhere else', async (t) => {
  const { post, join } = await openDashboard(t)
  const { key } = await join('owner@example.com')
  const lead = async (next: string) => (await post('/dashboard/sign-in/key', { key, next })).headers.location
  assert.equal(await lead('/dashboard/keys'), '/dashboard/keys')
  const elsewhere = [
    'https://evil.example',
    '//evil.example',
    '/dashboard@evil',
    '/dashboard/../x',
    '/dashboard/\\evil',
  ]
  for (const next of elsewhere) assert.equal(await lead(next), '/dashboard', next)
  const wrong = await post('/dashboard/sign-in/key', { key: another(key) })
  assert.equal(wrong.status, 401)
  assert.equal(wrong.headers['set-cookie'], undefined)
  assert.ok(!wrong.text.includes(key.slice(0, 20)), 'a key is never shown again')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { openDashboard } from './dashboard-steps.ts'

const PAGE = '/dashboard/admin/freezes'

test('an administrator stops every send and one wallet from a page or by REST, sees why, and lets them go on', async (t) => {
  const { get, send, enter, join, adminKey, rest, gateway } = await openDashboard(t)
  const owner = await join('owner@example.com')
  const admin = await enter(adminKey)
  const call = (fields: object) => gateway.call('cloud_wallet', fields, { authorization: `Bearer ${owner.key}` })
  const wallet = (await call({ wallet_action: 'create_wallet' })).json().address!
  const trySend = async () => {
    const { status, text } = await call({ account: wallet, send: new Signer(7).address, amount: '1' })
    return [status, (JSON.parse(text) as { code?: string }).code]
  }
  const post = (what: string, fields: Record<string, string>) => send(PAGE, `${PAGE}${what}`, fields, admin)

  assert.equal((await post('', { target: 'nothing', reason: 'A key is out.' })).status, 404)
  assert.equal((await post('', { target: 'all', reason: 'A key is out.' })).status, 303)
  assert.deepEqual(await trySend(), [403, 'wallet_frozen'])
  assert.match((await get(PAGE, admin)).text, /every wallet[^]*A key is out\./)
  assert.equal((await post('/lift', { target: 'all' })).status, 303)
  assert.deepEqual(await trySend(), [403, 'insufficient_funds'])

  await rest('PUT', `/api/freezes/${wallet}`, adminKey, { frozen: true, reason: 'Somebody has its key.' })
  assert.deepEqual(await trySend(), [403, 'wallet_frozen'])
  const { sends, wallets } = (await rest('GET', '/api/freezes', adminKey)) as {
    sends: unknown[]
    wallets: Record<string, unknown>[]
  }
  assert.deepEqual(sends, [])
  assert.deepEqual(
    wallets.map(({ address, account, reason }) => [address, account, reason]),
    [[wallet, owner.accountId, 'Somebody has its key.']],
  )
  await assert.rejects(rest('PUT', '/api/freezes/all', owner.key, { frozen: true, reason: 'x' }), /403/)
  await assert.rejects(rest('PUT', '/api/freezes/all', adminKey, { frozen: false }), /409/)
  await rest('PUT', `/api/freezes/${wallet}`, adminKey, { frozen: false })

  const { text } = await get('/dashboard/activity', await enter(owner.key))
  for (const told of ['froze the wallet', 'Somebody has its key.']) assert.ok(text.includes(told), told)
  const audits = await gateway.app.store.db.selectFrom('audit_entries').select(['actor', 'what']).execute()
  const frozen = audits.filter(({ what }) => /frozen|thawed/.test(what)).map(({ what }) => what)
  assert.deepEqual(frozen.sort(), ['sends.frozen', 'sends.unfrozen', 'wallet.frozen', 'wallet.thawed'])
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openGateway } from '../support/gateway.ts'
import { alice } from './town.ts'

/* Contract 5: who needs a key for what. */

test('401 with the words that a key is required, and 200 for what needs none (contract 5, rules 1 and 16; 5, What needs a key: checkout_report, rpc_credits, cloud_wallet; 7, Texts and codes: key needed, none given)', async (t) => {
  const { call } = await openGateway(t)
  for (const action of ['checkout_report', 'rpc_credits', 'cloud_wallet']) {
    const reply = await call(action)
    assert.equal(reply.status, 401, action)
    assert.match(reply.json().error!, /API key required/)
  }
  assert.equal((await call('checkout', { address: alice.address, amount: '1' })).status, 200)
  assert.equal((await call('price')).status, 200)
})

test('the command line issues keys that the gateway takes (contract 5, How keys are issued: command line)', async (t) => {
  const { folder, call, app } = await openGateway(t)
  const { id } = await app.store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', 'src/cli.ts', 'keys', 'create', id],
    { env: { ...process.env, DATA_DIR: folder } },
  )
  const key = /rpc_sk_\w+/.exec(stdout)?.[0]
  assert.ok(key, 'it is shown')
  assert.equal((await call('rpc_credits', {}, { authorization: `Bearer ${key}` })).status, 200)
})

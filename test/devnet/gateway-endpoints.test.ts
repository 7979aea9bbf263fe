import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openControls } from '../../src/devnet/rpc/controls.ts'
import { Signer } from '../support/blocks.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'

const CONTROLS = Object.keys(openControls(() => true))

test('no control of the development ledger is reached through a gateway, at any of its endpoints, with or without a key', async (t) => {
  assert.equal(CONTROLS.length, 16)
  const node = await openRecordingNode(t, () => ({ success: '' }))
  const behind = await openGateway(t, { NODE_URLS: node.url })
  const own = await openGateway(t)
  const { ledger } = own.app.devnet!.node
  await own.confirmed()
  const before = ledger.store.totals()
  const given = {
    account: new Signer(1).address,
    amount: '1',
    hash: ledger.genesis.hash,
    id: '1',
    target: '*',
    kind: 'drop',
  }
  for (const { url, join } of [behind, own]) {
    const admin = await join({ role: 'admin' })
    for (const headers of [{}, { authorization: `Bearer ${admin.key}` }]) {
      for (const action of CONTROLS) {
        const body = JSON.stringify({ action, ...given })
        assert.equal((await ask(url, { body, headers })).status, 400, action)
        assert.deepEqual((await ask(`${url}/node`, { body, headers })).json(), { error: 'Unknown command' }, action)
        assert.equal(
          (await ask(`${url}/actions/${action}`, { body: JSON.stringify(given), headers })).status,
          404,
          action,
        )
      }
    }
  }
  const heard = new Set(node.requests.map(({ action }) => action))
  assert.deepEqual(
    CONTROLS.filter((action) => heard.has(action)),
    [],
  )
  assert.deepEqual(ledger.store.totals(), before)
  assert.match(own.app.devnet!.rpcUrl, /^http:\/\/127\.0\.0\.1:/)
})

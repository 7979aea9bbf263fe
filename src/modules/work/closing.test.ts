import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGateway } from '../../../test/support/gateway.ts'
import { until } from '../../../test/support/until.ts'
import { PeerServer, hang } from '../../../test/support/work-peer.ts'

// The treasury of a new development ledger receives its first funds automatically, which needs work.
test('a gateway whose wallets wait for work closes at once, and the next one continues', async (t) => {
  const peer = await PeerServer.start(t)
  peer.generate = hang
  const funded = { DEVNET_TREASURY_NANO: '10' }
  const waiting = await openGateway(t, { ...funded, WORK_THREADS: '0', WORK_NODES: 'false', WORK_URLS: peer.url })
  await peer.wasAsked('work_generate')
  await waiting.app.close()

  const next = await openGateway(t, { ...funded, WORK_THREADS: '1', DATA_DIR: waiting.folder })
  const { db } = next.app.store
  const findTreasury = () =>
    db.selectFrom('wallets').selectAll().where('purpose', '=', 'treasury').executeTakeFirstOrThrow()
  await until(async () => (await findTreasury()).balance_raw !== '0')
  const blocks = await db.selectFrom('wallet_blocks').selectAll().execute()
  assert.equal(blocks.filter(({ status }) => status !== 'refused').length, 1, 'received once')
})

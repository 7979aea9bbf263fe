import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { until } from '../support/until.ts'

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)

test('the embedded ledger has one representative, with its version, and it is online (contract 2, Representative; 4.1, Units, prices, market, representatives: reps, rep_info; 9, Synonyms: representative)', async (t) => {
  const known = { [GENESIS]: { alias: 'Genesis', location: 'here' } }
  const gateway = await openGateway(t, { KNOWN_REPS: JSON.stringify(known) })
  const { db } = gateway.app.store
  await until(async () => (await db.selectFrom('rep_days').selectAll().execute()).length === 2)
  const reps = (await gateway.call('reps')).json<Record<string, unknown>[]>()
  assert.equal(reps.length, 1)
  const { rep_address, alias, location, uptime, synced, version, protocol, score } = reps[0]!
  assert.deepEqual([rep_address, alias, location, uptime], [GENESIS, 'Genesis', 'here', '100.00%'])
  assert.deepEqual([synced, version, protocol, score], [100, '27.1.0', 21, 80])
  assert.deepEqual((await gateway.call('rep_info', { account: GENESIS })).json(), reps[0])
  const file = await ask(`${gateway.url}/reps.json`, { method: 'GET' })
  assert.deepEqual([file.json(), file.headers['access-control-allow-origin']], [reps, '*'])
})

// One look tells who votes now; whom to trust with one's weight is told by many.
test('uptime is measured over time: three looks of four are 75 percent', async (t) => {
  const { address } = new Signer(8)
  const weight = `1${'0'.repeat(33)}`
  let votes = true
  const node = await openRecordingNode(t, ({ action }) => {
    if (action === 'representatives') return { representatives: { [address]: weight } }
    if (action === 'representatives_online') return { representatives: votes ? { [address]: { weight } } : {} }
    if (action === 'confirmation_quorum') return { online_stake_total: weight, peers: [] }
    return { error: 'Not here' }
  })
  const clock = new TestClock()
  const gateway = await openGateway(t, { NODE_URLS: node.url }, clock)
  const { db } = gateway.app.store
  const looks = async () =>
    (await db.selectFrom('rep_days').select('online').where('account', '=', '*').executeTakeFirst())?.online ?? 0
  for (let look = 1; look <= 4; look++) {
    votes = look !== 2
    await until(async () => {
      if ((await looks()) >= look) return true
      clock.advance(1_000)
      return false
    })
  }
  const { uptime, score } = (await gateway.call('rep_info', { account: address })).json<Record<string, unknown>>()
  // 0.7 for uptime, 0.3 for being in step, of which nothing is known here.
  assert.deepEqual([uptime, score], ['75.00%', 53])
})

test('who represents nobody is not found, in words and with status 200 (contract 4.1, rule 27; 7, Texts and codes: rep_info without result)', async (t) => {
  const gateway = await openGateway(t)
  const reply = await gateway.call('rep_info', { account: new Signer(7).address })
  assert.deepEqual([reply.status, reply.json()], [200, { error: 'Representative not found.' }])
})

test('without a node there is no list, and the answer says so', async (t) => {
  const gateway = await openGateway(t, { NODE_URLS: 'http://127.0.0.1:1' })
  const reply = await gateway.call('reps')
  assert.deepEqual([reply.status, reply.json().code], [502, 'no_node'])
})

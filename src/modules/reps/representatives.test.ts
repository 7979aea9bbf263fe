import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NodeFacts, scoreOf, toRepresentatives } from './representatives.ts'

const ANN = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'
const BEN = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'
const nano = (amount: number) => `${amount}${'0'.repeat(30)}`

const FACTS: NodeFacts = {
  weights: { [BEN]: nano(30), [ANN]: nano(1_000), nano_empty: '0' },
  online: { [ANN]: { weight: nano(1_000) } },
  quorum: {
    online_stake_total: nano(40_000),
    peers: [{ account: ANN, ip: '[::ffff:192.0.2.1]:7075', weight: nano(1_000) }],
  },
  telemetry: {
    metrics: [
      {
        address: '::ffff:192.0.2.1',
        port: '7075',
        cemented_count: '199',
        major_version: '27',
        minor_version: '1',
        patch_version: '0',
        protocol_version: '21',
      },
      {
        address: '::ffff:192.0.2.9',
        port: '7075',
        cemented_count: '200',
        major_version: '27',
        minor_version: '0',
        patch_version: '0',
        protocol_version: '21',
      },
    ],
  },
}

const AROUND = {
  known: { [ANN]: { alias: 'Ann', website: 'https://ann.example' } },
  uptimes: { looks: 1_000, online: new Map([[ANN, 999]]) },
  usernameOf: (address: string) => (address === BEN ? 'ben' : undefined),
}

test('a representative is joined from weight, quorum, telemetry, probes and the list of known ones', () => {
  const [ann, ben, ...others] = toRepresentatives(FACTS, AROUND)
  assert.deepEqual(others, [], 'who has no weight is not listed')
  assert.deepEqual(ann, {
    rep_address: ANN,
    account: ANN,
    donation_address: null,
    weight: 2.5,
    weight_nano: 1_000,
    weight_raw: '1000000000000000000000000000000000',
    uptime: '99.90%',
    synced: 99.5,
    website: 'https://ann.example',
    location: null,
    alias: 'Ann',
    username: '',
    score: 100,
    version: '27.1.0',
    protocol: 21,
    database: '',
  })
  assert.deepEqual([ben!.alias, ben!.username, ben!.uptime, ben!.score], ['ben', 'ben', '0.00%', 0])
})

// A client casts the score to an integer and crashes on anything else.
test('the score is a whole number from 0 to 100', () => {
  assert.equal(scoreOf({ uptime: 99.99, synced: 99.99, percent: 1, isOnline: true }), 100)
  assert.equal(scoreOf({ uptime: 99.99, synced: 100, percent: 5.01, isOnline: true }), 80)
  assert.equal(scoreOf({ uptime: 98, synced: 100, percent: 1, isOnline: false }), 20)
  assert.equal(scoreOf({ uptime: 0, synced: 0, percent: 0, isOnline: false }), 0)
  assert.ok(Number.isInteger(scoreOf({ uptime: 33.333, synced: 66.667, percent: 0, isOnline: true })))
})

test('garbage from a node makes no garbage in the list', () => {
  const facts: NodeFacts = {
    weights: { [ANN]: 'a lot', [BEN]: nano(5) },
    online: {},
    quorum: { online_stake_total: null, peers: 'none' },
    telemetry: { metrics: [null, { cemented_count: '-5' }, 7] as never },
  }
  const [ben, ...others] = toRepresentatives(facts, { ...AROUND, known: {} })
  assert.deepEqual(others, [])
  assert.deepEqual([ben!.weight, ben!.synced, ben!.version], [0, 0, ''])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SEED, SeededRandom } from '../../../test/support/random.ts'
import { RECORDED_VOTES, recordedProof } from '../../../test/support/recorded-votes.ts'
import { Signer, UNOPENED, nano } from '../../../test/support/blocks.ts'
import { hashBlock } from './block.ts'
import { blake2b256 } from './signatures.ts'
import { bytesToHex } from './hex.ts'
import { signHash } from './keys.ts'
import { type PaymentProof, makeProof, verifyProof } from './payment-proof.ts'
import { FINAL_DURATION, FINAL_TIMESTAMP, type Vote, hashVote } from './vote.ts'

const VOTERS = 5
const voters = Array.from({ length: VOTERS }, (_, index) => new Signer(100 + index))

const voteOf = (voter: Signer, hashes: string[], timestamp = FINAL_TIMESTAMP, duration = FINAL_DURATION): Vote => {
  const vote = { timestamp, duration, hashes }
  return { ...vote, representative: voter.key, signature: signHash(voter.privateKey, hashVote(vote)) }
}

/** A send for which five representatives with 20 % each have voted. */
const made = (votes = (hash: string) => voters.map((voter) => voteOf(voter, ['A'.repeat(64), hash]))) => {
  const [sender, receiver] = [new Signer(1), new Signer(2)]
  const previous = sender.receive(UNOPENED, 'B'.repeat(64), nano(5))
  const block = sender.send({ ...previous, previous: hashBlock(previous) }, receiver.key, nano(2))
  const hash = hashBlock(block)
  return {
    send: { hash, block, account: sender.key },
    previous: { block: previous },
    votes: votes(hash),
    reported: {
      weights: Object.fromEntries(voters.map(({ address }) => [address, '20'])),
      quorum_raw: '67',
      online_raw: '100',
      source: ['node-1.example:7076', '[::1]:7076'],
      taken_unix: 1_795_016_576,
    },
  }
}

/** Whoever changes a proof can also compute a new checksum. */
function withChecksum({ checksum, ...proof }: PaymentProof): PaymentProof {
  const anew = bytesToHex(blake2b256(new TextEncoder().encode(JSON.stringify(proof))))
  assert.equal(anew.length, checksum.length)
  return { ...proof, checksum: anew }
}

const changed = (change: (proof: PaymentProof) => void, proof = makeProof(made())!): PaymentProof => {
  const copy = structuredClone(proof)
  change(copy)
  return withChecksum(copy)
}

const fieldOf = (proof: unknown, options = {}) => {
  const verdict = verifyProof(proof, options)
  return verdict.ok ? 'ok' : verdict.field
}

test('a payment on a recorded real network is proved', () => {
  const [voter] = Object.entries(RECORDED_VOTES.representatives_online.representatives)
  assert.deepEqual(verifyProof(JSON.parse(JSON.stringify(recordedProof()))), {
    ok: true,
    hash: RECORDED_VOTES.votes[3]!.message.blocks[0],
    from: voter![0],
    to: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
    amount_raw: '1000000000000000000000000000',
    representatives: 1,
    weight_raw: voter![1].weight,
    quorum_raw: RECORDED_VOTES.confirmation_quorum.quorum_delta,
    weight_percent: 99.99,
    weights_from: 'proof',
    source: ['node.example'],
    taken_unix: 1_795_016_576,
  })
})

test('with any single bit of its text changed, a proof does not verify', () => {
  const random = new SeededRandom(SEED)
  const bytes = Buffer.from(JSON.stringify(recordedProof()))
  for (const at of bytes.keys()) {
    for (const bit of [random.below(4), 4 + random.below(4)]) {
      bytes[at]! ^= 1 << bit
      let verdict: ReturnType<typeof verifyProof> | undefined
      try {
        verdict = verifyProof(JSON.parse(bytes.toString()))
      } catch (error) {
        // The change has made it invalid JSON.
        assert.ok(error instanceof SyntaxError)
      }
      assert.ok(!verdict?.ok, `bit ${bit} of byte ${at}: ${bytes.toString()}`)
      bytes[at]! ^= 1 << bit
    }
  }
})

test('a change of signed or computed fields is detected, even with a valid checksum', () => {
  const other = made()
  const flip = (hex: string) => `${hex.slice(0, -1)}${hex.endsWith('0') ? '1' : '0'}`
  const table: [field: string, change: (proof: PaymentProof) => void][] = [
    ['amount_raw', (proof) => (proof.amount_raw = nano(3).toString())],
    ['to', (proof) => (proof.to = proof.from)],
    ['from', (proof) => (proof.from = proof.to)],
    ['block.contents', (proof) => (proof.block.contents.balance = '1')],
    ['block.contents', (proof) => (proof.block.hash = flip(proof.block.hash))],
    ['block.contents.signature', (proof) => (proof.block.contents.signature = 'A'.repeat(128))],
    ['block.contents.link_as_account', (proof) => (proof.block.contents.link_as_account = proof.from)],
    ['block.contents.subtype', (proof) => (proof.block.contents.subtype = 'send')],
    ['previous.contents', (proof) => (proof.previous.contents.balance = nano(9).toString())],
    ['previous.hash', (proof) => (proof.previous = proof.block)],
    ['votes[1].signature', (proof) => (proof.votes[1]!.signature = flip(proof.votes[1]!.signature))],
    ['votes[1].signature', (proof) => proof.votes[1]!.blocks.reverse()],
    ['votes[1].signature', (proof) => (proof.votes[1]!.account = proof.from)],
    ['votes[1].blocks', (proof) => (proof.votes[1]!.blocks = ['A'.repeat(64)])],
    ['votes[1].timestamp', (proof) => (proof.votes[1]!.timestamp = '1795016575776')],
    ['votes[1].duration', (proof) => (proof.votes[1]!.duration = '9')],
    ['votes[5].account', (proof) => proof.votes.push(proof.votes[0]!)],
    [`weights.${voters[0]!.address}`, (proof) => proof.votes.shift()],
    [
      `weights.${voters[0]!.address.toUpperCase()}`,
      (proof) => (proof.weights[voters[0]!.address.toUpperCase()] = '20'),
    ],
    ['weights', (proof) => delete proof.weights[voters[0]!.address]],
    ['quorum_raw', (proof) => (proof.quorum_raw = '66')],
    ['online_raw', (proof) => (proof.online_raw = '0')],
    ['taken_unix', (proof) => (proof.taken_unix = -1)],
    ['complete', (proof) => Object.assign(proof, { complete: false })],
    ['source[0]', (proof) => (proof.source[0] = 'https://user:secret@node')],
    ['version', (proof) => (proof.version = 2 as 1)],
    ['proof.owner', (proof) => Object.assign(proof, { owner: 'x' })],
  ]
  for (const [field, change] of table) assert.equal(fieldOf(changed(change)), field, change.toString())
  assert.equal(fieldOf({ ...makeProof(other)!, checksum: '0'.repeat(64) }), 'checksum')
})

test('a vote that is signed and not final proves nothing', () => {
  const early = made((hash) => voters.map((voter) => voteOf(voter, [hash], 1_795_016_575_776n, 9)))
  assert.equal(makeProof(early), undefined)
})

test('a quorum must be exceeded: exactly as much weight is not enough, and each representative counts once', () => {
  const weights = (list: string[]) => (proof: PaymentProof) =>
    list.forEach((weight, at) => (proof.weights[voters[at]!.address] = weight))
  assert.equal(fieldOf(changed(weights(['13', '13', '13', '14', '14']))), 'votes')
  assert.equal(fieldOf(changed(weights(['13', '13', '13', '14', '15']))), 'ok')
  // Four of five, with their weights, and no fifth.
  const four = changed((proof) => (proof.votes.pop(), delete proof.weights[voters[4]!.address]))
  assert.deepEqual(verifyProof(four), { ...verifyProof(four), ok: true, representatives: 4, weight_percent: 80 })
  const three = changed((proof) => {
    for (const { account } of proof.votes.splice(3)) delete proof.weights[account]
  })
  assert.equal(fieldOf(three), 'votes')
})

test('a verifier brings its own weights, of representatives who have voted and of others', () => {
  const proof = makeProof(made())!
  const own = (weight: string, [first, ...others]: Signer[] = voters) => ({
    quorum_raw: '670',
    online_raw: '1000',
    weights: {
      [first!.address]: weight,
      ...Object.fromEntries(others.map(({ address }) => [address, '0'])),
      [new Signer(9).address]: '999',
    },
  })
  const verdict = verifyProof(proof, { weights: own('671') })
  assert.deepEqual(verdict, { ...verdict, ok: true, weight_raw: '671', weights_from: 'verifier', quorum_raw: '670' })
  assert.equal(fieldOf(proof, { weights: own('670') }), 'votes')
  assert.equal(fieldOf(proof, { weights: { ...own('671'), quorum_raw: '1' } }), 'quorum_raw')
  assert.equal(fieldOf(proof, { weights: {} }), 'own weights.weights')
})

test('anything that is not a proof is refused with a message, never with an exception', () => {
  const random = new SeededRandom(7)
  const whole = makeProof(made())!
  for (const value of [undefined, null, 7, 'proof', [], {}, { __proto__: null }, { toString: 1 }]) {
    assert.equal(verifyProof(value).ok, false)
  }
  const values: unknown[] = [undefined, null, 7, -1, '', 'x', [], [null], {}, { toString: 1 }, false]
  for (let round = 0; round < 300; round++) {
    const copy = structuredClone(whole) as unknown as Record<string, unknown>
    let place = copy
    while (random.below(3) > 0) {
      const next = place[random.pick(Object.keys(place))]
      if (typeof next !== 'object' || next === null) break
      place = next as Record<string, unknown>
    }
    place[random.pick(Object.keys(place))] = random.pick(values)
    assert.equal(verifyProof(copy).ok, false, JSON.stringify(copy))
  }
})

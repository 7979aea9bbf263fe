import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RECORDED_VOTES } from '../../../test/support/recorded-votes.ts'
import { Signatures, nobleCurve } from './signatures.ts'
import { hashVote, isFinalVote, readVote, toDecimalSignature, verifyVote } from './vote.ts'
import { hexToBytes } from './hex.ts'

test('every recorded vote of a real node is read, hashed as it was signed, and verifies', () => {
  assert.equal(RECORDED_VOTES.votes.length, 8)
  for (const { message, signed_hash, signature_hex } of RECORDED_VOTES.votes) {
    const vote = readVote(message)!
    assert.equal(hashVote(vote), signed_hash)
    assert.equal(vote.signature, signature_hex)
    assert.equal(toDecimalSignature(vote.signature), message.signature)
    assert.equal(isFinalVote(vote), message.duration === '15')
    assert.ok(verifyVote(vote))
    const key = hexToBytes(vote.representative)
    assert.ok(new Signatures(nobleCurve).verify(key, hexToBytes(signed_hash), hexToBytes(signature_hex)))
  }
})

test('a vote with a changed bit of its signature, its time or a hash does not verify', () => {
  const vote = readVote(RECORDED_VOTES.votes[0]!.message)!
  const flip = (hex: string, bit: number) =>
    (BigInt(`0x${hex}`) ^ (1n << BigInt(bit))).toString(16).padStart(hex.length, '0').toUpperCase()
  for (let bit = 0; bit < 512; bit++) {
    assert.ok(!verifyVote({ ...vote, signature: flip(vote.signature, bit) }), `bit ${bit} of the signature`)
  }
  for (let bit = 0; bit < 256; bit += 5) {
    assert.ok(!verifyVote({ ...vote, hashes: [flip(vote.hashes[0]!, bit)] }), `bit ${bit} of the hash`)
    assert.ok(!verifyVote({ ...vote, representative: flip(vote.representative, bit) }), `bit ${bit} of the voter`)
  }
  // In the signed time, the last four bits are the duration.
  for (let bit = 4; bit < 64; bit++)
    assert.ok(!verifyVote({ ...vote, timestamp: vote.timestamp ^ (1n << BigInt(bit)) }))
  for (let bit = 0; bit < 4; bit++) assert.ok(!verifyVote({ ...vote, duration: vote.duration ^ (1 << bit) }))
  assert.ok(!verifyVote({ ...vote, hashes: [...vote.hashes, vote.hashes[0]!] }))
})

test('a vote of any other form is none, and only all bits of the time are final', () => {
  const { message } = RECORDED_VOTES.votes[1]!
  const wrong: Record<string, unknown>[] = [
    ...[undefined, 7, 'nano_1', ''].map((account) => ({ account })),
    ...[undefined, 7, '', '-1', '0x1', '01', (2n ** 512n).toString(), '9'.repeat(4_000)].map((signature) => ({
      signature,
    })),
    ...[undefined, '', 'x', (2n ** 64n).toString()].map((timestamp) => ({ timestamp })),
    ...[undefined, '', '16'].map((duration) => ({ duration })),
    ...[undefined, '', [], {}, [7], ['F'], Array(256).fill(message.blocks[0])].map((blocks) => ({ blocks })),
  ]
  for (const part of wrong)
    assert.equal(readVote({ ...message, ...part }), undefined, JSON.stringify(part).slice(0, 80))
  for (const value of [undefined, null, 'vote', []]) assert.equal(readVote(value), undefined)
  assert.ok(isFinalVote(readVote(message)!))
  assert.ok(!isFinalVote(readVote({ ...message, duration: '14' })!))
  assert.ok(!isFinalVote(readVote({ ...message, timestamp: (2n ** 64n - 17n).toString() })!))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../../../test/support/blocks.ts'
import { TestClock } from '../../../test/support/clock.ts'
import { toAddress } from '../../kernel/nano/address.ts'
import { signHash } from '../../kernel/nano/keys.ts'
import { FINAL_DURATION, FINAL_TIMESTAMP, hashVote, toDecimalSignature } from '../../kernel/nano/vote.ts'
import type { CollectedVotes } from '../../kernel/ports.ts'
import { RecentVotes, isVoteFrame, scanFinalVote } from './recent-votes.ts'
import { agreeOn, nameSource } from './representative-weights.ts'
import { Votes } from './votes.ts'

const HASH = 'AB'.repeat(32)
const voters = Array.from({ length: 5 }, (_, index) => new Signer(50 + index))

/** As a node formats it: on several lines, the topic first. */
function frameOf(
  voter: Signer,
  hashes: string[],
  { timestamp = FINAL_TIMESTAMP, duration = FINAL_DURATION, by = voter } = {},
) {
  const signature = toDecimalSignature(signHash(by.privateKey, hashVote({ timestamp, duration, hashes })))
  const message = {
    account: voter.address,
    signature,
    timestamp: `${timestamp}`,
    duration: `${duration}`,
    blocks: hashes,
  }
  return JSON.stringify({ topic: 'vote', time: '1', message }, null, 4)
}

/** Five representatives of 20 % each, and two nodes that send votes. */
function open() {
  const clock = new TestClock()
  const known = { quorumRaw: 67n, onlineRaw: 100n, sources: ['node.example'], at: clock.now() }
  const weights = { read: () => Promise.resolve({ ...known, weights: new Map(voters.map(({ key }) => [key, 20n])) }) }
  const votes = new Votes({ clock, weights })
  return { clock, votes, first: votes.openNode(), second: votes.openNode() }
}

/** The collected votes, or undefined if the collection has not ended. */
async function settled(collected: Promise<CollectedVotes | undefined>): Promise<string[] | undefined | 'waiting'> {
  const turn = new Promise<'waiting'>((resolve) => setImmediate(resolve, 'waiting'))
  const found = await Promise.race([collected, turn])
  return typeof found === 'object' ? found.votes.map(({ representative }) => toAddress(representative)).sort() : found
}

const addressesOf = (list: readonly Signer[]) => list.map(({ address }) => address).sort()

test('votes that came before a block was known to be a payment prove it, from whichever node they came', async () => {
  const { votes, first, second } = open()
  for (const voter of voters.slice(0, 2)) first(frameOf(voter, ['CD'.repeat(32), HASH]))
  for (const voter of voters.slice(1, 4)) second(frameOf(voter, [HASH]))
  assert.deepEqual(await settled(votes.collect(HASH)), addressesOf(voters.slice(0, 4)))
})

test('the votes that are missing are waited for, a minute and no longer', async () => {
  const { clock, votes, first } = open()
  for (const voter of voters.slice(0, 3)) first(frameOf(voter, [HASH]))
  const collected = votes.collect(HASH)
  assert.equal(await settled(collected), 'waiting')
  first(frameOf(voters[3]!, [HASH]))
  assert.deepEqual(await settled(collected), addressesOf(voters.slice(0, 4)))

  const never = votes.collect('EF'.repeat(32))
  assert.equal(await settled(never), 'waiting')
  clock.advance(59_000)
  assert.equal(await settled(never), 'waiting')
  clock.advance(1_000)
  assert.equal(await settled(never), undefined)
})

test('a vote that is not final, is signed by another, or is of no representative, counts for nothing', async () => {
  const { votes, first, second } = open()
  for (const voter of voters.slice(0, 3)) first(frameOf(voter, [HASH]))
  first(frameOf(voters[3]!, [HASH], { timestamp: 1_795_016_575_776n, duration: 9 }))
  first(frameOf(voters[3]!, [HASH], { duration: 14 }))
  first(frameOf(voters[3]!, [HASH], { by: voters[0]! }))
  first(frameOf(new Signer(9), [HASH]))
  first(frameOf(voters[0]!, [HASH]))
  const collected = votes.collect(HASH)
  assert.equal(await settled(collected), 'waiting')
  second(frameOf(voters[4]!, [HASH]))
  assert.deepEqual(await settled(collected), addressesOf([...voters.slice(0, 3), voters[4]!]))
})

test('invented votes of one node do not displace the true vote from another', async () => {
  const { votes, first, second } = open()
  for (let time = 0; time < 10; time++) first(frameOf(voters[4]!, [HASH, `${time}`.repeat(64)], { by: voters[0]! }))
  for (const voter of voters.slice(1)) second(frameOf(voter, [HASH]))
  assert.deepEqual(await settled(votes.collect(HASH)), addressesOf(voters.slice(1)))
})

test('a payment that is announced keeps its votes while nodes agree on it, and without an announcement they are gone after half a minute', async () => {
  const { clock, votes, first } = open()
  const other = 'CD'.repeat(32)
  for (const voter of voters) first(frameOf(voter, [HASH]))
  for (const voter of voters) first(frameOf(voter, [other]))
  votes.expect(HASH)
  clock.advance(31_000)
  first(frameOf(voters[0]!, ['EF'.repeat(32)]))
  assert.equal(await settled(votes.collect(other)), 'waiting')
  assert.equal((await settled(votes.collect(HASH)))?.length, 4)
})

test('votes that a node invents for a payment take no more memory than its share, and are removed with it', async () => {
  const { clock, votes, first } = open()
  votes.expect(HASH)
  const long = frameOf(voters[0]!, Array<string>(255).fill(HASH))
  for (let index = 0; index < 200; index++) {
    first(long.replace(voters[0]!.address, toAddress(index.toString(16).padStart(64, '0').toUpperCase())))
  }
  assert.ok(votes.bytes > 1024 * 1024 && votes.bytes <= 2 * 1024 * 1024, `${votes.bytes} bytes`)
  clock.advance(121_000)
  votes.expect('CD'.repeat(32))
  assert.equal(votes.bytes, 0)
})

test('thousands of tiny sends by an attacker displace neither the votes of a payment nor those that are awaited', async () => {
  const { votes, first } = open()
  const later = 'CD'.repeat(32)
  votes.expect(HASH, 'customer')
  for (const voter of voters) first(frameOf(voter, [HASH]))
  const collected = votes.collect(later)
  assert.equal(await settled(collected), 'waiting')
  for (let at = 0; at < 5_000; at++) votes.expect(at.toString(16).padStart(64, '0').toUpperCase(), 'stranger')
  // The node's frames were dropped as well, so only the votes kept for this block are left.
  const flood = frameOf(voters[0]!, Array<string>(255).fill('EF'.repeat(32)))
  for (let at = 0; at < 400; at++) first(flood)
  for (const voter of voters) first(frameOf(voter, [later]))
  assert.equal((await settled(votes.collect(HASH)))?.length, 4)
  assert.equal((await settled(collected))?.length, 4)
})

test('callers that wait when the gateway stops are answered', async () => {
  const { votes } = open()
  const collected = votes.collect(HASH)
  assert.equal(await settled(collected), 'waiting')
  votes.close()
  assert.equal(await settled(collected), undefined)
  assert.equal(await settled(votes.collect(HASH)), undefined)
})

test('messages that are not final votes are skipped by their text, without parsing', () => {
  const final = frameOf(voters[0]!, [HASH])
  assert.ok(isVoteFrame(final) && isVoteFrame(JSON.stringify(JSON.parse(final))))
  assert.ok(!isVoteFrame('{"topic":"confirmation","message":{"topic":"vote"}}'))
  assert.deepEqual(scanFinalVote(final), [HASH])
  assert.deepEqual(scanFinalVote(frameOf(voters[0]!, [HASH], { timestamp: 16n, duration: 9 })), [])
  assert.deepEqual(scanFinalVote(`${final}${' '.repeat(32 * 1024)}`), [])
})

test('a node that sends more votes than fit pushes out its own oldest ones and takes no more memory', () => {
  const recent = new RecentVotes(new TestClock(), 10_000)
  const hashes = Array.from({ length: 100 }, (_, at) => at.toString(16).padStart(64, '0').toUpperCase())
  for (const hash of hashes) {
    const text = frameOf(voters[0]!, [hash])
    recent.add(text, scanFinalVote(text))
    assert.ok(recent.bytes <= 10_000)
  }
  assert.deepEqual(recent.listFor(hashes[0]!), [])
  assert.equal(recent.listFor(hashes.at(-1)!).length, 1)
})

test('weights hold where nodes differ by no more than a hundredth: the least of them, against the highest quorum', () => {
  const [a, b, c, d] = voters.map(({ key }) => key) as [string, string, string, string]
  const report = (quorumRaw: bigint, weights: Record<string, bigint>) => ({
    quorumRaw,
    onlineRaw: quorumRaw,
    weights: new Map(Object.entries(weights)),
  })
  const first = report(700n, { [a]: 1_000n, [b]: 1_000n, [c]: 1_000n })
  const second = report(670n, { [a]: 990n, [b]: 989n, [d]: 1_000n })
  assert.deepEqual(agreeOn([first, second]), report(700n, { [a]: 990n }))
  // A lying node can reduce the weight that two others agree on only by contradicting them.
  assert.deepEqual(agreeOn([first, second, report(1n, { [c]: 1_001n })]), report(700n, { [a]: 990n, [c]: 1_000n }))
  assert.deepEqual(agreeOn([first]), first)
})

test('a public proof does not reveal the address of a node', () => {
  const named = ['https://rpc.example.org/key', 'http://[2606:4700::1]:7076'].map(nameSource)
  assert.deepEqual(named, ['rpc.example.org', '[2606:4700::1]:7076'])
  const own = [
    'http://127.0.0.1:7076',
    'http://[fd00::7]:7076',
    'http://node:7076',
    'https://nano.internal',
    'http://10.0.0.5',
  ]
  assert.deepEqual(new Set(own.map(nameSource)), new Set(['private-node']))
})

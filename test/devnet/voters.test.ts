import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { DevnetOptions } from '../../src/devnet/index.ts'
import { RAW_MAX } from '../../src/kernel/money.ts'
import { isFinalVote, readVote, verifyVote } from '../../src/kernel/nano/vote.ts'
import { NO_WORK, Signer, nano } from '../support/blocks.ts'
import { openDevnet, ledgerFile } from '../support/devnet.ts'
import { RECORDED_VOTES } from '../support/recorded-votes.ts'
import { call } from '../support/rpc.ts'
import { WsClient } from '../support/ws-client.ts'

type Frame = { topic: string; message: Record<string, string | string[]> }

async function open(t: TestContext, options: Partial<DevnetOptions> = {}) {
  return openDevnet(t, { thresholds: NO_WORK, confirmAfterMilliseconds: 0, ...options })
}

async function listening(t: TestContext, wsUrl: string, options?: object): Promise<WsClient> {
  const client = await WsClient.connect(t, wsUrl)
  client.send({ action: 'subscribe', topic: 'vote', ...(options && { options }) })
  client.send({ action: 'subscribe', topic: 'confirmation', options: { include_election_info_with_votes: true } })
  await client.settle()
  return client
}

const framesOf = async (client: WsClient) => (await client.settle()).map((frame) => JSON.parse(frame) as Frame)
const weightsOf = async (rpcUrl: string) => {
  const { representatives } = await call(rpcUrl, 'representatives_online', { weight: true })
  return Object.entries(representatives as unknown as Record<string, { weight: string }>)
}

test('by default the ledger votes with one representative, in a real node’s format, before it reports the confirmation', async (t) => {
  const { node, rpcUrl, wsUrl } = await open(t)
  const client = await listening(t, wsUrl)
  const hash = await node.fund(new Signer(1).key, nano(1))
  const [vote, confirmation, ...others] = await framesOf(client)
  assert.deepEqual([vote!.topic, confirmation!.topic, others], ['vote', 'confirmation', []])
  const recorded = RECORDED_VOTES.votes[1]!.message
  assert.deepEqual(Object.keys(vote!.message), Object.keys(recorded))
  const { account, sequence, timestamp, duration, type } = { sequence: '', type: '', ...recorded }
  assert.partialDeepStrictEqual(vote!.message, { account, sequence, timestamp, duration, type, blocks: [hash] })
  const read = readVote(vote!.message)!
  assert.ok(isFinalVote(read) && verifyVote(read))
  const [one, ...more] = await weightsOf(rpcUrl)
  assert.deepEqual([one![0], more], [account, []])
})

test('five representatives have equal parts of the weight, vote for every block, and together are the quorum', async (t) => {
  const { node, rpcUrl, wsUrl } = await open(t, { representatives: 5 })
  const client = await listening(t, wsUrl)
  const weights = await weightsOf(rpcUrl)
  assert.equal(weights.length, 5)
  const sum = weights.reduce((all, [, { weight }]) => all + BigInt(weight), 0n)
  assert.equal(sum, RAW_MAX)
  for (const [address, { weight }] of weights) {
    assert.ok(BigInt(weight) - RAW_MAX / 5n < 5n, `${address} has ${weight}`)
    assert.equal((await call(rpcUrl, 'account_weight', { account: address })).weight, weight)
  }
  const quorum = await call(rpcUrl, 'confirmation_quorum')
  assert.equal(quorum.online_stake_total, sum.toString())
  assert.equal(quorum.quorum_delta, ((sum * 67n) / 100n).toString())

  const hash = await node.fund(new Signer(1).key, nano(1))
  const frames = await framesOf(client)
  const votes = frames.slice(0, 5).map(({ message }) => readVote(message)!)
  assert.deepEqual(
    votes.flatMap((vote) => vote.hashes),
    Array(5).fill(hash),
  )
  assert.ok(votes.every((vote) => isFinalVote(vote) && verifyVote(vote)))
  assert.deepEqual(
    frames
      .slice(0, 5)
      .map(({ message }) => message.account)
      .sort(),
    weights.map(([address]) => address).sort(),
  )
  const told = frames[5]!.message.election_info as unknown as { votes: { representative: string; weight: string }[] }
  assert.equal(told.votes.length, 5)
})

test('a ledger that is opened again has the same representatives, and a reset leaves the genesis account alone with all weight', async (t) => {
  const file = ledgerFile(t)
  const first = await open(t, { file, representatives: 3 })
  const weights = await weightsOf(first.rpcUrl)
  await first.close()
  const second = await open(t, { file, representatives: 3 })
  assert.deepEqual(await weightsOf(second.rpcUrl), weights)
  await call(second.rpcUrl, 'devnet_reset')
  assert.deepEqual(
    (await weightsOf(second.rpcUrl)).map(([, { weight }]) => weight),
    [RAW_MAX.toString()],
  )
})

test('a client that names representatives gets their votes alone; a block that is confirmed again gets no new votes', async (t) => {
  const { node, rpcUrl, wsUrl } = await open(t, { representatives: 3 })
  const [, [second] = ['']] = await weightsOf(rpcUrl)
  const client = await listening(t, wsUrl, { representatives: [second] })
  const alice = new Signer(1)
  const hash = await node.fund(alice.key, nano(1))
  assert.deepEqual(
    (await framesOf(client)).map(({ topic, message }) => (topic === 'vote' ? message.account : topic)),
    [second, 'confirmation'],
  )
  await call(rpcUrl, 'block_confirm', { hash })
  assert.deepEqual(
    (await framesOf(client)).map(({ topic }) => topic),
    ['confirmation'],
  )
})

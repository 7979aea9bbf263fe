import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Devnet } from '../../src/devnet/index.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import type { WorkThresholds } from '../../src/kernel/nano/work.ts'
import { Signer, UNOPENED, frontierOf, nano, publish } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { call, post } from '../support/rpc.ts'

export const GENESIS = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'
/** A few hashes find any work, so that work requests are as fast as others. */
const EASY: WorkThresholds = { epoch1: 0x8000000000000000n, send: 0xc000000000000000n, receive: 0x8000000000000000n }

export async function openTarget(t: TestContext) {
  const devnet = await openDevnet(t, { thresholds: EASY })
  const { node } = devnet
  const alice = new Signer(1, EASY)
  const hash = await node.fund(alice.key, nano(10))
  await publish(node, alice.receive(UNOPENED, hash, nano(10)))
  const block = alice.send(frontierOf(node, alice.key), new Signer(2).key, nano(1))
  const blockText = JSON.stringify(JSON.stringify(toBlockJson(block)))
  const samples: Record<string, string> = {
    account: `"${alice.address}"`,
    accounts: `["${alice.address}", "${GENESIS}"]`,
    account_filter: `["${GENESIS}"]`,
    amount: '"1"',
    amount_nano: '"0.001"',
    address: '"::1"',
    balance: `"${nano(1)}"`,
    block: blockText,
    count: '"2"',
    destination: `"${GENESIS}"`,
    difficulty: '"e000000000000000"',
    hash: `"${hash}"`,
    hashes: `["${hash}"]`,
    head: `"${hash}"`,
    index: '"0"',
    json_block: '"false"',
    id: '"1"',
    kind: '"lag"',
    key: `"${alice.privateKey}"`,
    link: `"${GENESIS}"`,
    ms: '"5"',
    multiplier: '"1.5"',
    offset: '"0"',
    port: '"7075"',
    previous: `"${frontierOf(node, alice.key).previous}"`,
    representative: `"${GENESIS}"`,
    root: `"${hash}${hash}"`,
    seed: `"${'0'.repeat(64)}"`,
    source: '"true"',
    start: `"${GENESIS}"`,
    subtype: '"send"',
    target: '"account_balance"',
    threshold: '"1"',
    type: '"state"',
    unix: '"1900000000"',
    version: '"work_1"',
    wallet: `"${'0'.repeat(64)}"`,
    work: '"0000000000000000"',
  }
  return { devnet, alice, block, samples }
}

export const toBody = (action: string, members: [name: string, json: string][]) =>
  `{"action": "${action}"${members.map(([name, json]) => `, "${name}": ${json}`).join('')}}`

/** Asserts status 200 and JSON that is not an internal error; returns the body. */
export async function answerOf({ rpcUrl }: Devnet, body: string | Uint8Array): Promise<Record<string, unknown>> {
  const { status, text } = await post(rpcUrl, body)
  const asked = body.slice(0, 300).toString()
  assert.equal(status, 200, asked)
  const answer = JSON.parse(text) as Record<string, unknown>
  assert.ok(typeof answer === 'object' && answer !== null, asked)
  assert.notEqual(answer.error, 'Internal server error in RPC', asked)
  return answer
}

export async function assertAlive({ rpcUrl }: Devnet): Promise<void> {
  assert.equal((await call(rpcUrl, 'version')).node_vendor, 'Nano V27.1')
}

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Devnet } from '../../src/devnet/index.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { type PaymentProof, verifyProof } from '../../src/kernel/nano/payment-proof.ts'
import { Signer, give, nano } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { enter } from '../support/form-steps.ts'
import { type Gateway, ask as askUrl, openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const { address } = new Signer(61)

interface Made {
  id: string
  address: string
}

/** A checkout that is paid in full, or in parts. */
async function openPaid(
  gateway: Gateway,
  { node }: Devnet,
  parts = ['1'],
  headers = {},
): Promise<Made & { hashes: string[] }> {
  const amount = `${parts.reduce((sum, part) => sum + Number(part), 0)}`
  const mode = parts.length > 1 ? { mode: 'unique_address' } : {}
  const made = (await gateway.call('checkout', { address, amount, ...mode }, headers)).json<
    Made & { amount_raw: string }
  >()
  const hashes: string[] = []
  for (const part of parts) {
    const raw = parts.length > 1 ? nano(Number(part)) : toRaw(BigInt(made.amount_raw))
    hashes.push(await give(node, fromAddress(made.address)!, raw))
  }
  await until(async () => (await check(gateway, made.id)) === 'complete')
  return { ...made, hashes }
}

const check = async ({ rest }: Gateway, id: string) =>
  (await rest('GET', `/check/${id}`)).json<{ status: string }>().status

const ask = async (gateway: Gateway, id: string, query = '') => gateway.rest('GET', `/checkout/${id}/proof${query}`)

async function proofOf(gateway: Gateway, id: string, query = ''): Promise<PaymentProof> {
  await until(async () => (await ask(gateway, id, query)).status === 200)
  return (await ask(gateway, id, query)).json<PaymentProof>()
}

async function openShop(t: TestContext, env: Record<string, string> = {}) {
  const gateway = await openGateway(t, { PROOF: 'votes', DEVNET_REPRESENTATIVES: '5', ...env })
  return { gateway, ledger: gateway.app.devnet! }
}

test('a payment is proved by the votes of representatives with more weight than the quorum (contract 4.6, Payment verification: GET /checkout/<id>/proof; 7, Texts and codes: proof of a checkout that is not complete, or of a payment that counts since a moment)', async (t) => {
  const { gateway, ledger } = await openShop(t)
  const { id, hashes, ...made } = await openPaid(gateway, ledger)
  const proof = await proofOf(gateway, id)
  const verdict = verifyProof(proof)
  assert.ok(verdict.ok)
  assert.deepEqual([verdict.hash, verdict.to, verdict.representatives], [hashes[0], made.address, 4])
  assert.ok(verdict.weight_percent > 67 && verdict.weight_percent < 81)
  assert.deepEqual(proof.source, ['private-node'], 'where the operator’s own node stands is not public')
  // An open checkout has no proof yet, and an unknown one is not found.
  const open = (await gateway.call('checkout', { address, amount: '2' })).json<Made>()
  const refused = await ask(gateway, open.id)
  assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [404, 'proof_not_available'])
  const unknown = await ask(gateway, '0'.repeat(16))
  assert.deepEqual([unknown.status, unknown.json<{ code: string }>().code], [404, 'not_found'])
  assert.equal((await ask(gateway, id, '?block=x')).status, 400)
})

test('each block that has paid a part has its proof, and the merchant’s page leads to it', async (t) => {
  const { gateway, ledger } = await openShop(t)
  const merchant = await gateway.join()
  const { id, hashes } = await openPaid(gateway, ledger, ['1', '2'], merchant.headers)
  const amounts = []
  for (const hash of hashes) amounts.push((await proofOf(gateway, id, `?block=${hash}`)).amount_raw)
  assert.deepEqual(amounts, [nano(1), nano(2)].map(String))
  assert.equal((await ask(gateway, id, `?block=${'0'.repeat(64)}`)).status, 404)
  const headers = { cookie: await enter(gateway, merchant.key) }
  const { text } = await askUrl(`${gateway.url}/dashboard/checkouts/${id}`, { method: 'GET', headers })
  for (const hash of hashes) assert.ok(text.includes(`/checkout/${id}/proof?block=${hash}`))
})

test('payer and receipt lead to the proof, and the gateway computes no signature for those who read it', async (t) => {
  const { gateway, ledger } = await openShop(t)
  const { id, hashes } = await openPaid(gateway, ledger)
  const stored = await proofOf(gateway, id)
  const paid = await askUrl(`${gateway.url}/pay/${id}`, { method: 'GET', headers: { accept: 'text/html' } })
  assert.match(paid.text, new RegExp(`href="/checkout/${id}/proof"`))
  const receipt = await gateway.rest('GET', `/pay/${id}/receipt`)
  assert.match(receipt.text, new RegExp(`href="/checkout/${id}/proof\\?block=${hashes[0]}"`))
  // For an invalid proof the page must not claim a success: the reader's own browser verifies.
  const { db } = gateway.ctx
  const wrong = JSON.stringify({ ...stored, checksum: '0'.repeat(64) })
  await db.updateTable('checkout_proofs').set({ proof: wrong }).execute()
  const page = await askUrl(`${gateway.url}/checkout/${id}/proof`, { method: 'GET', headers: { accept: 'text/html' } })
  assert.match(page.text, /Your browser is checking the proof/)
})

test('a gateway that is not set to prove payments asks for no votes and says that it makes no proofs (contract 7, Texts and codes: proof of a payment whose votes were not kept)', async (t) => {
  const { gateway, ledger } = await openShop(t, { PROOF: 'off' })
  const { id } = await openPaid(gateway, ledger)
  const { status, text } = await ask(gateway, id)
  assert.equal(status, 409)
  assert.match(text, /"no_votes"/)
  assert.match(text, /makes no proofs/)
  for (const path of [`/pay/${id}`, `/pay/${id}/receipt`]) {
    assert.doesNotMatch((await gateway.rest('GET', path)).text, /\/proof/)
  }
  assert.equal(gateway.app.nodes.votes, undefined)
})

/** Two nodes of one ledger; the second one reports other weights. */
async function openPair(t: TestContext, lie: (online: Record<string, { weight: string }>) => object) {
  const ledger = await openDevnet(t, { representatives: 5 })
  const [first, second] = [await FaultyNode.start(t, { ledger }), await FaultyNode.start(t, { ledger })]
  second.lie('representatives_online', (answer) => ({
    representatives: lie(answer.representatives as unknown as Record<string, { weight: string }>),
  }))
  const gateway = await openGateway(t, {
    ...{ PROOF: 'votes', NODE_NETWORK: 'dev', NODE_URLS: `${first.url},${second.url}` },
    NODE_WS_URLS: `${ledger.wsUrl},${ledger.wsUrl}`,
  })
  const { confirmations, pool } = gateway.app.nodes
  await until(() => confirmations.connected && pool.upstreams.every(({ healthy }) => healthy))
  return { gateway, ledger }
}

test('weights are asked of several nodes, and the least is taken where they differ by no more than a hundredth', async (t) => {
  const { gateway, ledger } = await openPair(t, (online) =>
    Object.fromEntries(
      Object.entries(online).map(([key, { weight }]) => [key, { weight: `${(BigInt(weight) * 995n) / 1_000n}` }]),
    ),
  )
  const { id } = await openPaid(gateway, ledger)
  const { weights, source } = await proofOf(gateway, id)
  assert.equal(source.length, 2)
  const whole = ledger.node.listOnline().map(({ key }) => ledger.node.ledger.store.weightOf(key))
  for (const raw of Object.values(weights)) assert.ok(whole.every((weight) => BigInt(raw) < weight))
})

test('where a node says another weight of one representative, the others prove the payment without it', async (t) => {
  let liedAbout = ''
  const { gateway, ledger } = await openPair(t, (online) => {
    const [[key, { weight }], ...others] = Object.entries(online) as [[string, { weight: string }]]
    liedAbout = key
    return Object.fromEntries([...others, [key, { weight: `${(BigInt(weight) * 98n) / 100n}` }]])
  })
  const { id } = await openPaid(gateway, ledger)
  const { weights } = await proofOf(gateway, id)
  assert.equal(Object.keys(weights).length, 4)
  assert.ok(!Object.hasOwn(weights, liedAbout))
})

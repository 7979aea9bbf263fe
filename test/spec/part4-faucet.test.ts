import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { give } from '../support/blocks.ts'
import { turningWhenStuck } from '../support/clock.ts'
import { bearer } from '../support/gateway.ts'
import { row } from './row.ts'
import { type Claimed, DAY, GIFT, assertAccounted, openFaucet, signer } from '../support/faucet-steps.ts'

/* Contract 4.1, faucet: who gets what, how often, and the refusals. */

test('a claim is paid from the treasury, answered as the contract says, and then waits a day (contract 1, Product areas: 3. Faucet; 3, rule 15; 4.1, Payments, wallets, faucet, swap: faucet_check, faucet_claim; 4.1, rules 4, 21 and 22; 2, rule 23; 8, Other areas: claim; 9, Synonyms: faucet_check, faucet_claim)', async (t) => {
  const world = await openFaucet(t)
  await world.funded()
  const { clock } = world
  const [key, address] = [await world.join(), signer(1)]
  const before = (await world.call('faucet_check', address)).json<Record<string, unknown>>()
  const now = clock.now()
  const gift = { amount: '0.001', amount_raw: '1000000000000000000000000000' }
  row('2, Faucet check: eligible, amount, amount_raw, next_claim_unix, reason', () =>
    assert.deepEqual(before, { eligible: true, ...gift, next_claim_unix: now / 1000 }),
  )
  const reply = await world.claim(address, key)
  assert.equal(reply.status, 200, reply.text)
  const [stored] = await world.db.selectFrom('faucet_claims').select(['id', 'address', 'amount_raw']).execute()
  assert.deepEqual([stored!.address, stored!.amount_raw], [address, GIFT.toString()])
  const answer = reply.json<Claimed>()
  const { claim } = answer
  const { id, tx_hash } = claim
  row('2, Faucet claim: success, message, claim, id, nano_address, amount, amount_raw, status, created_at', () =>
    assert.deepEqual(answer, {
      success: true,
      message: 'You have been sent 0.001 nano.',
      claim: { id, nano_address: address, ...gift, status: 'sent', tx_hash, created_at: now },
    }),
  )
  assert.equal(id, stored!.id)
  assert.match(id, /^fct_[A-Za-z0-9]+$/)
  const block = await world.gateway.call('block_info', { hash: tx_hash })
  const { amount, contents } = block.json<{ amount: string; contents: Record<string, string> }>()
  row('2, Faucet claim: tx_hash', () =>
    assert.deepEqual([contents.link_as_account, amount], [address, gift.amount_raw]),
  )
  assert.equal(world.fundsOf(address), GIFT)

  const again = await world.claim(address, key)
  assert.deepEqual([again.status, again.json<{ retry_after: number }>().retry_after], [429, DAY])
  assert.equal(again.headers['retry-after'], String(DAY))
  // A client that lost the reply finds the claim in the refusal.
  assert.deepEqual(again.json<Claimed>().claim, claim)
  const other = await world.claim(signer(2), key)
  assert.match(other.json().detail!, /account has claimed/)
  assert.equal(other.json().claim, undefined)
  const stranger = await world.claim(address, await world.join())
  assert.match(stranger.json().detail!, /address has received/)
  assert.equal(stranger.json().claim, undefined)
  const told = await world.check(address)
  const reason = 'This address has received a claim in the last 24 hours.'
  row('2, Faucet check: eligible, reason, next_claim_unix', () =>
    assert.deepEqual(told, { eligible: false, ...gift, reason, next_claim_unix: now / 1000 + DAY }),
  )
  clock.advance(DAY * 1000)
  assert.equal((await world.check(address, key)).eligible, true)
  // Other names of the address field.
  for (const [at, field] of ['address', 'account', 'nano_address'].entries()) {
    const [headers, address] = [bearer(await world.join()), signer(10 + at)]
    const ask = async (action: string) =>
      (await turningWhenStuck(clock, world.gateway.call(action, { [field]: address }, headers))).json<
        Claimed & { eligible: boolean }
      >()
    assert.equal((await ask('faucet_check')).eligible, true)
    assert.equal((await ask('faucet_claim')).claim.nano_address, address)
    assert.equal(world.fundsOf(address), GIFT)
    assert.equal((await ask('faucet_check')).eligible, false)
  }
  await assertAccounted(world, parseNano('1')!)
})

test('an empty treasury is 403 with a clear text, and costs nobody their claim of the day (contract 4.1, rule 22)', async (t) => {
  const world = await openFaucet(t, { DEVNET_TREASURY_NANO: '0' })
  const [key, address] = [await world.join(), signer(1)]
  const reply = await world.claim(address, key)
  assert.deepEqual([reply.status, reply.json().code], [403, 'insufficient_funds'])
  assert.match(reply.json().error!, /faucet is empty/)
  assert.deepEqual((await world.check(address, key)).eligible, false)
  await give(world.gateway.app.devnet!.node, fromAddress((await world.treasury()).address)!, GIFT)
  await world.funded()
  assert.equal((await world.claim(address, key)).status, 200)
  // Nothing is left in the treasury.
  assert.equal(world.fundsOf((await world.treasury()).address), 0n)
})

test('a network has three claims a day, for any accounts and addresses, and all claims share a budget (contract 4.1, rules 21 and 22; 8, Other areas: claim)', async (t) => {
  const world = await openFaucet(t, { FAUCET_PER_NETWORK_MAX: '3', FAUCET_DAILY_NANO: '0.0089' })
  await world.funded()
  const begun = world.clock.now() / 1000
  let claims = 0
  const from = async (ip: string) =>
    (await world.claim(signer(++claims), await world.join(), { 'x-forwarded-for': ip })).status
  const four = ['203.0.113.1', '203.0.113.2', '203.0.113.77', '203.0.113.200', '203.0.114.1']
  const six = ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:ffff::1', '2001:db8:1:3::1', '2001:db8:2::1']
  for (const ips of [four, six]) {
    for (const [at, ip] of ips.entries()) assert.equal(await from(ip), at === 3 ? 429 : 200, ip)
  }
  const near = await world.check(signer(50), undefined, { 'x-forwarded-for': '203.0.113.9' })
  assert.deepEqual([near.eligible, near.next_claim_unix], [false, begun + DAY])
  // Eight have been paid; 0.0089 nano are eight gifts and a remainder.
  const last = await world.claim(signer(60), await world.join(), { 'x-forwarded-for': '198.51.100.1' })
  const { code, retry_after, detail } = last.json<Record<string, unknown>>()
  assert.deepEqual([last.status, code, retry_after], [429, 'too_many_requests', DAY])
  assert.equal(detail, 'The faucet has given away its budget of the day.')
  world.clock.advance(DAY * 1000)
  assert.equal(await from('203.0.113.9'), 200)
  await assertAccounted(world, parseNano('1')!)
})

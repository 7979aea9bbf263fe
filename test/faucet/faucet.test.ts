import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openIds } from '../../src/infra/ids.ts'
import { systemRandom } from '../../src/infra/random.ts'
import { parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { createAccount, issueKey } from '../../src/modules/accounts/index.ts'
import { networkOf } from '../../src/modules/faucet/domain/network.ts'
import { Signer } from '../support/blocks.ts'
import { TestClock, turningWhenStuck } from '../support/clock.ts'
import { type Reply, openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const DAY = 86_400

interface Claimed {
  success: boolean
  message: string
  claim: { id: string; nano_address: string; amount: string; status: string; tx_hash: string; created_at: number }
}

const signer = (index: number) => new Signer(800 + index).address
const GIFT = parseNano('0.001')!

async function open(t: TestContext, env: Record<string, string> = {}) {
  const clock = new TestClock()
  const gateway = await openGateway(
    t,
    { DEVNET_TREASURY_NANO: '1', FAUCET_PER_NETWORK_MAX: '0', TRUSTED_PROXIES: 'loopback', ...env },
    clock,
  )
  const { db, notices } = gateway.app.store
  const ids = openIds(systemRandom)
  const ctx = { db, clock, random: systemRandom, ids, wakeJobs: () => notices.publish('jobs', '') }
  const join = async () => {
    const { id: accountId } = await createAccount(ctx, { email: null, role: 'user', actor: 'test' })
    return (await issueKey(ctx, { accountId, kind: 'secret', name: 'test', actor: 'test' })).text
  }
  const { node } = gateway.app.devnet!
  const fundsOf = (address: string) => {
    const account = fromAddress(address)!
    return (node.ledger.store.findAccount(account)?.balance ?? 0n) + node.ledger.receivableSum(account, false)
  }
  const treasury = async () =>
    db.selectFrom('wallets').selectAll().where('purpose', '=', 'treasury').executeTakeFirstOrThrow()
  const call = (action: string, address: string, key?: string, headers: Record<string, string> = {}) =>
    turningWhenStuck(
      clock,
      gateway.call(
        action,
        { nano_address: address },
        { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
      ),
    )
  const claim = (address: string, key: string, headers?: Record<string, string>) =>
    call('faucet_claim', address, key, headers)
  const check = async (address: string, key?: string, headers?: Record<string, string>) =>
    (await call('faucet_check', address, key, headers)).json<{
      eligible: boolean
      reason?: string
      next_claim_unix: number
    }>()
  const funded = () => until(async () => (await treasury()).balance_raw !== '0')
  return { gateway, clock, join, fundsOf, treasury, claim, check, call, funded, db }
}

/** Every gift is on the ledger, once, and nothing else has left the treasury. */
async function assertAccounted(world: Awaited<ReturnType<typeof open>>, total: bigint): Promise<void> {
  const claims = await world.db.selectFrom('faucet_claims').selectAll().execute()
  const given = [...new Set(claims.map(({ address }) => address))].reduce((sum, one) => sum + world.fundsOf(one), 0n)
  const sum = claims.reduce((all, { amount_raw: amount }) => all + BigInt(amount), 0n)
  assert.equal(given, sum)
  assert.equal(given + world.fundsOf((await world.treasury()).address), total)
}

test('a claim is paid from the treasury, answered as the contract says, and then waits a day (contract 1, Product areas: 3. Faucet; 3, rule 15; 4.1, Payments, wallets, faucet, swap: faucet_check, faucet_claim; 4.1, rules 4, 21 and 22; 8, Other areas: claim)', async (t) => {
  const world = await open(t)
  await world.funded()
  const { clock } = world
  const [key, address] = [await world.join(), signer(1)]
  const before = (await world.call('faucet_check', address)).json<Record<string, unknown>>()
  const now = clock.now()
  assert.deepEqual(before, {
    eligible: true,
    amount: '0.001',
    amount_raw: '1000000000000000000000000000',
    next_claim_unix: now / 1000,
  })
  const reply = await world.claim(address, key)
  assert.equal(reply.status, 200, reply.text)
  const [stored] = await world.db.selectFrom('faucet_claims').select(['id', 'address', 'amount_raw']).execute()
  assert.deepEqual([stored!.address, stored!.amount_raw], [address, GIFT.toString()])
  const { success, message, claim } = reply.json<Claimed>()
  assert.deepEqual([success, message], [true, 'You have been sent 0.001 nano.'])
  assert.deepEqual([claim.nano_address, claim.amount, claim.status, claim.created_at], [address, '0.001', 'sent', now])
  assert.match(claim.tx_hash, /^[0-9A-F]{64}$/)
  assert.equal(claim.id, stored!.id)
  assert.match(claim.id, /^fct_/)
  assert.equal(world.fundsOf(address), GIFT)

  const again = await world.claim(address, key)
  assert.deepEqual([again.status, again.json<{ retry_after: number }>().retry_after], [429, DAY])
  assert.equal(again.headers['retry-after'], String(DAY))
  // Whoever lost the reply finds the claim in the refusal.
  assert.equal(again.json<Claimed>().claim.tx_hash, claim.tx_hash)
  const other = await world.claim(signer(2), key)
  assert.match(other.json().error!, /account has claimed/)
  const stranger = await world.claim(address, await world.join())
  assert.match(stranger.json().error!, /address has received/)
  assert.equal(stranger.json().claim, undefined)
  const told = await world.check(address)
  assert.deepEqual([told.eligible, told.next_claim_unix], [false, now / 1000 + DAY])
  clock.advance(DAY * 1000)
  assert.equal((await world.check(address, key)).eligible, true)
  await assertAccounted(world, parseNano('1')!)
})

test('401 without a key, 400 for what is no address, by the name of the field (contract 5, rule 4; 5, What needs a key: faucet_claim)', async (t) => {
  const world = await open(t)
  const none = await world.call('faucet_claim', signer(1))
  assert.deepEqual([none.status, /API key required/.test(none.json().error!)], [401, true])
  for (const wrong of ['nano_wrong', '', '@nobody']) {
    const reply = await world.claim(wrong, await world.join())
    assert.deepEqual([reply.status, reply.json().field], [400, 'nano_address'], reply.text)
  }
})

test('an empty treasury is 403 with a clear text, and costs nobody their claim of the day (contract 4.1, rule 22)', async (t) => {
  const world = await open(t, { DEVNET_TREASURY_NANO: '0' })
  const [key, address] = [await world.join(), signer(1)]
  const reply = await world.claim(address, key)
  assert.deepEqual([reply.status, reply.json().code], [403, 'insufficient_funds'])
  assert.match(reply.json().error!, /faucet is empty/)
  assert.deepEqual((await world.check(address, key)).eligible, false)
  await world.gateway.app.devnet!.node.fund(fromAddress((await world.treasury()).address)!, GIFT)
  await world.funded()
  assert.equal((await world.claim(address, key)).status, 200)
  // And the very last raw was given.
  assert.equal(world.fundsOf((await world.treasury()).address), 0n)
})

test('twenty claims at once never exceed the budget, and each promise is kept (contract 4.1, rule 21; 8, Other areas: claim)', async (t) => {
  const world = await open(t, { FAUCET_DAILY_NANO: '0.0075' })
  await world.funded()
  const claims = Array.from({ length: 20 }, async (_, index) => ({ key: await world.join(), address: signer(index) }))
  const replies = await Promise.all((await Promise.all(claims)).map(({ address, key }) => world.claim(address, key)))
  assert.deepEqual(counts(replies), { 200: 7, 429: 13 })
  await assertAccounted(world, parseNano('1')!)
})

test('a treasury that holds three gifts gives three, however many ask at once', async (t) => {
  const world = await open(t, { DEVNET_TREASURY_NANO: '0' })
  await world.gateway.app.devnet!.node.fund(fromAddress((await world.treasury()).address)!, (GIFT * 3n + 1n) as never)
  await world.funded()
  const claims = Array.from({ length: 10 }, async (_, index) => ({ key: await world.join(), address: signer(index) }))
  const replies = await Promise.all((await Promise.all(claims)).map(({ address, key }) => world.claim(address, key)))
  assert.deepEqual(counts(replies), { 200: 3, 403: 7 })
  await assertAccounted(world, GIFT * 3n + 1n)
})

test('one account that asks for everything at once is paid once (contract 4.1, rule 21)', async (t) => {
  const world = await open(t)
  await world.funded()
  const key = await world.join()
  const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => world.claim(signer(index), key)))
  assert.deepEqual(counts(replies), { 200: 1, 429: 19 })
  const sameAddress = await Promise.all(
    Array.from({ length: 10 }, async () => world.claim(signer(100), await world.join())),
  )
  assert.deepEqual(counts(sameAddress), { 200: 1, 429: 9 })
  await assertAccounted(world, parseNano('1')!)
})

test('the same Idempotency-Key is the same claim, also a day later', async (t) => {
  const world = await open(t)
  await world.funded()
  const [key, address] = [await world.join(), signer(1)]
  const named = { 'idempotency-key': 'one' }
  const first = (await world.claim(address, key, named)).json<Claimed>()
  assert.deepEqual((await world.claim(address, key, named)).json<Claimed>(), first)
  world.clock.advance(2 * DAY * 1000)
  assert.deepEqual((await world.claim(address, key, named)).json<Claimed>(), first)
  assert.equal((await world.claim(signer(2), key, { 'idempotency-key': 'one' })).status, 409)
  assert.equal(world.fundsOf(address), GIFT)
})

test('a network has its own limit, whatever accounts and addresses it brings (contract 4.1, rule 22; 8, Other areas: claim)', async (t) => {
  const world = await open(t, { FAUCET_PER_NETWORK_MAX: '3' })
  await world.funded()
  const from = async (ip: string, index: number) =>
    (await world.claim(signer(index), await world.join(), { 'x-forwarded-for': ip })).status
  const statuses: number[] = []
  for (const [index, ip] of ['203.0.113.1', '203.0.113.2', '203.0.113.77', '203.0.113.200', '203.0.114.1'].entries()) {
    statuses.push(await from(ip, index))
  }
  assert.deepEqual(statuses, [200, 200, 200, 429, 200])
  assert.equal((await world.check(signer(50), undefined, { 'x-forwarded-for': '203.0.113.9' })).eligible, false)
  assert.equal(networkOf('2001:db8:1:2::/64'), networkOf('2001:db8:1:ffff::/64'))
  assert.notEqual(networkOf('2001:db8:1:2::/64'), networkOf('2001:db8:2:2::/64'))
})

test('nothing for our own wallets, nor for an address that never picks up its gifts', async (t) => {
  const world = await open(t)
  await world.funded()
  const own = await world.claim((await world.treasury()).address, await world.join())
  assert.deepEqual([own.status, own.json().field], [403, 'nano_address'])
  for (let day = 0; day < 11; day++) {
    assert.equal((await world.claim(signer(1), await world.join())).status, 200)
    world.clock.advance(DAY * 1000)
  }
  const full = await world.claim(signer(1), await world.join())
  assert.match(full.json().error!, /More than 10 claims wait/)
  const closed = await open(t, { FAUCET_NANO: '0' })
  assert.equal((await closed.claim(signer(1), await closed.join())).json().code, 'feature_disabled')
  assert.equal((await closed.check(signer(1))).reason, 'The faucet is closed.')
})

function counts(replies: Reply[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { status } of replies) found[status] = (found[status] ?? 0) + 1
  return found
}

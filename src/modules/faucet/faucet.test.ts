import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNano } from '../../kernel/money.ts'
import { fromAddress } from '../../kernel/nano/address.ts'
import { give } from '../../../test/support/blocks.ts'
import type { Reply } from '../../../test/support/gateway.ts'
import { type Claimed, DAY, GIFT, assertAccounted, openFaucet, signer } from '../../../test/support/faucet-steps.ts'

/* What the faucet guarantees for many simultaneous claims; test/spec/part4-faucet.test.ts tests the rest. */

test('a treasury that holds three gifts gives three, however many ask at once', async (t) => {
  const world = await openFaucet(t, { DEVNET_TREASURY_NANO: '0' })
  await give(world.gateway.app.devnet!.node, fromAddress((await world.treasury()).address)!, (GIFT * 3n + 1n) as never)
  await world.funded()
  const claims = Array.from({ length: 10 }, async (_, index) => ({ key: await world.join(), address: signer(index) }))
  const replies = await Promise.all((await Promise.all(claims)).map(({ address, key }) => world.claim(address, key)))
  assert.deepEqual(counts(replies), { 200: 3, 403: 7 })
  await assertAccounted(world, GIFT * 3n + 1n)
})

test('one account that asks for everything at once is paid once (contract 4.1, rule 21)', async (t) => {
  const world = await openFaucet(t)
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
  const world = await openFaucet(t)
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

test('nothing for our own wallets, nor for an address that never picks up its gifts', async (t) => {
  const world = await openFaucet(t)
  await world.funded()
  const own = await world.claim((await world.treasury()).address, await world.join())
  assert.deepEqual([own.status, own.json().field], [403, 'nano_address'])
  for (let day = 0; day < 11; day++) {
    assert.equal((await world.claim(signer(1), await world.join())).status, 200)
    world.clock.advance(DAY * 1000)
  }
  const full = await world.claim(signer(1), await world.join())
  assert.match(full.json().error!, /More than 10 claims wait/)
  const closed = await openFaucet(t, { FAUCET_NANO: '0' })
  assert.equal((await closed.claim(signer(1), await closed.join())).json().code, 'feature_disabled')
  assert.equal((await closed.check(signer(1))).reason, 'The faucet is closed.')
})

function counts(replies: Reply[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { status } of replies) found[status] = (found[status] ?? 0) + 1
  return found
}

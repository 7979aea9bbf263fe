import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signHash } from '../../kernel/nano/keys.ts'
import { Signer } from '../../../test/support/blocks.ts'
import { ENGINES } from '../../../test/support/engines.ts'
import { ask } from '../../../test/support/gateway.ts'
import { bearer, nano, turnUntil, untilStatus } from '../../../test/support/checkout-steps.ts'
import {
  askChange,
  assertAccounted,
  lease,
  offer,
  openMarket,
  openStall,
  priceOf,
  sign,
  untilOrder,
  untilQuiet,
  untilRefunded,
} from '../../../test/support/username-steps.ts'

/* Who may change a name: its owner, by a key or a signature, and never somebody who makes others pay. */

const HOUR = 3_600_000

for (const engine of ENGINES) {
  test(`a hostile site makes an owner pay for a change to its own address: the name stays, and the fee goes back after a day (contract 3, rule 10; 4.1, rule 18) on ${engine}`, async (t) => {
    const { market, shop, person: alice } = await openStall(t, engine)
    const thief = await market.person()
    await lease(market, shop, alice, 'alice', '1 Year')
    const { key } = await shop.join()
    const funds = market.fundsOf(alice.address)
    // With and without a key, and an extension that would make the name belong to that account.
    const wanted = { name: 'alice', address: thief.address }
    const traps = [await askChange(shop, wanted), await askChange(shop, wanted, bearer(key))]
    const extension = await offer(shop, 'alice', bearer(key))
    for (const trap of traps) {
      assert.equal(trap.authorized, false)
      const record = (await ask(trap.json, { method: 'GET' })).json()
      assert.ok(record.description!.startsWith(`@alice would point to ${thief.address}. This is a fee`))
      await market.send(alice, trap.address, trap.amount_raw)
      const { status, success, order, ...check } = await untilOrder(shop, trap.id, 'unauthorized')
      assert.deepEqual([status, success, 'block' in check, 'message' in check], ['detected', false, false, false])
      assert.equal(order.authorize_by_unix, Math.floor(market.clock.now() / 1000) + 24 * 3_600)
    }
    await market.send(alice, extension.address, priceOf(extension, '1 Month'))
    await untilOrder(shop, extension.id, 'applied')
    const taken = await shop.call('update_name', { ...wanted, id: traps[0]!.id }, bearer(key))
    assert.deepEqual([taken.status, taken.json().code], [403, 'not_the_owner'])
    for (const fields of [sign(thief, traps[0]!, wanted), { ...sign(alice, traps[1]!, wanted), id: traps[0]!.id }]) {
      const refused = await shop.call('update_name', fields)
      assert.deepEqual([refused.status, refused.json().code, refused.json().field], [403, 'not_the_owner', 'signature'])
    }
    await untilQuiet(market, shop)
    market.clock.leap(24 * HOUR)
    for (const { id, amount, amount_raw } of traps) {
      const check = await untilRefunded(market, shop, id)
      assert.deepEqual([check.status, check.success, check.order.reason], ['refunded', false, 'not_authorized'])
      const { hash, ...refund } = check.refund!
      assert.deepEqual(refund, { amount, amount_raw, address: alice.address })
      assert.match(hash!, /^[0-9A-F]{64}$/)
    }
    const { lease: current } = await offer(shop, 'alice')
    assert.deepEqual([current!.owner, current!.address], [alice.address, alice.address])
    const extended = BigInt(priceOf(extension, '1 Month'))
    assert.equal(market.fundsOf(alice.address), funds - extended)
    await assertAccounted(market, shop)
  })

  test(`a signed change is made once it is paid, or at once if it was paid before: by anybody, and once (contract 4.1, rule 18) on ${engine}`, async (t) => {
    const market = await openMarket(t, engine)
    const shop = await market.start()
    const [alice, bob, savings] = [await market.person(), await market.person(), new Signer(920)]
    await lease(market, shop, alice, 'Alice')
    const changes = { name: '@ALICE', address: savings.address, title: 'Zürich “€”', metadata: { b: [1, 2], a: null } }

    // The owner has signed, and somebody else pays as a favour.
    const first = await askChange(shop, { name: 'alice' })
    const word = sign(alice, first, changes)
    const said = await askChange(shop, word)
    assert.deepEqual([said.authorized, said.id, said.amount_raw], [true, first.id, first.amount_raw])
    assert.equal((await offer(shop, 'alice')).lease!.address, alice.address, 'nothing changes before it is paid')
    // The same request again gives the same result; another change needs another offer, even with an older signature.
    assert.equal((await askChange(shop, word)).authorized, true)
    const other = await shop.call('update_name', sign(alice, first, { name: 'alice', title: 'Other' }))
    assert.deepEqual([other.status, other.json().code], [409, 'conflict'])
    await market.send(bob, first.address, first.amount_raw)
    await untilStatus(shop, first.id, 'complete')
    const { address, title, metadata } = (await offer(shop, 'alice')).lease!
    assert.deepEqual(
      { address, title, metadata },
      { address: savings.address, title: changes.title, metadata: changes.metadata },
    )
    assert.equal((await askChange(shop, word)).authorized, true, 'a repeated word changes nothing more')

    // Paid first, then signed; the changes were already in the request for the offer.
    const second = await askChange(shop, { name: 'alice', remove: ['metadata', 'title'], location: 'Basel' })
    await market.send(alice, second.address, second.amount_raw)
    await untilOrder(shop, second.id, 'unauthorized')
    const { id, signature } = sign(alice, second, { name: 'alice', remove: ['metadata', 'title'], location: 'Basel' })
    await askChange(shop, { name: 'alice', id, signature })
    assert.equal((await shop.check(second.id)).status, 'complete', 'at once')
    const { lease: current } = await offer(shop, 'alice')
    assert.deepEqual([current!.title, current!.metadata, current!.location], [undefined, undefined, 'Basel'])
    assert.equal(market.fundsOf(bob.address), nano('100') - BigInt(first.amount_raw))
    await untilQuiet(market, shop)
    await assertAccounted(market, shop)
  })
}

test('the account whose key bought a name changes and extends it with the key; anybody may pay (contract 3, rule 10; 2, rule 7)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const bob = await market.person()
  const [{ key }, { key: foreign }] = [await shop.join(), await shop.join()]
  const bought = await offer(shop, 'alice', bearer(key))
  await market.send(alice, bought.address, priceOf(bought, '1 Year'))
  await untilOrder(shop, bought.id, 'applied')
  const change = await askChange(shop, { name: 'alice', title: 'Shop' }, bearer(key))
  assert.equal(change.authorized, true)
  await market.send(bob, change.address, change.amount_raw)
  await untilOrder(shop, change.id, 'applied')
  const later = await askChange(shop, { name: 'alice' }, bearer(foreign))
  assert.deepEqual([later.authorized, later.changes, later.to_sign], [false, undefined, undefined])
  await askChange(shop, { name: 'alice', id: later.id, location: 'Here' }, bearer(key))
  await market.send(bob, later.address, later.amount_raw)
  await untilOrder(shop, later.id, 'applied')
  const longer = await offer(shop, 'alice', bearer(key))
  await market.send(bob, longer.address, priceOf(longer, '1 Year'))
  await untilOrder(shop, longer.id, 'applied')
  const { lease: current } = await offer(shop, 'alice')
  const { owner, title, location, expires } = current!
  assert.deepEqual([owner, title, location, expires], [alice.address, 'Shop', 'Here', 'November 15, 2028'])
  // An offer made with a key of one stranger and paid by another extends nothing.
  const strange = await offer(shop, 'alice', bearer(foreign))
  await market.send(bob, strange.address, priceOf(strange, '1 Year'))
  assert.equal((await untilRefunded(market, shop, strange.id)).order.reason, 'name_taken')
})

test('a word that is wrong, old, for another offer or after the end of the lease counts nothing (contract 4.1, rule 18)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const bob = await market.person()
  await lease(market, shop, alice, 'alice', '2 Days')
  await lease(market, shop, bob, 'bob', '1 Year')
  const asked = await askChange(shop, { name: 'alice', title: 'Shop' })
  const word = sign(alice, asked, { name: 'alice', title: 'Shop' })
  const blockLike = signHash(alice.privateKey, Buffer.from(asked.to_sign!).toString('hex').slice(0, 64))
  const refusals: [fields: object, status: number, code: string, field: string][] = [
    [{ ...word, id: undefined }, 400, 'invalid_request', 'id'],
    [{ ...word, id: 'f'.repeat(16) }, 400, 'invalid_request', 'id'],
    [{ ...word, id: '\u0000' }, 400, 'invalid_request', 'id'],
    [{ ...word, name: 'bob' }, 400, 'invalid_request', 'id'],
    [{ ...word, title: 'Other' }, 403, 'not_the_owner', 'signature'],
    [{ ...word, remove: ['location'] }, 403, 'not_the_owner', 'signature'],
    [{ ...word, signature: blockLike }, 403, 'not_the_owner', 'signature'],
    [{ ...word, signature: '0'.repeat(128) }, 403, 'not_the_owner', 'signature'],
    [{ ...word, signature: undefined }, 403, 'not_the_owner', 'signature'],
    [{ ...word, signature: 'abc' }, 400, 'invalid_request', 'signature'],
    [{ name: 'alice', remove: ['name'] }, 400, 'invalid_request', 'remove'],
    [{ name: 'alice', remove: ['title'], title: 'Shop' }, 400, 'invalid_request', 'remove'],
  ]
  for (const [fields, status, code, field] of refusals) {
    const refused = await shop.call('update_name', fields)
    assert.deepEqual([refused.status, refused.json().code, refused.json().field], [status, code, field], refused.text)
  }
  const told = await shop.call('update_name', { ...word, signature: '0'.repeat(128) })
  assert.equal(told.json().to_sign, asked.to_sign, 'whoever has the key learns what to sign')
  // Signed in time, but when it is paid the name belongs to somebody else: the fee is refunded.
  await askChange(shop, word)
  await untilQuiet(market, shop)
  market.clock.leap(4 * 24 * HOUR)
  const free = await offer(shop, 'alice')
  await market.send(bob, free.address, priceOf(free, '1 Year'))
  await turnUntil(market, 1_000, async () => (await shop.check(free.id)).success)
  await market.send(alice, asked.address, asked.amount_raw)
  await turnUntil(market, 1_000, async () => (await shop.check(asked.id)).status === 'refunded')
  assert.equal((await untilRefunded(market, shop, asked.id)).order.reason, 'not_the_owner')
  assert.equal((await offer(shop, 'alice')).lease!.title, undefined)
  await assertAccounted(market, shop)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '../support/engines.ts'
import { ALICE, SHOP, clientWith, openClient } from '../support/wallet-client.ts'
import { openWorld } from '../support/world.ts'

/* Contract 4.2, rule 20: a request for one operation is never executed as another. */

const account = (address: string) => ({ account: address })

for (const engine of ENGINES) {
  test(`on ${engine} a payout with an empty destination is refused, and a request that is not understood makes no wallet (contract 4.2, rule 20)`, async (t) => {
    const world = await openWorld(t, engine)
    const client = clientWith(await world.start(), world.key())
    const address = await client.create({ refund_address: SHOP })
    await world.pay(address, '5')
    const send = { ...account(address), amount: '1' }
    const wrong: [object, string][] = [
      [{ ...send, send: '' }, 'send'],
      [{ ...send, send: null }, 'send'],
      [{ ...send, to: '' }, 'to'],
      [{ ...send, destination: null }, 'destination'],
      [{ ...send, wallet_action: 'send', address: '' }, 'address'],
      [{ ...send, wallet_action: '', send: ALICE }, 'wallet_action'],
      [{ ...account(address), send: ALICE, amount: '' }, 'amount'],
      [{ send: ALICE, amount: '1', account: null }, 'account'],
      [{ send: null }, 'send'],
      [{ list: null }, 'list'],
      [{ list: '' }, 'list'],
      [{ list: false }, 'list'],
      [{ delete: '', ...account(address) }, 'delete'],
      [{ receive: null, ...account(address) }, 'receive'],
      [{ balance: '', ...account(address) }, 'balance'],
      [{ update_metadata: null, ...account(address), metadata: {} }, 'update_metadata'],
      [{ account: '' }, 'account'],
      [{ amount: '1' }, 'amount'],
      [send, 'amount'],
      [{ ...send, address: ALICE }, 'address'],
      [{ address: ALICE }, 'address'],
      [{ limit: 5 }, 'limit'],
      [{ start: 1 }, 'start'],
      [{ search: 'x' }, 'search'],
      [{ ...account(address), refund_address: ALICE }, 'refund_address'],
      [{ ...account(address), metadata: { a: 1 } }, 'metadata'],
      [{ ...account(address), vanity: '1a' }, 'vanity'],
      [{ ...account(address), balance: true, amount: '1' }, 'amount'],
      [{ ...account(address), delete: true, refund_address: ALICE }, 'refund_address'],
      [{ list: true, ...account(address) }, 'account'],
      [{ wallet_action: 'create_wallet', ...account(address) }, 'account'],
      [{ wallet_action: 'list_wallets', refund_address: SHOP }, 'refund_address'],
    ]
    for (const [request, field] of wrong) {
      const reply = await client.call(request)
      const { field: named, code } = reply.json<{ field?: string; code?: string }>()
      assert.deepEqual(
        [reply.status, named, code],
        [400, field, 'invalid_request'],
        `${JSON.stringify(request)}: ${reply.text}`,
      )
    }
    const wallets = await client.ask<{ address: string; refund_address: string }[]>({ list: true })
    assert.deepEqual(
      wallets.map((wallet) => [wallet.address, wallet.refund_address]),
      [[address, SHOP]],
    )
    assert.equal((await client.balanceOf(ALICE)).receivable, '0')
  })
}

test('details may be empty, and flags that say no stand beside an operation (contract 4.2, rules 19 and 20)', async (t) => {
  const client = await openClient(t)
  const empty = { vanity: '', refund_address: null, expire: '', metadata: null }
  const address = await client.create(empty)
  const listed = await client.ask<object[]>({ list: true, limit: null, start: '', search: '', metadata: null })
  assert.equal(listed.length, 1)
  const info = await client.ask({
    ...account(address),
    list: false,
    delete: 'false',
    expire: false,
    refund_address: '',
  })
  assert.equal(info.address, address)
})

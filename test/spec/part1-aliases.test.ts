import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer, nano } from '../support/blocks.ts'
import type { Reply } from '../support/gateway.ts'
import { bearer, turnUntil } from '../support/checkout-steps.ts'
import { lease, openMarket, untilQuiet } from '../support/username-steps.ts'
import { row } from './row.ts'
import { alice, bob, FUNDER, openLedgerWorld, RAW } from './ledger-world.ts'

/* Contract 1: usernames are accepted instead of addresses. */

const NOBODY = new Signer(4).address

const NOTHING = { pending: '0', pending_nano: '0', receivable: '0', receivable_nano: '0' }
const BALANCE_OF_ALICE = { balance: RAW.eight, balance_nano: '8', ...NOTHING }

function assertUnknown(reply: Reply, field: string): void {
  const error = 'Username not found.'
  assert.equal(reply.status, 400)
  assert.deepEqual(reply.json(), { error, message: error, code: 'username_not_found', field })
}

test('a username is accepted wherever an account is', async (t) => {
  const names = { Alice: alice.address, bob: bob.address.replace('nano_', 'xrb_'), Genesis: FUNDER }
  const gateway = await openLedgerWorld(t, { KNOWN_NAMES: JSON.stringify(names) })

  await t.test(
    '200 for a username in any case, in `account` and in `address`, and the answer adds the address (contract 1, rules 14 and 15; 2, Balance object: address)',
    async () => {
      assert.deepEqual((await gateway.call('account_balance', { account: alice.address })).json(), BALANCE_OF_ALICE)
      for (const account of ['@Alice', '@alice', '@ALICE']) {
        const reply = await gateway.call('account_balance', { account })
        assert.deepEqual(reply.json(), { ...BALANCE_OF_ALICE, address: alice.address }, account)
      }
      const info = (await gateway.call('account_info', { account: '@alice' })).json()
      assert.deepEqual([info.address, info.balance_nano], [alice.address, '8'])
      assert.equal((await gateway.call('account_key', { account: '@alice' })).json().key, alice.key)
      assert.equal((await gateway.call('validate_account_number', { account: '@alice' })).json().valid, '1')
      const history = (await gateway.call('account_history', { account: '@alice', count: 1 })).json()
      assert.deepEqual([history.account, history.address], [alice.address, alice.address])
      const find = async (address: string, amount: string) =>
        (await gateway.call('find_block', { address, amount })).json<Record<string, unknown>>()
      const { block, address } = await find('@Bob', '2')
      const { account, username, amount, amount_raw } = block as Record<string, string>
      assert.deepEqual(
        [address, account, username, amount, amount_raw],
        [bob.address, alice.address, 'Alice', '2', RAW.two],
      )
      const missing = await find('@bob', '3')
      assert.deepEqual([missing.block, missing.error, missing.address], [false, 'Payment not found.', bob.address])
      const elsewhere = { account: alice.address, send: '@nobody', address: '@bob' }
      const other = await gateway.call('account_balance', elsewhere)
      assert.deepEqual(other.json(), BALANCE_OF_ALICE, 'not looked up in a field the action does not have')
    },
  )

  await t.test(
    '400 for a username nobody has, naming the field (contract 1, rule 16; 7, Texts and codes: unknown alias)',
    async () => {
      for (const account of ['@nobody', '@', '@ alice', '@@alice', '@__proto__', '@constructor']) {
        assertUnknown(await gateway.call('account_balance', { account }), 'account')
      }
      assertUnknown(await gateway.call('find_block', { address: '@nobody', amount: '1' }), 'address')
      assertUnknown(
        await gateway.call('account_history', { account: '@alice', count: 1, account_filter: ['@x'] }),
        'account_filter[0]',
      )
    },
  )

  await t.test(
    'one name that nobody has costs the others of a list nothing (contract 4.1, Receivable: accounts_receivable with unknown names)',
    async () => {
      const given = { accounts: ['@nobody', '@Bob', bob.address, '@__proto__'] }
      const reply = (await gateway.call('accounts_receivable', given)).json<{ blocks: object; errors: object }>()
      assert.deepEqual(Object.keys(reply.blocks), ['@Bob', bob.address])
      assert.deepEqual(Object.entries(reply.errors), [
        ['@nobody', 'Username not found.'],
        ['@__proto__', 'Username not found.'],
      ])
      const none = (await gateway.call('accounts_receivable', { accounts: ['@nobody'] })).json()
      assert.deepEqual(none, { blocks: '', errors: { '@nobody': 'Username not found.' } })
      const wrong = await gateway.call('accounts_receivable', { accounts: ['@Bob', 'nano_1'] })
      assert.deepEqual(
        [wrong.status, wrong.json().error, wrong.json().field],
        [400, 'Bad account number', 'accounts[1]'],
      )
    },
  )

  await t.test(
    'balances are keyed by each identifier as given; wrong ones stand under errors and fail nobody else (contract 1, rule 18; 4.1, rule 7; 4.1, Node and account reads: accounts_balances)',
    async () => {
      const wrong = ['@nobody', 'nano_bad', '', '__proto__']
      const accounts = ['@ALICE', alice.address, '@alice', ...wrong, NOBODY, bob.address]
      const reply = await gateway.call('accounts_balances', { accounts })
      assert.equal(reply.status, 200)
      const { balances, errors, ...rest } = reply.json<Record<string, object>>()
      assert.deepEqual(rest, {})
      const none = { balance: '0', balance_nano: '0' }
      const { two } = RAW
      const hers = { ...BALANCE_OF_ALICE, address: alice.address }
      row('2, rule 20', () =>
        assert.deepEqual(Object.entries(balances!), [
          ['@ALICE', hers],
          [alice.address, BALANCE_OF_ALICE],
          ['@alice', hers],
          [NOBODY, { ...none, ...NOTHING }],
          [bob.address, { ...none, pending: two, pending_nano: '2', receivable: two, receivable_nano: '2' }],
        ]),
      )
      assert.deepEqual(Object.entries(errors!), [
        ['@nobody', 'Username not found.'],
        ['nano_bad', 'Bad account number'],
        ['', 'Bad account number'],
        ['__proto__', 'Bad account number'],
      ])
      assert.deepEqual((await gateway.call('accounts_balances', { accounts: [] })).json(), { balances: {} })
    },
  )
})

const DAY = 86_400_000

test('a name is looked up once, when a request comes, and in its grace period not where money moves (contract 1, rules 15 and 17)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const key = market.key()
  const owner = await market.person()
  await lease(market, shop, owner, 'Dora', '2 Days')
  const { json } = await shop.call('cloud_wallet', {}, bearer(key))
  const account = json().address!
  await market.pay(account, nano(1))
  const made = await shop.open({ address: '@DORA', amount: '1' })
  assert.equal(made.address, owner.address)
  const ways: [action: string, fields: object][] = [
    ['checkout', { address: '@dora', amount: '1' }],
    ['cloud_wallet', { account, send: '@dora', amount: '0.1' }],
    ['cloud_wallet', { refund_address: '@dora' }],
    ['cloud_wallet', { refund_address: [FUNDER, '@dora'] }],
    ['nano_email', { refund_address: '@dora', amount: '1', emails: ['x@example.com'] }],
  ]
  const statuses = async () => {
    const found: number[] = []
    for (const [action, fields] of ways) found.push((await shop.call(action, fields, bearer(key))).status)
    return found
  }
  assert.deepEqual(await statuses(), [200, 200, 200, 200, 200])
  await untilQuiet(market, shop)
  market.clock.leap(2 * DAY)
  // Requests sent to the node before the jump have timed out, and it is tried again soon.
  const read = () => shop.call('account_info', { account: '@DoRa' })
  await turnUntil(market, 1_000, async () => (await read()).status === 200)
  assert.equal((await read()).json().address, owner.address)
  for (const [action, fields] of ways) {
    const reply = await shop.call(action, fields, bearer(key))
    assert.deepEqual([reply.status, reply.json().error], [400, 'Username not found.'], JSON.stringify(fields))
  }
  // Checkouts made during the lease keep their address after its end.
  assert.equal((await shop.check(made.id)).address, owner.address)
})

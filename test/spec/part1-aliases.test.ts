import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer, UNOPENED, frontierAfter, nano, publish } from '../support/blocks.ts'
import { type Gateway, type Reply, openGateway } from '../support/gateway.ts'
import { bearer, turnUntil } from '../support/checkout-steps.ts'
import { lease, openMarket, untilQuiet } from '../support/username-steps.ts'
import { row } from './row.ts'

/* Contract 1: usernames stand wherever an account does. */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const alice = new Signer(1)
const bob = new Signer(2)
const carol = new Signer(3)
const NOBODY = new Signer(4).address

/** Alice has 7 nano, sent 2 of 10 to Bob, who waits with 2 from her and 5 from the genesis account, and 1 went to Carol. */
async function openLedgerWorld(t: TestContext): Promise<Gateway> {
  const gateway = await openGateway(t, {
    KNOWN_NAMES: JSON.stringify({
      Alice: alice.address,
      bob: bob.address.replace('nano_', 'xrb_'),
      Genesis: GENESIS,
    }),
  })
  const { node } = gateway.app.devnet!
  const sign = (signer: Signer) => new Signer(signer === alice ? 1 : 2, node.ledger.thresholds)
  const opened = sign(alice).receive(UNOPENED, await node.fund(alice.key, nano(10)), nano(10))
  await publish(node, opened)
  const toBob = sign(alice).send(frontierAfter(opened), bob.key, nano(2))
  await publish(node, toBob)
  await publish(node, sign(alice).send(frontierAfter(toBob), carol.key, nano(1)))
  await node.fund(bob.key, nano(5))
  await gateway.confirmed()
  return gateway
}

const BALANCE_OF_ALICE = {
  balance: '7000000000000000000000000000000',
  balance_nano: '7',
  pending: '0',
  pending_nano: '0',
  receivable: '0',
  receivable_nano: '0',
}

function assertUnknown(reply: Reply, field: string): void {
  const error = 'Username not found.'
  assert.equal(reply.status, 400)
  assert.deepEqual(reply.json(), { error, message: error, code: 'username_not_found', field })
}

test('a username stands wherever an account does', async (t) => {
  const gateway = await openLedgerWorld(t)

  await t.test(
    '200 for a username in any case, and the answer adds the address (contract 1, rules 14 and 15; 2, Balance object: address)',
    async () => {
      assert.deepEqual((await gateway.call('account_balance', { account: alice.address })).json(), BALANCE_OF_ALICE)
      for (const account of ['@Alice', '@alice', '@ALICE']) {
        const reply = await gateway.call('account_balance', { account })
        assert.deepEqual(reply.json(), { ...BALANCE_OF_ALICE, address: alice.address }, account)
      }
      const info = (await gateway.call('account_info', { account: '@alice' })).json()
      assert.deepEqual([info.address, info.balance_nano], [alice.address, '7'])
      assert.equal((await gateway.call('account_key', { account: '@alice' })).json().key, alice.key)
      assert.equal((await gateway.call('validate_account_number', { account: '@alice' })).json().valid, '1')
      const history = (await gateway.call('account_history', { account: '@alice', count: 1 })).json()
      assert.deepEqual([history.account, history.address], [alice.address, alice.address])
    },
  )

  await t.test('200 for a username in `address` (contract 1, rule 14)', async () => {
    const found = await gateway.call('find_block', { address: '@Bob', amount: '2' })
    const { block, address } = found.json<{ block: Record<string, string>; address: string }>()
    assert.equal(address, bob.address)
    assert.deepEqual(
      [block.account, block.username, block.amount, block.amount_raw],
      [alice.address, 'Alice', '2', nano(2).toString()],
    )
    const missing = (await gateway.call('find_block', { address: '@bob', amount: '3' })).json<Record<string, unknown>>()
    assert.deepEqual([missing.block, missing.error, missing.address], [false, 'Payment not found.', bob.address])
  })

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

  await t.test('a username in a field the action does not have is not looked up', async () => {
    const reply = await gateway.call('account_balance', { account: alice.address, send: '@nobody', address: '@bob' })
    assert.deepEqual(reply.json(), BALANCE_OF_ALICE)
  })

  await t.test(
    'balances are keyed by each identifier as given; wrong ones stand under errors and fail nobody else (contract 1, rule 18; 4.1, rule 7; 4.1, Node and account reads: accounts_balances)',
    async () => {
      const accounts = [
        '@ALICE',
        alice.address,
        '@alice',
        '@nobody',
        'nano_bad',
        '',
        '__proto__',
        NOBODY,
        carol.address,
      ]
      const reply = await gateway.call('accounts_balances', { accounts })
      assert.equal(reply.status, 200)
      const { balances, errors, ...rest } = reply.json<Record<string, Record<string, Record<string, string>>>>()
      assert.deepEqual(rest, {})
      assert.deepEqual(Object.keys(balances!), ['@ALICE', alice.address, '@alice', NOBODY, carol.address])
      assert.deepEqual(balances!['@ALICE'], { ...BALANCE_OF_ALICE, address: alice.address })
      assert.deepEqual(balances!['@alice'], balances!['@ALICE'])
      assert.deepEqual(balances![alice.address], BALANCE_OF_ALICE)
      assert.equal(balances![carol.address]!.receivable_nano, '1')
      assert.equal(balances![NOBODY]!.balance, '0')
      assert.deepEqual(Object.entries(errors!), [
        ['@nobody', 'Username not found.'],
        ['nano_bad', 'Bad account number'],
        ['', 'Bad account number'],
        ['__proto__', 'Bad account number'],
      ])
      const none = await gateway.call('accounts_balances', { accounts: [] })
      assert.deepEqual(none.json(), { balances: {} })
    },
  )

  // Clients test for exactly these (clients 3 and 7).

  await t.test('nothing to list is "" in the shapes of the node and [] in a list', async () => {
    const account = NOBODY
    for (const shape of [{}, { source: true }, { threshold: '1' }]) {
      const none = (await gateway.call('receivable', { account, ...shape })).json()
      row('4.1, Receivable: receivable where nothing waits', () => assert.deepEqual(none, { blocks: '' }))
    }
    assert.deepEqual((await gateway.call('receivable', { account, array: true })).json<unknown>(), [])
    assert.deepEqual((await gateway.call('account_history', { account, count: 5 })).json(), { account, history: '' })
    const hash = 'A'.repeat(64)
    assert.deepEqual((await gateway.call('blocks_info', { hashes: [hash] })).json(), { error: 'Block not found' })
  })
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
    ['cloud_wallet', { refund_address: [GENESIS, '@dora'] }],
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
  // What was asked of the node before the leap has timed out, and it is tried again soon.
  const read = () => shop.call('account_info', { account: '@DoRa' })
  await turnUntil(market, 1_000, async () => (await read()).status === 200)
  assert.equal((await read()).json().address, owner.address)
  for (const [action, fields] of ways) {
    const reply = await shop.call(action, fields, bearer(key))
    assert.deepEqual([reply.status, reply.json().error], [400, 'Username not found.'], JSON.stringify(fields))
  }
  // What was agreed on while the name was leased is not touched by its end.
  assert.equal((await shop.check(made.id)).address, owner.address)
})

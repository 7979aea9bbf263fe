import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { row } from './row.ts'
import { alice, AT, bob, carol, FUNDER, leaveUnfinished, openLedgerWorld, RAW } from './ledger-world.ts'

/* Contract 2, ledger: accounts with their history and receivable blocks, field by field. Blocks and work are in part2-blocks. */

type Members = Record<string, unknown>

// One gateway for all tests, because none of them changes anything.
test('the objects of the ledger', async (t) => {
  const names = { Alice: alice.address, Bank: FUNDER }
  const clock = new TestClock()
  const world = await openLedgerWorld(t, { KNOWN_NAMES: JSON.stringify(names) }, clock)
  const unfinished = await leaveUnfinished(world)

  await t.test(
    'account info has all its members, as texts (contract 1, rule 7; 4.1, Node and account reads: account_info; 4.1, rule 12; 9, Synonyms: account_info)',
    async () => {
      const { call, opened, sent } = world
      const ask = async (fields: object) => (await call('account_info', fields)).json<Members>()
      const info = await ask({ account: alice.address })
      const { frontier, open_block, representative_block, balance, balance_nano } = info
      row('2, Account info: frontier, open_block, representative_block; 1, Terms and units: hash', () => {
        assert.deepEqual([frontier, open_block, representative_block], [sent, opened, sent])
        assert.match(`${sent} ${opened}`, /^[0-9A-F]{64} [0-9A-F]{64}$/)
      })
      row('2, Account info: balance, balance_nano; 1, Terms and units: raw, nano', () =>
        assert.deepEqual([balance, balance_nano], [RAW.eight, '8']),
      )
      row('2, Account info: modified_timestamp, block_count, account_version', () => {
        const { modified_timestamp, block_count, account_version } = info
        assert.deepEqual([modified_timestamp, block_count, account_version], [AT.sent, '2', '2'])
      })
      assert.equal(Object.keys(info).length, 10, 'and nothing that was not asked for')
      const named = await ask({ account: '@alice' })
      row('1, Terms and units: alias', () => assert.deepEqual(named, { ...info, address: alice.address }))
      const none = await ask({ account: bob.address, representative: true, receivable: 1, include_confirmed: '1' })
      assert.equal(none.error, 'Account not found', 'an account without blocks has no info')

      const hers = await ask({ account: carol.address })
      row('2, Account info: confirmation_height, confirmation_height_frontier', () => {
        const { block_count, confirmation_height, frontier, confirmation_height_frontier } = hers
        assert.deepEqual([block_count, confirmation_height], ['2', '1'])
        assert.deepEqual([frontier, confirmation_height_frontier], [unfinished.spent, unfinished.opened])
      })
      const FOUR = `4${'0'.repeat(30)}`
      const representative = { representative: carol.address }
      const weight = { weight: FOUR, weight_nano: '4' }
      const waiting = (sum: string, prefix = '') => ({
        [`${prefix}receivable`]: `${sum}${'0'.repeat(30)}`,
        [`${prefix}receivable_nano`]: sum,
        [`${prefix}pending`]: `${sum}${'0'.repeat(30)}`,
        [`${prefix}pending_nano`]: sum,
      })
      const flagged = (flags: object) => ask({ account: carol.address, ...flags })
      const told = [await flagged({ representative: true }), await flagged({ weight: '1' })]
      row(
        '2, Account info: representative: true, weight: true; 1, Terms and units: address, ledger account, _nano',
        () => {
          assert.deepEqual(told, [
            { ...hers, ...representative },
            { ...hers, ...weight },
          ])
          assert.match(representative.representative, /^nano_[13][13-9a-km-uw-z]{59}$/)
        },
      )
      const either = [await flagged({ receivable: 1 }), await flagged({ pending: 'true' })]
      row('2, Account info: receivable: true, pending: true', () =>
        assert.deepEqual(either, [
          { ...hers, ...waiting('5') },
          { ...hers, ...waiting('5') },
        ]),
      )
      const final = await flagged({ representative: true, receivable: true, include_confirmed: '1' })
      row('2, Account info: include_confirmed: true', () =>
        assert.deepEqual(final, {
          ...hers,
          ...representative,
          ...waiting('5'),
          confirmed_balance: `5${'0'.repeat(30)}`,
          confirmed_balance_nano: '5',
          confirmed_height: '1',
          confirmed_frontier: unfinished.opened,
          confirmed_representative: carol.address,
          ...waiting('3', 'confirmed_'),
        }),
      )
    },
  )

  await t.test(
    'a balance has its three amounts in raw and nano, also of an account that was never opened (contract 4.1, rule 6; 4.1, Node and account reads: account_balance)',
    async () => {
      const { call } = world
      const ask = async (account: string) => (await call('account_balance', { account })).json()
      const nothing = { pending: '0', receivable: '0', pending_nano: '0', receivable_nano: '0' }
      const hers = { balance: RAW.eight, balance_nano: '8', ...nothing, address: alice.address }
      const waiting = { pending: RAW.two, receivable: RAW.two, pending_nano: '2', receivable_nano: '2' }
      const his = { balance: '0', balance_nano: '0', ...waiting }
      const asked = [await ask('@ALICE'), await ask(bob.address)]
      row('2, Balance object: balance, pending, receivable, balance_nano, pending_nano, receivable_nano, address', () =>
        assert.deepEqual(asked, [hers, his]),
      )
      const nobody = new Signer(9).address
      const zeros = { balance: '0', balance_nano: '0', ...nothing }
      const unopened = await ask(nobody)
      row('2, rule 21', () => assert.deepEqual([unopened, asked[1]], [zeros, his]))
    },
  )

  await t.test(
    'history has account, entries and previous (contract 4.1, Node and account reads: account_history)',
    async () => {
      const { call, opened, sent } = world
      const read = async (account: string, count: string) =>
        (await call('account_history', { account, count })).json<{ history: Members[] }>()
      const out = { type: 'send', account: bob.address, amount: RAW.two, amount_nano: '2', height: '2', hash: sent }
      const came = { type: 'receive', account: FUNDER, amount: RAW.ten, amount_nano: '10', height: '1', hash: opened }
      const newest = { ...out, local_timestamp: AT.sent, confirmed: 'true' }
      const oldest = { ...came, local_timestamp: AT.opened, confirmed: 'true', username: 'Bank' }
      const { history, ...all } = await read('@alice', '-1')
      row(
        '2, History entry: history[], type, account 2, amount, amount_nano, local_timestamp, height, hash, username',
        () => assert.deepEqual(history, [newest, oldest]),
      )
      assert.deepEqual(await read(bob.address, '5'), { account: bob.address, history: '' })
      const page = await read(alice.address, '1')
      row('2, History entry: account 1, previous', () => {
        assert.deepEqual(all, { account: alice.address, address: alice.address }, 'nothing is older')
        assert.deepEqual(page, { account: alice.address, history: [newest], previous: opened })
      })
      const unsure = await read(carol.address, '-1')
      row('2, History entry: confirmed', () =>
        assert.deepEqual(
          unsure.history.map(({ hash, confirmed }) => [hash, confirmed]),
          [
            [unfinished.spent, 'false'],
            [unfinished.opened, 'true'],
          ],
        ),
      )
    },
  )

  await t.test(
    'what waits is shown in each of its forms (contract 4.1, Node and account reads: receivable, pending, accounts_receivable)',
    async () => {
      const { call, sent } = world
      const account = bob.address
      const entry = { amount: RAW.two, amount_nano: '2', source: alice.address, username: 'Alice' }
      for (const action of ['receivable', 'pending']) {
        const ask = async (fields: object) => (await call(action, { account, count: '5', ...fields })).json<Members>()
        const [list, hashes, amounts, sources] = [
          await ask({ array: 'true' }),
          await ask({}),
          await ask({ threshold: '1' }),
          await ask({ source: 'true' }),
        ]
        const none = (await call(action, { account: alice.address, array: true })).json()
        row(
          '4.1, Receivable: receivable with array; 2, Receivable entry: hash, source, amount, amount_nano, username',
          () => assert.deepEqual([list, none], [[{ hash: sent, ...entry }], []]),
        )
        row('4.1, Receivable: receivable', () => assert.deepEqual(hashes, { blocks: [sent] }))
        row('4.1, Receivable: receivable with threshold', () =>
          assert.deepEqual(amounts, { blocks: { [sent]: RAW.two } }),
        )
        row('4.1, Receivable: receivable with source', () => assert.deepEqual(sources, { blocks: { [sent]: entry } }))
        for (const shape of [{}, { source: true }, { threshold: '1' }]) {
          const nothing = (await call(action, { account: alice.address, ...shape })).json()
          row('4.1, Receivable: receivable where nothing waits', () => assert.deepEqual(nothing, { blocks: '' }))
        }
      }
      const ask = async (...accounts: string[]) => (await call('accounts_receivable', { accounts })).json()
      const [some, none] = [await ask(account, alice.address, '@nobody'), await ask(alice.address)]
      row(
        '2, Receivable entry: blocks, errors; 4.1, Receivable: accounts_receivable, accounts_receivable where nothing waits',
        () => {
          const blocks = { [account]: { [sent]: entry } }
          assert.deepEqual(some, { blocks, errors: { '@nobody': 'Username not found.' } })
          assert.deepEqual(none, { blocks: '' })
        },
      )
    },
  )
})

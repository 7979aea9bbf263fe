import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { raw } from '../../src/testing/index.ts'
import { ledgerFor, useLedger } from '../../src/testing/node-test.ts'

/* `@nano-gateway/devnet/node-test`, tested with its own hooks: each test fails if another has left something. */

describe('every test of a suite finds what its hooks have made, and nothing of another', () => {
  const ledger = useLedger({ accounts: 1 })
  const waiting = async () => (await ledger.accounts[0]!.balance()).receivable
  // Before the first test it throws with an explanation.
  assert.throws(() => ledger.rpcUrl, /starts before the first test/)
  const add = (amount: string) => ledger.fund(ledger.accounts[0]!, amount)
  before(() => add('5'))

  test('the first', async () => {
    assert.equal(await waiting(), raw('5'))
    await add('1')
    await ledger.hold()
  })

  test('the second, which has tests of its own', async (t) => {
    assert.equal(await waiting(), raw('5'))
    await add('1')
    await t.test('they find what it has done', async () => {
      assert.equal(await waiting(), raw('6'))
      await add('1')
    })
    assert.equal(await waiting(), raw('6'))
  })

  describe('a suite inside', () => {
    before(() => add('10'))
    for (const turn of [1, 2]) {
      test(`finds what both have made, turn ${turn}`, async () => {
        assert.equal(await waiting(), raw('15'))
        await add('1')
      })
    }
  })
})

test('tests side by side have a ledger each, which ends with them', async (t) => {
  const urls: string[] = []
  await Promise.all(
    [1, 2].map((turn) =>
      t.test(`number ${turn}`, async (inner) => {
        const ledger = await ledgerFor(inner, { accounts: turn })
        urls.push(ledger.rpcUrl)
        assert.equal(ledger.accounts.length, turn)
      }),
    ),
  )
  assert.equal(new Set(urls).size, 2)
  for (const url of urls) await assert.rejects(fetch(url, { method: 'POST', body: '{}' }))
})

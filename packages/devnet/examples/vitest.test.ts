// Run it: npm install --save-dev vitest @nano-gateway/devnet && npx vitest run
import { expect, test as base } from 'vitest'
import { nano } from '@nano-gateway/devnet'
import { type LedgerFixtures, ledgerFixtures } from '@nano-gateway/devnet/vitest'

const test = base.extend<LedgerFixtures>(ledgerFixtures({ accounts: 1 }))

test('a payment arrives, and the next test starts without it', async ({ ledger }) => {
  const shop = await ledger.newAccount('1')
  await ledger.accounts[0].send(shop, '0.25')
  await shop.receive()
  expect(nano((await shop.balance()).balance)).toBe('1.25')
})

test('a double spend: the rival of a payment wins', async ({ ledger }) => {
  const [payer] = ledger.accounts
  expect(nano((await payer.balance()).balance)).toBe('1000')
  const shop = await ledger.newAccount('1')
  await ledger.hold()
  const hash = await payer.send(shop, '5')
  await ledger.forkBlock(hash)
  await expect(ledger.rpc('block_info', { hash })).rejects.toThrow('Block not found')
})

// Run it: npm install --save-dev @playwright/test @nano-gateway/devnet && npx playwright test
import { test as base, expect } from '@playwright/test'
import { type LedgerFixtures, type LedgerWorkerFixtures, ledgerFixtures } from '@nano-gateway/devnet/playwright'

const test = base.extend<LedgerFixtures, LedgerWorkerFixtures>(ledgerFixtures({ accounts: 2 }))

/** Stands for your own page that asks a node. */
const page = (rpcUrl: string, account: string) => `<output>…</output><script>
  const ask = async () => {
    const body = JSON.stringify({ action: 'account_balance', account: '${account}' })
    const { receivable } = await (await fetch('${rpcUrl}', { method: 'POST', body })).json()
    document.querySelector('output').textContent = receivable === '0' ? 'waiting' : 'paid'
  }
  ask()
  setInterval(ask, 50)
</script>`

test('the page shows a payment as soon as it is there', async ({ page: tab, ledger }) => {
  const [alice, bob] = ledger.accounts
  await tab.setContent(page(ledger.rpcUrl, bob.address))
  await expect(tab.getByText('waiting')).toBeVisible()
  await alice.send(bob, '1')
  await expect(tab.getByText('paid')).toBeVisible()
})

test('the next test finds the ledger as the first one did', async ({ page: tab, ledger }) => {
  await tab.setContent(page(ledger.rpcUrl, ledger.accounts[1].address))
  await expect(tab.getByText('waiting')).toBeVisible()
})

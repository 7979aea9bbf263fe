import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { exactNano } from '../../src/exports/x402.ts'
import { WORK_THRESHOLDS, workValue } from '../../src/kernel/nano/work.ts'
import { newHash } from '../support/random.ts'
import { PRICE, SHOP, openPayer, openShop, paymentsOnLedger } from '../support/x402-steps.ts'
import { runClient } from './run-client.ts'

const NETWORK = 'nano:mainnet'

/* The official client, unchanged, with this package's payment scheme. */
test(
  '@x402/fetch: the stock client asks, pays and gets its work, with one call (contract 4.7, rules 1 to 4; 1, Product areas: 8. Pay per request)',
  runClient('@x402/fetch', async ({ t, steps }) => {
    const { url, node } = await openShop(t)
    const payer = await openPayer(node)
    const client = new x402Client().register(NETWORK, exactNano({ privateKey: payer.privateKey, rpcUrl: url }))
    const limit = { network: NETWORK, asset: 'XNO', maxAmountPerPayment: PRICE.toString() } as const
    client.setSpendControls({ allowedAssets: [limit] })
    const pay = wrapFetchWithPayment(fetch, client)
    const ask = (hash: string) => pay(url, { method: 'POST', body: JSON.stringify({ action: 'work_generate', hash }) })

    const response = await steps.step('pay', async () => {
      const hash = newHash()
      const response = await ask(hash)
      const text = await response.text()
      assert.equal(response.status, 200, text)
      const { work, credits } = JSON.parse(text) as { work: string; credits: number }
      assert.ok(workValue(hash, work) >= WORK_THRESHOLDS.dev.send)
      assert.equal(credits, 0)
      return response
    })
    await steps.step('receipt', async () => {
      const receipt = decodePaymentResponseHeader(response.headers.get('payment-response')!)
      assert.equal(receipt.success, true)
      assert.equal(receipt.payer, payer.address)
      const paid = node.ledger.store.findBlock(receipt.transaction)!
      assert.equal(paid.amount, PRICE)
      assert.equal(node.ledger.receivableSum(SHOP.key, true), PRICE, 'confirmed, and nothing beside it')
    })
    await steps.step('three payments at once', async () => {
      const responses = await Promise.all([ask(newHash()), ask(newHash()), ask(newHash())])
      for (const { status } of responses) assert.equal(status, 200)
      assert.equal(paymentsOnLedger(node), 4)
    })
  }),
)

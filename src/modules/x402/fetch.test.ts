import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { exactNano } from '../../exports/x402.ts'
import { Signer, give, nano } from '../../../test/support/blocks.ts'
import { newHash } from '../../../test/support/random.ts'
import { openRecordingNode } from '../../../test/support/recording-node.ts'
import { PRICE, SHOP, openPayer, openShop, paymentsOnLedger } from '../../../test/support/x402-steps.ts'

/*
 * The scheme that this package exports, in the standard client; that client's own way of paying is tested in
 * test/gallery.
 */

const NETWORK = 'nano:mainnet'

function spender(privateKey: string, rpcUrl: string, maxAmountPerPayment: bigint | undefined) {
  const client = new x402Client().register(NETWORK, exactNano({ privateKey, rpcUrl }))
  if (maxAmountPerPayment !== undefined) {
    const limit = { network: NETWORK, asset: 'XNO', maxAmountPerPayment: maxAmountPerPayment.toString() } as const
    client.setSpendControls({ allowedAssets: [limit] })
  }
  return wrapFetchWithPayment(fetch, client)
}

test('a stock client whose owner did not allow nano, or not so much of it, pays nothing', async (t) => {
  const { url, node } = await openShop(t)
  const payer = await openPayer(node)
  const body = JSON.stringify({ action: 'work_generate', hash: newHash() })
  for (const limit of [undefined, PRICE - 1n]) {
    await assert.rejects(spender(payer.privateKey, url, limit)(url, { method: 'POST', body }))
  }
  assert.equal(paymentsOnLedger(node), 0)
})

// A payer who signs for a lower balance than there is gives the difference away.
test('the scheme signs nothing for a balance that is not the one its newest block was signed with', async (t) => {
  const { node, url } = await openShop(t)
  const payer = await openPayer(node)
  const liar = await openRecordingNode(t, async (asked) => {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(asked) })
    return (await answer.text()).replaceAll(nano(5).toString(), nano(4).toString())
  })
  const scheme = exactNano({ privateKey: payer.privateKey, rpcUrl: liar.url })
  const terms = { network: NETWORK, amount: '1', asset: 'XNO', payTo: SHOP.address }
  await assert.rejects(scheme.createPaymentPayload(2, terms), /cannot be checked/)
})

test('the example in the package pays for a request, from an account that was only just funded', async (t) => {
  const { url, node } = await openShop(t)
  const root = new URL('../../..', import.meta.url)
  // The example imports the package by name, as its readers will.
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root })
  const payer = await openPayer(node)
  const poor = new Signer(904)
  const run = promisify(execFile)
  const example = (privateKey: string) =>
    run(process.execPath, ['examples/pay-per-request.mjs'], {
      cwd: root,
      env: { ...process.env, NANO_GATEWAY_URL: url, NANO_PRIVATE_KEY: privateKey, ROOT: newHash() },
    })
  await assert.rejects(example(poor.privateKey), { stdout: `Fund ${poor.address} and start again.\n` })
  await give(node, poor.key, nano(1))
  const { stdout } = await example(poor.privateKey)
  assert.match(stdout, /^200 \{/)
  assert.match(stdout, /success: true/)
  await give(node, payer.key, nano(1))
  assert.match((await example(payer.privateKey)).stdout, /^200 \{/)
  assert.equal(paymentsOnLedger(node), 2)
})

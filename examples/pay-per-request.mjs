/*
 * An agent without an account buys one request. Against `npm start` with X402_PAY_TO set:
 *
 *   export NANO_PRIVATE_KEY=$(openssl rand -hex 32)
 *   node examples/pay-per-request.mjs            # says which address to fund
 *   npx nano-gateway devnet fund <address> 0.1   # on the development ledger
 *   node examples/pay-per-request.mjs
 */
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { exactNano, receiveFunds } from 'nano-gateway/x402'

const gateway = process.env.GATEWAY_URL ?? 'http://127.0.0.1:8080'
const wallet = { privateKey: process.env.NANO_PRIVATE_KEY ?? '', rpcUrl: gateway }
const scheme = exactNano(wallet)

if ((await receiveFunds(wallet)) === 0n) {
  console.log(`Fund ${scheme.address} and start again.`)
  process.exit(1)
}

const network = process.env.X402_NETWORK ?? 'nano:mainnet'
const client = new x402Client().register(network, scheme)
// The stock client pays in nothing that its owner has not allowed: here 0.01 nano a request at most.
client.setSpendControls({ allowedAssets: [{ network, asset: 'XNO', maxAmountPerPayment: String(10n ** 28n) }] })
const pay = wrapFetchWithPayment(fetch, client)

const hash = process.env.ROOT ?? '0'.repeat(63) + '1'
const response = await pay(gateway, { method: 'POST', body: JSON.stringify({ action: 'work_generate', hash }) })
console.log(response.status, await response.json())
const receipt = response.headers.get('payment-response')
if (receipt) console.log('paid:', decodePaymentResponseHeader(receipt))

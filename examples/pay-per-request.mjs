/*
 * An agent without an account buys one request. Beside `npm start`, on the development ledger:
 *
 *   export NANO_PRIVATE_KEY=$(openssl rand -hex 32)
 *   npx nano-gateway devnet fund "$(node examples/pay-per-request.mjs --address)" 0.1
 *   node examples/pay-per-request.mjs
 */
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { exactNano, receiveFunds } from 'nano-gateway/x402'

const gateway = process.env.NANO_GATEWAY_URL ?? 'http://127.0.0.1:8080'
const wallet = { privateKey: process.env.NANO_PRIVATE_KEY ?? '', rpcUrl: gateway }
const scheme = exactNano(wallet)

if (process.argv.includes('--address')) {
  console.log(scheme.address)
  process.exit()
}
if ((await receiveFunds(wallet)) === 0n) {
  console.log(`Fund ${scheme.address} and start again.`)
  process.exit(1)
}

// What the gateway sells and on which ledger: nano:dev is test nano, nano:mainnet is real.
const { items } = await (await fetch(new URL('/.well-known/x402', gateway))).json()
const { network } = items[0].accepts[0]
const client = new x402Client().register(network, scheme)
// The x402 client pays only in assets that you allow: here at most 0.01 nano a request.
client.setSpendControls({ allowedAssets: [{ network, asset: 'XNO', maxAmountPerPayment: String(10n ** 28n) }] })
const pay = wrapFetchWithPayment(fetch, client)

const hash = process.env.ROOT ?? '0'.repeat(63) + '1'
const response = await pay(gateway, { method: 'POST', body: JSON.stringify({ action: 'work_generate', hash }) })
console.log(response.status, await response.json())
const receipt = response.headers.get('payment-response')
if (receipt) console.log('paid:', decodePaymentResponseHeader(receipt))

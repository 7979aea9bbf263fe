/*
 * One account buys proof of work, the other sends a payment with it; both together spend at most BUDGET. In the repository, beside `npm start`:
 *
 *   npm run build --workspace packages/client
 *   export PURSE_KEY=$(openssl rand -hex 32) WALLET_KEY=$(openssl rand -hex 32) PAY_TO=nano_…
 *   node examples/agent-with-a-budget.mjs
 * It names the account that has no money yet: give it some with `npx nano-gateway devnet fund`, and start it again.
 */
import { Budget, createGateway, nano, raw } from '@nano-gateway/client'

const { NANO_GATEWAY_URL: url = 'http://127.0.0.1:8080', PURSE_KEY, WALLET_KEY, PAY_TO, AMOUNT = '0.01' } = process.env
const budget = new Budget(raw(process.env.BUDGET ?? '0.1'))
const gateway = createGateway({ url, pay: { key: PURSE_KEY, budget } })
const purse = gateway.wallet(PURSE_KEY)
const wallet = gateway.wallet(WALLET_KEY, { budget })

// Receive first what was sent to them. The work for the wallet's receive is already bought.
for (const account of [purse, wallet]) {
  if ((await account.receive()).balance === 0n) {
    console.log(`Fund ${account.address} and start again.`)
    process.exit(1)
  }
}

const { hash, balance } = await wallet.send(PAY_TO, raw(AMOUNT))
console.log(`Sent ${AMOUNT} nano in ${hash}; ${nano(balance)} are left.`)
for (const { description, what, amount, state } of budget.paid) {
  console.log(`${nano(amount)} nano for ${description ?? what}: ${state}`)
}
console.log(`${nano(budget.left)} nano of the budget are left.`)

/*
 * Builds, signs and publishes one block: it receives what waits at an address. Beside `npm start`, on the development ledger, with
 * the key of the gateway in NANO_GATEWAY_KEY:
 *
 *   export NANO_SEED=$(openssl rand -hex 32)
 *   npx nano-gateway devnet fund "$(node examples/first-block.mjs --address)" 1
 *   node examples/first-block.mjs
 */
import { block, tools, wallet } from 'nanocurrency-web'

const { NANO_GATEWAY_URL: gateway = 'http://127.0.0.1:8080', NANO_GATEWAY_KEY: key, NANO_SEED: seed } = process.env
if (!seed) throw new Error('Set NANO_SEED first: the beginning of this file says how.')
const [{ address, privateKey }] = wallet.legacyAccounts(seed, 0, 0)
if (process.argv.includes('--address')) {
  console.log(address)
  process.exit()
}

async function call(action, fields) {
  const headers = key ? { authorization: `Bearer ${key}` } : {}
  const answer = await (
    await fetch(gateway, { method: 'POST', headers, body: JSON.stringify({ action, ...fields }) })
  ).json()
  if (answer.error && answer.error !== 'Account not found') throw new Error(answer.error)
  return answer
}

// 1. Read what is receivable and the state of the account, both at one moment. An account without blocks starts with zeros.
const { blocks } = await call('receivable', { account: address, count: 1, source: true })
if (blocks === '') throw new Error(`Nothing waits at ${address}. Fund it and start again.`)
const [[hash, { amount }]] = Object.entries(blocks)
const {
  frontier = '0'.repeat(64),
  balance = '0',
  representative = address,
} = await call('account_info', {
  account: address,
  representative: true,
})
// 2. The work of a block depends on the newest block of its account, or on the public key if the account has no block.
const root = frontier === '0'.repeat(64) ? tools.addressToPublicKey(address) : frontier
const { work } = await call('work_generate', { hash: root, subtype: 'receive' })
// 3. Sign locally: the private key never leaves this program.
const signed = block.receive(
  {
    walletBalanceRaw: balance,
    toAddress: address,
    representativeAddress: representative,
    frontier,
    transactionHash: hash,
    amountRaw: amount,
    work,
  },
  privateKey,
)
// 4. Publish. If no answer comes, ask block_info for the hash before you send anything else.
const { hash: published } = await call('process', { subtype: 'receive', block: signed })
// 5. The block is final once the network has confirmed it, usually within a second.
for (let looks = 0; looks < 30; looks++) {
  if (String((await call('block_info', { hash: published })).confirmed) === 'true') break
  await new Promise((resolve) => setTimeout(resolve, 500))
}
console.log('block:', published)
console.log('balance:', (await call('account_balance', { account: address })).balance_nano, 'nano')

/**
 * The effects that each page's commands must have, shown by their output. The first column is the beginning of a block; the last
 * block of a page is always listed. `soon`: the effect comes a moment after the previous block, so the command is repeated until then.
 */
export const EFFECTS: Record<string, [begin: string, shows: RegExp, soon?: 'soon'][]> = {
  'README.md': [
    ['npx nano-gateway call checkout', /^http:\/\/\S+\/pay\/[0-9a-f]{16}$/m],
    ['npx nano-gateway devnet fund', /"status":"complete"/],
  ],
  'docs/agents.md': [['curl', /"raw":\s*"1500000000000000000000000000000"/]],
  'docs/any-shop.md': [['curl', /^15\d{29}$/m]],
  'docs/calling.md': [
    ['npx nano-gateway call account_balance', /^balance_nano +\d+/m],
    ['curl -s http://127.0.0.1:8080 -d \'{"action"', /"code":"invalid_account"/],
    ['for try', /^("id":"[0-9a-f]{16}")\n\1$/m],
    ["curl -s http://127.0.0.1:8080 -d '[", /"raw":"1500000000000000000000000000000"/],
  ],
  'docs/devnet.md': [
    [
      'npx nano-gateway devnet fund',
      /^Sent 10 nano to nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8$/m,
    ],
  ],
  'docs/email.md': [
    ['curl', /^1\.6$/m],
    [
      'npx nano-gateway mail list',
      /alice@example\.com[^]*carol@example\.com|carol@example\.com[^]*alice@example\.com/,
      'soon',
    ],
  ],
  'docs/first-payment.md': [
    ['npx nano-gateway devnet fund', /"status":"complete"/],
    ['cat > receiver.mjs', /^genuine: payment\.completed \S+ 2\.\d+ \{"order":"A-1"\}$/m],
    [
      'curl -s http://127.0.0.1:8080 -d \'{\n  "action": "checkout",\n  "address": "nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8",\n  "amount": "9.99"',
      /^sandbox$/m,
    ],
  ],
  'docs/getting-started.md': [
    ['npx nano-gateway devnet fund', /"amount":"10000000000000000000000000000000"/],
    ['npx nano-gateway call rpc_credits', /^credits +\d/m],
  ],
  'docs/keys.md': [['curl', /"key":"rpc_pk_\w+"/]],
  'docs/medusa.md': [['curl', /nano_\w{60}$/m]],
  'docs/migrating.md': [['npx nano-gateway accounts create', /^acc_\w+$/m]],
  'docs/operating/accounts.md': [['SHOP=', /^Erased\..*\nErased\./m]],
  'docs/operating/backup.md': [['npx nano-gateway backup', /everything agrees\.$/m]],
  'docs/pay-per-request.md': [['export NANO_PRIVATE_KEY', /^paid: \{/m]],
  'docs/payment-page.md': [['curl -s http://127.0.0.1:8080 -d \'{\n  "action": "checkout"', /"hash":"[0-9A-F]{64}"/]],
  'docs/people.md': [['curl', /"email":"bob@example\.com","role":"developer",.*"status":"invited"/]],
  'docs/refunds.md': [['ONCE=refund-17', /"status":"sent"/]],
  'docs/usernames.md': [
    ['npx nano-gateway devnet fund', /"status":"complete"/],
    ['curl -s -X PUT', /"indexed":true/],
    ['curl -s http://127.0.0.1:8080 -H "Authorization: Bearer $NANO_GATEWAY_KEY" \\', /"authorized":true/],
    ['curl -s http://127.0.0.1:8080 -d @signed.json', /"code":"not_the_owner"/],
  ],
  'docs/wallets.md': [['wallet \'{"action": "cloud_wallet", "delete"', /"deleted":true/]],
  'docs/webhooks.md': [['curl -s -X POST', /"watched":1/]],
  'docs/woocommerce.md': [['curl', /"webhook_secret":"whsec_/]],
  'docs/work.md': [
    ['export NANO_SEED', /^block: [0-9A-F]{64}\nbalance: 1 nano$/m],
    ['npx nano-gateway work --bench', /MH\/s|million/],
  ],
}

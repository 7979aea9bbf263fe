import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Raw, parseNano } from '../../src/kernel/money.ts'
import { fromAddress, toAddress } from '../../src/kernel/nano/address.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { codeOf } from '../support/email-steps.ts'
import { Signer, UNOPENED, nano } from '../support/blocks.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { openMailServer } from '../support/mail-server.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { until } from '../support/until.ts'
import { SHOP, newHash, openPayer, paymentBlock, requiredOf, responseOf, signed } from '../support/x402-steps.ts'
import { row } from './row.ts'
import { alice, bob, openLedgerWorld } from './ledger-world.ts'

/* Contract 1: what the service does, its terms and its transport. */

test('links come from the three settings, and never from the Host header (contract 1, rule 13)', async (t) => {
  const { url } = await openGateway(t, {
    BASE_URL: 'https://base.example',
    CHECKOUT_URL: 'https://pay.example',
    API_URL: 'https://api.example',
  })
  const reply = await ask(url, {
    headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    body: JSON.stringify({ action: 'checkout', address: alice.address, amount: '1' }),
  })
  const { id, browser, check, json } = reply.json()
  row('1, Terms and units: {checkout_url}', () => assert.equal(browser, `https://pay.example/pay/${id}`))
  row('1, Terms and units: {api_url}', () =>
    assert.deepEqual([check, json], [`https://api.example/check/${id}`, `https://api.example/checkout/${id}`]),
  )
  assert.doesNotMatch(reply.text, /evil/)
  const { rpc } = (await ask(url, { method: 'GET', headers: { host: 'evil.example' } })).json()
  row('1, Terms and units: {base_url}', () => assert.equal(rpc, 'POST https://base.example'))
  const { call } = await openGateway(t, { BASE_URL: 'https://base.example' })
  const made = (await call('checkout', { address: alice.address, amount: '1' })).json()
  const links = [made.browser, made.check, made.json].map((link) => new URL(link!).origin)
  assert.deepEqual(links, ['https://base.example', 'https://base.example', 'https://base.example'])
})

test('without settings all links lead to the gateway itself (contract 1, rule 13)', async (t) => {
  const { url, call } = await openGateway(t)
  const { browser, check, json } = (await call('checkout', { address: alice.address, amount: '1' })).json()
  for (const link of [browser!, check!, json!]) {
    assert.ok(link.startsWith(`${url}/`))
    assert.equal((await fetch(link)).status, 200)
  }
})

test('addresses, aliases, hashes, work and amounts are written as the terms say (contract 1, rule 7)', async (t) => {
  const { call, sent } = await openLedgerWorld(t)
  const flags = { weight: true, receivable: true, representative: true }
  const info = (await call('account_info', { account: alice.address, ...flags })).json()
  row('1, Terms and units: address, ledger account', () =>
    assert.equal(info.representative, toAddress(DEV_NETWORK.genesisAccount)),
  )
  assert.match(info.representative!, /^nano_[13][13-9a-km-uw-z]{59}$/)
  assert.match(info.frontier!, /^[0-9A-F]{64}$/)
  row('1, Terms and units: hash', () => assert.equal(info.frontier, sent))
  row('1, Terms and units: raw', () => assert.equal(info.balance, '8000000000000000000000000000000'))
  row('1, Terms and units: nano', () => assert.equal(info.balance_nano, '8'))
  const twins = Object.keys(info).filter((name) => name.endsWith('_nano'))
  assert.deepEqual(twins.toSorted(), ['balance_nano', 'pending_nano', 'receivable_nano', 'weight_nano'])
  row('1, Terms and units: _nano', () => {
    for (const twin of twins) assert.equal(`${parseNano(info[twin]!)}`, info[twin.replace('_nano', '')], twin)
  })
  const named = (await call('account_info', { account: '@alice' })).json()
  row('1, Terms and units: alias', () => assert.equal(named.address, alice.address))
  const work = (await call('work_generate', { hash: sent })).json<Record<string, unknown>>()
  row('1, Terms and units: work value', () => assert.match(String(work.work), /^[0-9a-f]{16}$/))
  // Scalars of the node are texts, and so is what is true or false.
  const block = (await call('block_info', { hash: sent })).json<Record<string, unknown>>()
  for (const name of ['confirmed', 'height', 'local_timestamp', 'amount', 'balance']) {
    assert.equal(typeof block[name], 'string', name)
  }
  assert.equal(block.confirmed, 'true')
})

test('what the keys of one customer account made is theirs, and no other account’s (contract 1, Terms and units: account)', async (t) => {
  const gateway = await openLedgerWorld(t)
  const { call, url } = gateway
  const [customer, stranger] = [await gateway.join(), await gateway.join()]
  const second = { authorization: `Bearer ${await customer.issue('secret')}` }
  const { id } = (await call('checkout', { address: alice.address, amount: '1' }, customer.headers)).json()
  const { address } = (await call('cloud_wallet', {}, customer.headers)).json()
  const seenBy = async (headers: Record<string, string>) => {
    const wallets = (await call('cloud_wallet', { list: true }, headers)).json<{ address: string }[]>()
    const listed = await ask(`${url}/api/checkouts`, { method: 'GET', headers })
    const { checkouts } = listed.json<{ checkouts: { id: string }[] }>()
    const { keys } = (await ask(`${url}/api/keys`, { method: 'GET', headers })).json<{ keys: object[] }>()
    return [wallets.map((wallet) => wallet.address), checkouts.map((checkout) => checkout.id), keys.length]
  }
  assert.deepEqual(await seenBy(second), [[address], [id], 2])
  assert.deepEqual(await seenBy(stranger.headers), [[], [], 1])
})

test('members that a newer node adds are passed on (contract 1, rule 19; 9, rules 3 and 4)', async (t) => {
  const newer = { novelty: '7' }
  const answers: Record<string, object> = {
    account_info: { balance: '1', ...newer },
    account_balance: { balance: '1', ...newer },
    account_history: { account: alice.address, history: [{ type: 'send', amount: '1', ...newer }], ...newer },
    receivable: { blocks: { ['A'.repeat(64)]: { amount: '1', source: bob.address, ...newer } } },
    block_info: { balance: '1', contents: { type: 'state', balance: '1', ...newer }, ...newer },
    telemetry: { block_count: '1', ...newer },
  }
  const node = await openRecordingNode(t, ({ action }) => answers[action] ?? { error: 'Account not found' })
  const { post } = await openGateway(t, { NODE_URLS: node.url })
  for (const [action, count] of Object.entries({
    account_info: 1,
    account_balance: 1,
    account_history: 2,
    receivable: 1,
    block_info: 2,
    telemetry: 1,
  })) {
    const fields = { account: alice.address, hash: 'A'.repeat(64), count: '1', source: true, raw: false }
    const { text } = await post(JSON.stringify({ action, ...fields }))
    assert.equal(text.split('"novelty":"7"').length - 1, count, `${action}: ${text}`)
  }
})

test('every product area does its first useful thing', async (t) => {
  const mails = await openMailServer(t)
  const { app, url, call, confirmed } = await openGateway(t, {
    DEVNET_TREASURY_NANO: '1',
    FAUCET_PER_NETWORK_MAX: '0',
    SMTP_URL: mails.url,
    MAIL_FROM: 'nano-gateway <noreply@gateway.test>',
    X402_PAY_TO: SHOP.address,
  })
  const { node } = app.devnet!
  const key = app.createdKey!
  const keyed = { authorization: `Bearer ${key}` }
  const pay = async (address: string, raw: string) => {
    await node.fund(fromAddress(address)!, BigInt(raw) as Raw)
    await confirmed()
  }
  const check = async (link: string) =>
    (await ask(link, { method: 'GET' })).json<{ status: string; success: boolean; order?: { status: string } }>()

  // 1. Node reads and writes: a block is broadcast and read back.
  const carol = new Signer(3, node.ledger.thresholds)
  const opening = carol.receive(UNOPENED, await node.fund(carol.key, nano(1)), nano(1))
  const { hash: published } = (await call('process', { subtype: 'open', block: toBlockJson(opening) })).json()
  assert.equal((await call('block_info', { hash: published })).json().subtype, 'receive')
  await confirmed()
  const opened = (await call('account_balance', { account: carol.address })).json()
  row('1, Product areas: 1. Node reads and writes', () => assert.equal(opened.balance_nano, '1'))

  // 2. Checkout: paid, and the check knows.
  const sale = (await call('checkout', { address: alice.address, amount: '1' })).json()
  await pay(alice.address, sale.amount_raw!)
  await row('1, Product areas: 2. Checkout', () => until(async () => (await check(sale.check!)).status === 'complete'))

  // 3. Faucet.
  await until(
    async () => (await call('faucet_check', { nano_address: bob.address })).json<{ eligible: boolean }>().eligible,
  )
  const claimed = await call('faucet_claim', { nano_address: bob.address }, keyed)
  assert.equal(claimed.json<{ claim: { status: string } }>().claim.status, 'sent', claimed.text)
  await confirmed()
  const given = (await call('account_balance', { account: bob.address })).json()
  row('1, Product areas: 3. Faucet', () => assert.equal(given.receivable_nano, '0.001'))

  // 4. Cloud wallets.
  const wallet = (await call('cloud_wallet', {}, keyed)).json()
  await pay(wallet.address!, nano(1).toString())
  const sent = await call('cloud_wallet', { account: wallet.address, send: bob.address, amount: '1' }, keyed)
  const { amount_nano: moved } = (await call('block_info', { hash: sent.json().hash })).json()
  row('1, Product areas: 4. Cloud wallets', () => assert.equal(moved, '1'))

  // 5. Usernames: whoever pays has the name.
  const offer = (await call('get_name', { name: 'Dora' })).json<{
    address: string
    check: string
    plans: { value_raw: string }[]
  }>()
  await pay(offer.address, offer.plans[0]!.value_raw)
  await until(async () => (await check(offer.check)).order?.status === 'applied')
  const genesis = toAddress(DEV_NETWORK.genesisAccount)
  const { address: dora } = (await call('account_info', { account: '@dora' })).json()
  row('1, Product areas: 5. Usernames', () => assert.equal(dora, genesis))

  // 6. E-mail payments: funded, mailed, claimed.
  const fields = { refund_address: alice.address, amount: '1', emails: ['x@example.com'] }
  const gift = (await call('nano_email', fields, keyed)).json()
  await pay(gift.address!, gift.amount_raw!)
  await until(() => mails.to('x@example.com').length > 0)
  const code = codeOf(mails.to('x@example.com')[0]!)
  const eve = new Signer(4).address
  const claim = await ask(`${url}/claim`, { body: JSON.stringify({ code, address: eve }) })
  assert.equal(claim.status, 200, claim.text)
  await confirmed()
  const { receivable_nano: mailed } = (await call('account_balance', { account: eve })).json()
  row('1, Product areas: 6. E-mail payments', () => assert.equal(mailed, '1'))

  // 7. Data and conversion.
  const { nano: smallest } = (await call('raw_to_nano', { amount: '1' })).json()
  const { currency } = (await call('price', { currency: 'EUR' })).json()
  row('1, Product areas: 7. Data and conversion', () =>
    assert.deepEqual([smallest, currency], [`0.${'0'.repeat(29)}1`, 'eur']),
  )

  // 8. Pay per request.
  const work = { hash: newHash() }
  const challenge = await call('work_generate', work)
  assert.equal(challenge.status, 402)
  assert.equal(requiredOf(challenge).payTo, SHOP.address)
  const paid = await call('work_generate', work, signed(paymentBlock(node, await openPayer(node))))
  assert.equal(paid.status, 200, paid.text)
  row('1, Product areas: 8. Pay per request', () => {
    assert.match(paid.json().work!, /^[0-9a-f]{16}$/)
    assert.equal(responseOf(paid).success, true)
  })
})

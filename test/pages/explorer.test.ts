import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { KNOWN_SEED, openAccounts } from '../../src/devnet/accounts.ts'
import { openExplorer } from '../../src/cli/devnet-explorer.ts'
import { hashBlock } from '../../src/kernel/nano/block.ts'
import { fromAddress, toAddress } from '../../src/kernel/nano/address.ts'
import { NO_WORK, Signer, UNOPENED, frontierOf, give, nano, publish } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { ask } from '../support/gateway.ts'
import { assertGood, inspect, openBrowser, openTab, signIn } from './browser.ts'
import { openDashboard } from './dashboard-steps.ts'

/* The explorer of the development ledger: alone, and inside the dashboard. */

async function open(t: TestContext) {
  const devnet = await openDevnet(t, { thresholds: NO_WORK, confirmAfterMilliseconds: 0 })
  const accounts = await openAccounts(devnet.node, KNOWN_SEED, 3)
  const { url, close } = await openExplorer(devnet, { host: '127.0.0.1', port: 0, accounts })
  t.after(close)
  const { node } = devnet
  const alice = new Signer(1)
  const [payer, payee] = accounts.map(({ address }) => fromAddress(address)!) as [string, string]
  const opened = await publish(node, alice.receive(UNOPENED, await give(node, alice.key, nano(10)), nano(10)))
  const send = alice.send(frontierOf(node, alice.key), payer, nano(2))
  await publish(node, send)
  const change = await publish(node, alice.change(frontierOf(node, alice.key), payee))
  return { node, url, accounts, alice, opened, sent: hashBlock(send), change }
}

const get = async (url: string, path: string) => (await ask(`${url}${path}`, { method: 'GET' })).text

/** The text of a page without markup. */
const wordsOf = (html: string) =>
  html
    .replace(/<(script|style)[^]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

test('a block’s link is explained by its kind, with who confirmed the block', async (t) => {
  const { url, node, accounts, alice, opened, sent, change } = await open(t)
  const genesis = toAddress(node.ledger.genesis.account)
  const send = wordsOf(await get(url, `/blocks/${sent}`))
  assert.ok(send.includes(`Recipient account 0 ${accounts[0]!.address} Received in Not received yet`), send)
  assert.match(send, /Amount 2 nano Balance after 8 nano/)
  assert.ok(send.includes(`Status confirmed Confirmed by genesis ${genesis} With`), send)
  const receive = wordsOf(await get(url, `/blocks/${opened.toLowerCase()}`))
  assert.match(receive, /Kind open confirmed/)
  assert.match(receive, /the hash of the send being received\. Sent in [0-9A-F]{64} Sender genesis nano_/)
  const changed = wordsOf(await get(url, `/blocks/${change}`))
  assert.match(changed, /a block that moves no money has no link/)
  assert.ok(changed.includes(`Representative account 1 ${accounts[1]!.address}`))
  const epoch = wordsOf(await get(url, `/blocks/${hashBlock(node.ledger.genesis.epochs[1]!)}`))
  assert.match(epoch, /Words epoch v2 block/)
  assert.match(epoch, /Unknown: it was confirmed/)
  const first = wordsOf(await get(url, `/blocks/${node.ledger.genesis.hash}`))
  assert.match(first, /Kind genesis confirmed/)

  node.hold()
  await give(node, alice.key, nano(1))
  const [waiting] = node.ledger.listUnconfirmed()
  assert.match(wordsOf(await get(url, `/blocks/${waiting!.hash}`)), /Status waiting Why Blocks are held/)
})

test('an account has its balance, representative, receivable sends and history, page by page', async (t) => {
  const { url, node, accounts, alice } = await open(t)
  const poor = accounts[0]!.address
  const page = wordsOf(await get(url, `/accounts/${poor}`))
  assert.match(page, /Balance 1,000 nano Receivable 2 nano Representative genesis nano_/)
  assert.match(page, /Receivable Block From Amount [0-9A-F]{6}…[0-9A-F]{4} nano_/)
  assert.match(wordsOf(await get(url, `/accounts/${new Signer(9).address}`)), /No blocks yet/)
  for (let turn = 0; turn < 30; turn++) {
    await publish(node, alice.change(frontierOf(node, alice.key), new Signer(turn).key))
  }
  const path = `/accounts/${alice.address}`
  const newest = await get(url, path)
  const [, older] = /href="(\/accounts\/[^"]+)" rel="next"/.exec(newest)!
  const hashes = (html: string) => [...html.matchAll(/data-hash="(\w+)"/g)].map(([, hash]) => hash!)
  const all = [...hashes(newest), ...hashes(await get(url, older!))]
  assert.deepEqual([all.length, new Set(all).size], [33, 33])
  const list = await get(url, '/')
  const [, before] = /href="(\/\?before=\d+)" rel="next"/.exec(list)!
  assert.equal(new Set([...hashes(list), ...hashes(await get(url, before!))]).size, 43)
})

test('a hash, its first digits, an address, a public key and a name lead to their pages; no input is executed', async (t) => {
  const { url, accounts, alice, sent } = await open(t)
  const search = async (q: string) => wordsOf(await get(url, `/?q=${encodeURIComponent(q)}`))
  for (const text of [sent, sent.slice(0, 8), ` ${sent.toLowerCase()} `]) assert.ok((await search(text)).includes(sent))
  for (const text of [alice.address, alice.address.replace('nano_', 'xrb_'), alice.key.toLowerCase()]) {
    assert.ok((await search(text)).includes(`Address ${alice.address}`), text)
  }
  for (const text of ['account 2', '@Account 2']) assert.ok((await search(text)).includes(accounts[2]!.address), text)
  assert.match(await search('genesis'), /genesis Address nano_/)
  const hostile = '"><script>alert(1)</script>'
  const reply = await ask(`${url}/?q=${encodeURIComponent(hostile)}`, { method: 'GET' })
  assert.equal(reply.status, 404)
  assert.ok(!reply.text.includes('<script>alert'))
  assert.match(reply.text, /value="&quot;>&lt;script>alert\(1\)&lt;\/script>"/)
  for (const path of [
    '/blocks/%3Cscript%3E',
    '/accounts/..%2f',
    '/assets/..%2fpackage.json',
    '/nowhere',
    '//',
    '//:x',
  ]) {
    const { status, text } = await ask(`${url}${path}`, { method: 'GET' })
    assert.equal(status, 404, path)
    assert.ok(!text.includes('<script>'))
  }
  assert.equal((await ask(url, { body: '{}' })).status, 405)
})

test('the page follows as blocks come, until it is paused, and weighs less than 60 KB', async (t) => {
  const { url, node, alice } = await open(t)
  const { page, misconduct } = await openTab(t, await openBrowser(), { url })
  const sizes: number[] = []
  page.on('response', (response) => {
    if (!response.url().endsWith('/events')) void response.body().then((body) => sizes.push(body.length))
  })
  await page.goto(`${url}/`)
  await page.waitForSelector('#follow:not([hidden])')
  await page.waitForLoadState('load')
  const shows = (hash: string) => page.waitForSelector(`tr[data-hash="${hash}"]`)
  await shows(await give(node, alice.key, nano(1)))
  node.hold()
  const held = await give(node, alice.key, nano(1))
  const state = (word: string) => page.waitForSelector(`tr[data-hash="${held}"] .badge:text("${word}")`)
  await state('waiting')
  await node.release()
  await state('confirmed')
  await page.click('#follow')
  assert.equal(await page.textContent('#follow'), 'Paused')
  const unseen = await give(node, alice.key, nano(1))
  await page.click('#follow')
  await shows(unseen)
  await node.write(() => node.takeBack(unseen))
  await page.waitForSelector(`tr[data-hash="${unseen}"]`, { state: 'detached' })
  assertGood(misconduct)
  const { text } = await ask(`${url}/`, { method: 'GET' })
  const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
  const whole = [text, ...(await Promise.all(assets.map((path) => get(url, path))))].join('').length
  t.diagnostic(`${Math.round(whole / 1000)} KB, uncompressed, with ${assets.length} files`)
  assert.ok(whole < 60_000, `${whole} bytes`)
})

test('its pages look well and can be used by everybody, alone and in the dashboard', async (t) => {
  const { url, node, accounts, sent } = await open(t)
  node.hold()
  await give(node, fromAddress(accounts[0]!.address)!, nano(3))
  const dashboard = await openDashboard(t)
  const owner = await dashboard.join('merchant@example.com')
  const { node: inside } = dashboard.gateway.app.devnet!
  const hash = await give(inside, fromAddress(accounts[0]!.address)!, nano(3))
  const within = `${dashboard.url}/dashboard/developer/ledger`
  const wrong: string[] = []
  for (const [site, pages] of [
    [url, { list: '/', block: `/blocks/${sent}`, account: `/accounts/${accounts[0]!.address}`, none: '/?q=nobody' }],
    [within, { list: '', block: `/blocks/${hash}`, account: `/accounts/${accounts[0]!.address}`, none: '?q=nobody' }],
  ] as const) {
    const { origin } = new URL(site)
    const { page, misconduct } = await openTab(t, await openBrowser(), { url: origin }, { reducedMotion: 'reduce' })
    await signIn(page, dashboard.url, await dashboard.enter(owner.key))
    for (const [title, path] of Object.entries(pages)) {
      await page.goto(`${site}${path}`)
      wrong.push(...(await inspect(page, `explorer-${site === url ? 'alone' : 'inside'}-${title}`)))
    }
    assertGood(misconduct)
  }
  assert.deepEqual(wrong, [])
})

test('inside the dashboard it follows as well, and names are found', async (t) => {
  const dashboard = await openDashboard(t)
  const owner = await dashboard.join('merchant@example.com')
  const { page, misconduct } = await openTab(t, await openBrowser(), dashboard.gateway)
  await signIn(page, dashboard.url, await dashboard.enter(owner.key))
  await page.goto(`${dashboard.url}/dashboard/developer/ledger`)
  await page.waitForSelector('#follow:not([hidden])')
  const hash = await give(dashboard.gateway.app.devnet!.node, new Signer(1).key, nano(1))
  await page.waitForSelector(`tr[data-hash="${hash}"]`)
  await page.fill('#q', '@bank')
  await page.keyboard.press('Enter')
  await page.waitForSelector('h2:text("@bank")')
  assertGood(misconduct)
})

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Raw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { give } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { type Gateway, type Reply, ask, openGateway } from '../support/gateway.ts'
import { shareGateway } from '../support/shared-gateway.ts'
import { until } from '../support/until.ts'
import { openFolder } from '../support/folder.ts'
import { TYPESCRIPT } from '../support/typescript.ts'

/* The documentation served by the gateway: pages without scripts, forms that work, and no links to other sites. */

const run = promisify(execFile)
const GENESIS = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'
const SHOP = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'

const get = (gateway: Gateway, path: string) =>
  ask(`${gateway.url}${path}`, { method: 'GET', headers: { accept: 'text/html' } })

const send = (gateway: Gateway, action: string, fields: Record<string, string>): Promise<Reply> =>
  ask(`${gateway.url}/docs/actions/${action}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: 'session=anything' },
    body: new URLSearchParams(fields).toString(),
  })

/** The text of an element that contains no element of the same name. */
function textOf(page: string, opening: RegExp): string {
  const found = opening.exec(page)
  assert.ok(found, `${opening} is on the page`)
  const inner = page.slice(found.index).replace(/^[^]*?<code>/, '')
  const text = inner.slice(0, inner.indexOf('</code>'))
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

const snippet = (page: string, language: string) => textOf(page, new RegExp(`data-language="${language}"`))

const gateway = shareGateway()

test('the call of the landing page works when it is pasted', async () => {
  const command = textOf((await get(gateway, '/')).text, /id="first-call"/)
  const { stdout } = await run('sh', ['-c', command.replace('curl ', 'curl -s ')])
  const { browser } = JSON.parse(stdout) as { browser: string }
  assert.equal((await ask(browser, { method: 'GET', headers: { accept: 'text/html' } })).status, 200)
})

test('every link of every page leads to a page', async () => {
  const seen = new Set<string>()
  const broken: string[] = []
  const follow = async (path: string, from: string): Promise<void> => {
    const [page = ''] = path.split('#')
    if (seen.has(page)) return
    seen.add(page)
    const { status, text, headers } = await get(gateway, page)
    // Without a session the dashboard redirects to its sign-in.
    if (status === 303) return follow(headers.location!, page)
    if (status !== 200) broken.push(`${page} on ${from}: ${status}`)
    if (!headers['content-type']?.startsWith('text/html')) return
    for (const [, href = ''] of text.matchAll(/href="(\/[^"]*)"/g)) await follow(href, page)
  }
  await follow('/', 'the start')
  assert.deepEqual(broken, [])
  assert.ok([...seen].filter((page) => page.startsWith('/docs/actions/')).length > 50, 'every action has its page')
  for (const guide of ['first-payment', 'webhooks', 'security', 'contract/part-4', 'decisions'])
    assert.ok(seen.has(`/docs/${guide}`))
})

test('programs read every page as text, by its address or by what they accept, and every link of it leads somewhere', async (t) => {
  const gateway = await openGateway(t, { X402_PAY_TO: GENESIS })
  const { url } = gateway
  const read = (path: string, accept = '*/*') => ask(`${url}${path}`, { method: 'GET', headers: { accept } })
  const index = await read('/llms.txt')
  assert.match(String(index.headers['content-type']), /^text\/plain/)
  assert.match(index.text, /^# nano-gateway\n\n> .*play money/)
  const listed = [...index.text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link.slice(url.length))
  assert.ok(listed.length > 80)
  const broken: string[] = []
  for (const path of listed) {
    const { status, text, headers } = await read(path)
    if (status !== 200) broken.push(`${path}: ${status}`)
    if (!path.endsWith('.md')) continue
    if (!headers['content-type']?.startsWith('text/markdown')) broken.push(`${path}: ${headers['content-type']}`)
    const page = path.slice(0, -'.md'.length)
    if ((await read(page, 'text/markdown, text/html;q=0.9')).text !== text) broken.push(`${page} by Accept`)
    for (const [, link = ''] of text.matchAll(/\]\((\/[^)#]+)/g)) {
      if ((await read(link)).status !== 200) broken.push(`${link} on ${path}`)
    }
  }
  assert.deepEqual(broken, [])
  const { text } = await read('/docs/actions/work_generate.md')
  const parts = [/^# work_generate\n/, /curl -d '/, /\| `hash` \| yes \|/, /a call costs 0\.001 nano/, /`no_work`|503/]
  for (const part of parts) assert.match(text, part)
  assert.match((await read('/docs/actions/work_generate', 'text/html, text/markdown')).text, /^<!doctype html>/i)
  assert.equal((await read('/docs/actions/nothing.md')).status, 404)
  assert.equal((await read('/docs/..%2fpackage.md')).status, 404)
})

test('guides are in the order of use, synonyms of actions lead to their pages, and links within pages have targets', async () => {
  const { text: index } = await get(gateway, '/docs')
  const side = index.slice(index.indexOf('<nav class="docs-side"'))
  const groups = [...side.matchAll(/<h2>([^<]+)<\/h2>/g)].slice(0, 6).map(([, title]) => title)
  assert.deepEqual(groups, ['Start', 'Accept payments', 'Build', 'Test', 'Operate', 'Reference'])
  const reply = await get(gateway, '/docs/actions/pending')
  assert.deepEqual([reply.status, reply.headers.location], [302, '/docs/actions/receivable'])
  const pages = [
    '/docs',
    '/docs/contract/part-4',
    '/docs/operating',
    '/docs/operating/runbook',
    '/docs/actions/process',
  ]
  for (const path of pages) {
    const { text } = await get(gateway, path)
    for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) assert.ok(text.includes(`id="${id}"`), `${path}#${id}`)
  }
})

test('a search finds what any page says, at its section, marked, the best page first', async () => {
  const found = async (query: string) => {
    const { text, headers } = await get(gateway, `/docs?q=${encodeURIComponent(query)}`)
    assert.equal(headers['x-robots-tag'], 'noindex')
    return { text, hrefs: [...text.matchAll(/<h2><a href="([^"]+)"/g)].map(([, href]) => href) }
  }
  const { text, hrefs } = await found('webhook')
  assert.match(hrefs[0]!, /^\/docs\/webhooks/)
  assert.ok(hrefs.includes('/docs/actions/checkout#fields'), hrefs.join(' '))
  assert.match(text, /<mark>webhook<\/mark>/)
  assert.match((await found('pending_exists')).hrefs[0]!, /^\/docs\/actions\/receivable_exists/)
  assert.match((await found('Rotate KEYS backup')).hrefs[0]!, /^\/docs\/operating/)
  // Each link must lead to an existing target.
  for (const href of hrefs) {
    const [page = '', id] = href!.split('#')
    assert.ok(id === undefined || (await get(gateway, page)).text.includes(`id="${id}"`), href)
  }
})

test('a search for one form of a word finds the others, and none that only contain it', async () => {
  const first = async (query: string) =>
    /<h2><a href="([^"#]+)/.exec((await get(gateway, `/docs?q=${encodeURIComponent(query)}`)).text)?.[1]
  for (const query of ['refunds', 'refunding', 'how do I refund a payment?', 'refunded payment'])
    assert.equal(await first(query), '/docs/refunds', query)
  assert.equal(await first('depl'), await first('deploy'), 'the beginning of a word, where no page has it whole')
  const { text } = await get(gateway, '/docs?q=rest')
  assert.match(text, /<mark>rest<\/mark>/i)
  assert.doesNotMatch(text, /<mark>[a-z]*(?:restore|restart|interest)[a-z]*<\/mark>/i)
})

test('a mistyped URL of a guide shows the list of guides, and programs get JSON', async () => {
  for (const path of ['/docs/first-paymnt', '/docs/actions/chekout']) {
    const { status, text } = await get(gateway, path)
    assert.equal(status, 404)
    assert.match(text, /<h1>There is no such page<\/h1>[^]*href="\/docs\/first-payment"/, path)
    const plain = await ask(`${gateway.url}${path}`, { method: 'GET', headers: { accept: '*/*' } })
    assert.deepEqual([plain.status, plain.json().code], [404, 'not_found'])
  }
})

test('a page that is made for one reader crosses the wire compressed', async () => {
  const read = (encoding: string) =>
    fetch(`${gateway.url}/claim`, { headers: { accept: 'text/html', 'accept-encoding': encoding } })
  const bare = await read('identity')
  assert.deepEqual(
    [bare.headers.get('content-encoding'), bare.headers.get('vary')?.includes('accept-encoding')],
    [null, true],
  )
  for (const encoding of ['br', 'gzip']) {
    const packed = await read(encoding)
    assert.equal(packed.headers.get('content-encoding'), encoding)
    assert.ok(Number(packed.headers.get('content-length')) * 2 < Number(bare.headers.get('content-length')))
    assert.match(await packed.text(), /^<!doctype html>[^]*<\/html>$/)
  }
})

test('one address could keep the gateway busy with searches: it has sixty a minute, and reads on', async (t) => {
  const gateway = await openGateway(t, {}, new TestClock())
  for (let at = 0; at < 60; at++) assert.equal((await get(gateway, '/docs?q=webhook')).status, 200)
  const refused = await ask(`${gateway.url}/docs?q=webhook`, { method: 'GET', headers: { accept: 'application/json' } })
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers['retry-after']) > 0)
  const page = await get(gateway, '/docs?q=webhook')
  assert.match(page.text, /^<!doctype html>[^]*60 searches a minute/i)
  assert.equal((await get(gateway, '/docs')).status, 200)
})

test('a search can be any text, and is shown as text', async () => {
  const { text } = await get(gateway, `/docs?q=${encodeURIComponent('<b>nothing "(.*)+$\\')}`)
  assert.match(text, /No page has “&lt;b>nothing/)
  for (const query of [
    'q=',
    'q=%20',
    'q[]=1',
    'q=a&q=b',
    `q=${'a '.repeat(2000)}`,
    'q=%00',
    'q=%F0%9F%98%80',
    'q=(((',
  ]) {
    assert.equal((await get(gateway, `/docs?${query}`)).status, 200, query.slice(0, 20))
  }
})

test('a form sends lists, objects and flags with their types', async () => {
  const lists = await send(gateway, 'accounts_balances', { accounts: `${GENESIS}\n${GENESIS}` })
  const [, body = ''] = /-d '([^']+)'/.exec(snippet(lists.text, 'sh')) ?? []
  assert.deepEqual(JSON.parse(body), { action: 'accounts_balances', accounts: [GENESIS, GENESIS] })
  assert.match(lists.text, /Status 200/)
  const key = gateway.app.createdKey!
  const wallet = { expire: '2 hours', metadata: '{"order":"A-1"}', refund_address: `["${GENESIS}"]` }
  const made = await send(gateway, 'cloud_wallet', { authorization: key, ...wallet })
  assert.match(made.text, /Status 200/)
  assert.match(made.text, /&quot;order&quot;: &quot;A-1&quot;/)
  const listed = await send(gateway, 'cloud_wallet', { authorization: key, list: 'true' })
  assert.match(snippet(listed.text, 'sh'), /"list":"true"/)
  assert.match(listed.text, /in 2 hours/)
})

test('a field that nothing reads is named in the form: refused by the service, beside the answer by the node', async () => {
  const { text } = await send(gateway, 'checkout', { address: GENESIS, amount: '1', titel: 'Coffee' })
  assert.match(text, /Refused, status 400/)
  assert.match(text, /The field titel is not used here/)
  const node = await send(gateway, 'account_balance', { account: GENESIS, titel: 'Coffee' })
  assert.match(node.text, /Status 200/)
  assert.match(node.text, /X-Ignored-Fields: titel/)
})

test('a refusal is shown with its status, and what was typed is still there', async () => {
  const { status, text } = await send(gateway, 'account_balance', { account: '<script>alert(1)</script>' })
  assert.equal(status, 200)
  assert.match(text, /Refused, status 400/)
  assert.match(text, /Bad account number/)
  assert.match(text, /value="&lt;script>alert\(1\)/)
  assert.doesNotMatch(text, /<script>/)
})

test('the receipt leads to its block, also on the development ledger, and a link can make or send nothing', async () => {
  const made = (await gateway.call('checkout', { address: SHOP, amount: '1' })).json()
  const paid = await give(gateway.app.devnet!.node, fromAddress(SHOP)!, BigInt(made.amount_raw!) as Raw)
  await until(async () => (await ask(made.check!, { method: 'GET' })).json().status === 'complete')
  const receipt = await get(gateway, `/pay/${made.id}/receipt`)
  const [, path] = /href="[^"]*(\/ledger\/blocks\/[0-9A-F]{64})"/.exec(receipt.text)!
  assert.equal(path, `/ledger/blocks/${paid}`)
  const shown = await get(gateway, path)
  assert.match(shown.text, new RegExp(`<h1>Block</h1>[^]*${paid}[^]*href="/ledger/accounts/nano_`))
  assert.equal((await get(gateway, `/ledger/blocks/${'0'.repeat(64)}`)).status, 404)
  for (const page of ['/ledger', `/ledger/accounts/${SHOP}`, `/ledger?q=${paid.slice(0, 8)}`])
    assert.equal((await get(gateway, page)).status, 200, page)
  const others = [
    `checkout?address=${GENESIS}&amount=2`,
    `work_generate?hash=${paid}`,
    `block_info?hash=${paid}&hash=1`,
  ]
  for (const other of others) {
    const { status, text } = await get(gateway, `/docs/actions/${other}`)
    assert.equal(status, 200, other)
    assert.doesNotMatch(text, /Status \d/, other)
  }
})

test('a key typed into a form never comes back, and a cookie is no key', async (t) => {
  const gateway = await openGateway(t)
  const key = gateway.app.createdKey!
  const good = await send(gateway, 'rpc_credits', { authorization: key })
  assert.match(good.text, /Status 200/)
  const none = await send(gateway, 'rpc_credits', {})
  assert.match(none.text, /Refused, status 401/)
  for (const { text } of [good, none]) assert.ok(!text.includes(key))
  assert.ok(!gateway.log().includes(key))
})

test('an action’s page shows its price, its free quota or neither, and its form is asked to pay like a program', async (t) => {
  const gateway = await openGateway(t, {
    ...{ X402_PAY_TO: GENESIS, X402_ACTIONS: 'account_history=0.002 nano' },
    ...{ FREE_WORK_PER_HALF_HOUR: '5', FREE_WORK_ANONYMOUS_PER_HOUR: '2' },
  })
  const withKey = 'With a key each costs 1 credit; for an account without credits, 5 calls in half an hour are free.'
  const free = `${withKey} Without a key, 2 calls in an hour are free.`
  for (const [action, told] of [
    ['account_history', 'a call costs 0.002 nano'],
    ['work_generate', free],
    ['cloud_wallet', 'With a key 1000 sends in 30 days are free; after that each costs 1 credit.'],
    ['account_key', 'It costs nothing.'],
  ] as const) {
    assert.ok((await get(gateway, `/docs/actions/${action}`)).text.includes(told), action)
  }
  // One page once showed the same callers both a price and a free share.
  const selling = await openGateway(t, { X402_PAY_TO: GENESIS, X402_ACTIONS: 'work_generate' })
  const { text } = await get(selling, '/docs/actions/work_generate.md')
  assert.match(
    text,
    /Without a key a call costs 0\.001 nano, paid with the request\.\n- With a key each costs 1 credit;/,
  )
  assert.doesNotMatch(text, /Without a key, \d+ calls/)
  const asked = await send(gateway, 'account_history', { account: GENESIS, count: '1' })
  assert.match(asked.text, /Refused, status 402/)
  assert.match(asked.text, /PAYMENT-REQUIRED: /)
})

const has = (program: string, version = '--version') => spawnSync(program, [version]).status === 0

test('the code of a call runs unchanged: in a terminal, with the client, and in every other language that is installed', async (t) => {
  const env = { ...process.env, NANO_GATEWAY_KEY: gateway.app.createdKey }
  const asked = { only: 'code', metadata: `{"it's":true,"none":null,"list":[1,"é"]}`, expire: '2 hours' }
  const { text } = await send(gateway, 'cloud_wallet', asked)
  assert.doesNotMatch(text, /Status 200/, 'showing the code runs nothing')
  const { stdout: curled } = await run('sh', ['-c', snippet(text, 'sh').replace('curl ', 'curl -s ')], { env })
  const client = pathToFileURL(resolve(import.meta.dirname, '../../src/client/index.ts')).href
  const script = snippet(text, 'ts').replace("'@nano-gateway/client'", JSON.stringify(client))
  const words = [...TYPESCRIPT, '--input-type=module', '-e', script]
  const { stdout: fetched } = await run(process.execPath, words, { env })
  const { stdout: opened } = await run('python3', ['-c', snippet(text, 'python')], { env })
  const folder = openFolder(t)
  for (const [language, args, version] of [
    ['php', ['call.php'], '--version'],
    ['go', ['run', 'call.go'], 'version'],
  ] as const) {
    writeFileSync(join(folder, `call.${language}`), snippet(text, language))
    if (!has(language, version)) t.diagnostic(`${language} is not installed here`)
    else assert.match((await run(language, args, { env, cwd: folder })).stdout, /nano_[13][\w]{59}/, language)
  }
  assert.deepEqual((JSON.parse(curled) as { metadata: unknown }).metadata, { "it's": true, none: null, list: [1, 'é'] })
  for (const output of [fetched, opened]) assert.match(output, /nano_[13][\w]{59}/)
})

test('nothing outside the documents can be read through their addresses, and a form that is none is refused', async () => {
  const outside = ['../package.json', '..%2fpackage.json', '%2e%2e/package.json', 'contract/../../README', 'nothing']
  for (const path of outside) assert.equal((await get(gateway, `/docs/${path}`)).status, 404, path)
  const { status, headers } = await get(gateway, '/docs/examples/verify-webhook.ts')
  assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8'])
  const url = `${gateway.url}/docs/actions/account_balance`
  assert.equal((await ask(url, { body: '{}', headers: { 'content-type': 'application/json' } })).status, 400)
  assert.equal((await send(gateway, 'nothing', {})).status, 404)
})

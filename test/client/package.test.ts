import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { signBody } from '../../src/modules/webhooks/domain/sign-body.ts'
import { Signer, give, nano } from '../support/blocks.ts'
import { bundle, packClient } from '../support/packed-client.ts'
import { newHash } from '../support/random.ts'
import { recordedProof } from '../support/recorded-votes.ts'
import { serve } from '../support/serve.ts'
import { BODY, TIMESTAMP } from '../support/webhook-vectors.ts'
import { openPayer, openShop, paymentsOnLedger } from '../support/x402-steps.ts'
import { openBrowser, openTab } from '../pages/browser.ts'

/* `@nano-gateway/client` as published: installed from its packed file into an empty folder. */

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const WALK = join(import.meta.dirname, 'first-to-last.mjs')
const hook = {
  body: BODY,
  headers: signBody({ id: 'evt_1', timestamp: TIMESTAMP, body: BODY, secrets: ['secret'] }),
  secret: 'secret',
  nowSeconds: TIMESTAMP,
}

/** The program's result, which must be the same everywhere. */
const ENDED = {
  refused: 'Account not found',
  opened: '3',
  status: 'complete',
  balance: '3',
  // Work for the block that opens the account, and for the one that pays.
  bought: ['work_generate settled', 'work_generate settled'],
  heard: 'told',
  event: (JSON.parse(BODY) as { id: string }).id,
}

/** Runs the program with the received options and posts the result. */
const WORKER = 'onmessage = ({ data }) => void useWith(data).then(postMessage)'

let wallets = 700

/** A gateway that sells work, an account that buys it, and one with a receivable block. */
async function openWalk(t: TestContext) {
  const { url, node } = await openShop(t)
  const { privateKey: purseKey } = await openPayer(node)
  const wallet = new Signer(++wallets)
  await give(node, wallet.key, nano(3))
  const shop = new Signer(++wallets).address
  return { node, terms: { url, purseKey, walletKey: wallet.privateKey, shop, hook } }
}

/** Runs a program in the folder and parses its output. */
async function runIn(folder: string, node: string, program: string, env: Record<string, string> = {}) {
  const { stdout } = await run(node, [program], { cwd: folder, env: { PATH: process.env.PATH!, ...env } })
  return stdout
}

test('the package is small, has types, declares its dependencies, and contains nothing of the server', (t) => {
  const { folder, bytes, files } = packClient()
  t.diagnostic(`${Math.ceil(bytes / 1000)} KB packed, ${files.length} files`)
  assert.ok(bytes < 80_000, `${bytes} bytes`)
  const known = /^(package\.json|README\.md|LICENSE|dist\/(index|x402|chunk-\w+)\.js|dist\/(client|kernel)\/.+\.d\.ts)$/
  const strange = files.filter((file) => !known.test(file))
  assert.deepEqual(strange, [])
  const read = (file: string) => readFileSync(join(folder, 'node_modules/@nano-gateway/client', file), 'utf8')
  const { dependencies, sideEffects } = JSON.parse(read('package.json')) as Record<string, unknown>
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const noble = ['@noble/curves', '@noble/hashes'].map((name) => [name, own.devDependencies[name]])
  assert.deepEqual([dependencies, sideEffects], [Object.fromEntries(noble), false])
  for (const [, from] of read('dist/index.js').matchAll(/from "([^"]+)"/g))
    assert.match(from!, /^(@noble\/|\.\/chunk-)/)
})

test('a program in an empty folder opens an account, pays a checkout and buys its work, also on Node 20', async (t) => {
  const { folder } = packClient()
  copyFileSync(WALK, join(folder, 'first-to-last.mjs'))
  const program = `import * as client from '@nano-gateway/client'
import { useClient } from './first-to-last.mjs'
console.log(JSON.stringify(await useClient(client, JSON.parse(process.env.TERMS))))`
  writeFileSync(join(folder, 'program.mjs'), program)
  const oldest = '/usr/bin/node'
  for (const node of [process.execPath, ...(existsSync(oldest) ? [oldest] : [])]) {
    const { terms } = await openWalk(t)
    const ended = JSON.parse(await runIn(folder, node, 'program.mjs', { TERMS: JSON.stringify(terms) })) as object
    const { stdout: version } = await run(node, ['--version'])
    t.diagnostic(version.trim())
    assert.deepEqual(ended, { ...ENDED, ...(version.startsWith('v20.') && { heard: 'no websocket' }) })
  }
})

test('as one file it runs alone, in a page of another origin, and in a worker', async (t) => {
  const { folder } = packClient()
  copyFileSync(WALK, join(folder, 'first-to-last.mjs'))
  const single = join(folder, 'single.mjs')
  await bundle(
    `import * as client from '@nano-gateway/client'
import { useClient } from './first-to-last.mjs'
globalThis.useWith = (terms) => useClient(client, terms)`,
    single,
  )
  const text = readFileSync(single, 'utf8')
  assert.doesNotMatch(text, /^import /m)
  const alone = await openWalk(t)
  const script = `await import(process.env.FILE); console.log(JSON.stringify(await useWith(JSON.parse(process.env.TERMS))))`
  const env = { PATH: process.env.PATH!, FILE: single, TERMS: JSON.stringify(alone.terms) }
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: '/', env })
  assert.deepEqual(JSON.parse(stdout), ENDED)

  const home = await serve(t, (request, response) => {
    const page = '<!doctype html><title>A shop</title><script type="module" src="/single.mjs"></script>'
    const file = { '/single.mjs': text, '/worker.mjs': `${text}\n${WORKER}` }[request.url ?? '']
    response.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript')
    response.end(file ?? page)
  })
  const { terms } = await openWalk(t)
  const { page, misconduct } = await openTab(t, await openBrowser(), { url: terms.url })
  await page.goto(`${home}/`)
  await page.waitForFunction('globalThis.useWith !== undefined')
  assert.deepEqual(await page.evaluate(`useWith(${JSON.stringify(terms)})`), ENDED)
  const { terms: others } = await openWalk(t)
  const inWorker = `new Promise((resolve) => {
    const worker = new Worker('/worker.mjs', { type: 'module' })
    worker.onmessage = ({ data }) => resolve(data)
    worker.postMessage(${JSON.stringify(others)})
  })`
  assert.deepEqual(await page.evaluate(inWorker), ENDED)
  assert.deepEqual(misconduct.errors, [])
})

test('the agent in examples/ buys its work and sends a payment, within one budget', async (t) => {
  const { folder } = packClient()
  copyFileSync(join(root, 'examples/agent-with-a-budget.mjs'), join(folder, 'agent.mjs'))
  assert.ok(readFileSync(join(folder, 'agent.mjs'), 'utf8').trim().split('\n').length <= 30)
  const { node, terms } = await openWalk(t)
  const { url: NANO_GATEWAY_URL, purseKey: PURSE_KEY, walletKey: WALLET_KEY, shop: PAY_TO } = terms
  const env = { NANO_GATEWAY_URL, PURSE_KEY, WALLET_KEY, PAY_TO, AMOUNT: '0.05' }
  const said = await runIn(folder, process.execPath, 'agent.mjs', env)
  assert.match(said, /^Sent 0\.05 nano in [0-9A-F]{64}; 2\.95 are left\.\n/)
  assert.match(said, /0\.001 nano for work_generate: settled\n0\.05 nano for send: settled\n/)
  assert.match(said, /0\.048 nano of the budget are left\.\n$/)
  assert.equal(paymentsOnLedger(node), 2)
  const dear = runIn(folder, process.execPath, 'agent.mjs', { ...env, AMOUNT: '0.2' })
  await assert.rejects(dear, /budget_exceeded/)
  const poor = runIn(folder, process.execPath, 'agent.mjs', { ...env, WALLET_KEY: newHash() })
  await assert.rejects(poor, ({ stdout }: { stdout: string }) => /^Fund nano_\w{60} and start again\.\n$/.test(stdout))
})

test('the package verifies the proof of a payment on a recorded network, on Node and in a page, and refuses it with a changed bit', async (t) => {
  const { folder } = packClient()
  const proof = recordedProof()
  const proofs = [proof, { ...proof, amount_raw: `1${proof.amount_raw.slice(1, -1)}1` }]
  writeFileSync(
    join(folder, 'prove.mjs'),
    `import { verifyProof } from '@nano-gateway/client'
console.log(JSON.stringify(JSON.parse(process.env.PROOFS).map((proof) => verifyProof(proof).ok)))`,
  )
  const env = { PROOFS: JSON.stringify(proofs) }
  assert.deepEqual(JSON.parse(await runIn(folder, process.execPath, 'prove.mjs', env)), [true, false])
  const single = join(folder, 'verifier.mjs')
  await bundle(`import { verifyProof } from '@nano-gateway/client'\nglobalThis.verifyProof = verifyProof`, single)
  const home = await serve(t, (request, response) => {
    const isScript = request.url === '/verifier.mjs'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? readFileSync(single) : '<!doctype html><script type="module" src="/verifier.mjs"></script>')
  })
  const { page } = await openTab(t, await openBrowser(), { url: home })
  await page.goto(`${home}/`)
  await page.waitForFunction('globalThis.verifyProof !== undefined')
  const found = await page.evaluate(`${JSON.stringify(proofs)}.map((proof) => verifyProof(proof).ok)`)
  assert.deepEqual(found, [true, false])
})

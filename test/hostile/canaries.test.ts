import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { toMasterKeys } from '../../src/infra/secrets/master-keys.ts'
import { EnvelopeVault } from '../../src/infra/secrets/vault.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import type { Db } from '../../src/kernel/db.ts'
import { getEncryptedKey } from '../../src/modules/wallets/keys-store.ts'
import { give, nano } from '../support/blocks.ts'
import { openMailServer, tokenOf } from '../support/mail-server.ts'
import { type Ask, ask, openGateway, readMetrics } from '../support/gateway.ts'
import { newHash, testRandom } from '../support/random.ts'
import { until } from '../support/until.ts'
import { SHOP, openPayer, paymentBlock, signed } from '../support/x402-steps.ts'
import { serveWhole } from '../support/serve.ts'
import { listFiles } from '../support/folder.ts'

/*
 * Puts a canary into every place that holds a secret: settings, keys, sessions, links, webhook secrets, payment signatures, private keys. Everything is
 * used and made to fail. Then logs, metrics, errors, the store, its files and job payloads are searched for the canaries (contract 5, rule 9).
 */

/** A canary may occur only in the answer that issues it. */
class Canaries {
  readonly #planted = new Map<string, string[]>()

  add(name: string, text: string): string {
    const bytes = Buffer.from(text)
    const forms = [text, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')]
    this.#planted.set(name, forms)
    return text
  }

  /** Adds bytes in all encodings in which they are written. */
  addBytes(name: string, secret: Uint8Array): void {
    const bytes = Buffer.from(secret)
    const base64 = bytes.toString('base64').replace(/=+$/, '')
    this.#planted.set(name, [bytes.toString('hex'), base64, bytes.toString('base64url'), bytes.toString('latin1')])
  }

  get size(): number {
    return this.#planted.size
  }

  foundIn(text: string): string[] {
    const lower = text.toLowerCase()
    return [...this.#planted]
      .filter(([, forms]) => forms.some((form) => lower.includes(form.toLowerCase())))
      .map(([name]) => name)
  }
}

/**
 * A webhook URL must be stored as given, and users are warned not to put secrets into it. A receiver's answer is stored for its owner, and this one
 * repeats what it was sent.
 */
const HOOK = 'token in the address of a webhook'
const KNOWN_AS_GIVEN = ['checkouts', 'events', 'delivery_attempts'].map((table) => `${HOOK}: ${table}`)

const canary = () => `canary${newHash().toLowerCase()}`

/** A server that fails and repeats whatever it was sent. */
const openEcho = (t: TestContext) =>
  serveWhole(t, (body, { url, rawHeaders }, response) =>
    response.writeHead(500).end(JSON.stringify([url, rawHeaders, body])),
  )

async function openWorld(t: TestContext) {
  const canaries = new Canaries()
  const echo = await openEcho(t)
  const password = canaries.add('password of the mail server', canary())
  const mail = await openMailServer(t, password)
  const [masterKey, secretKey] = [Buffer.from(testRandom.bytes(32)), Buffer.from(testRandom.bytes(32))]
  canaries.addBytes('master key of wallets', masterKey)
  canaries.addBytes('key that seals secrets', secretKey)
  const gateway = await openGateway(t, {
    WALLET_KEYS: `one:${masterKey.toString('base64')}`,
    SECRET_KEY: secretKey.toString('base64'),
    SMTP_URL: mail.url.replace('//', `//user:${password}@`),
    PRICE_PROVIDERS: 'coingecko',
    COINGECKO_URL: echo,
    COINGECKO_KEY: canaries.add('key of the price provider', canary()),
    SWAP_PROVIDER: 'nanswap',
    SWAP_URL: echo,
    SWAP_KEY: canaries.add('key of the swap provider', canary()),
    X402_PAY_TO: SHOP.address,
    LIMIT_FREE_PER_MINUTE: '0',
    LIMIT_FREE_CONCURRENCY: '0',
  })
  const errors: string[] = []
  /** Returns the answer; errors are collected to be searched. */
  const call = async (path: string, request: Ask) => {
    const reply = await ask(`${gateway.url}${path}`, request)
    if (reply.status >= 400 || reply.text.startsWith('{"error"')) errors.push(reply.text, JSON.stringify(reply.headers))
    return reply
  }
  const rpc = (body: object, headers: Ask['headers'] = {}) => call('/', { body: JSON.stringify(body), headers })
  const rest = (method: string, path: string, key: string, body?: object) =>
    call(path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
    })
  return { canaries, gateway, echo, mail, masterKey, errors, rpc, rest, call }
}

type World = Awaited<ReturnType<typeof openWorld>>

/** Makes keys, links and sessions, uses them, and uses them wrongly. */
async function useAccounts({ canaries, gateway, mail, rest, rpc, call }: World): Promise<string> {
  const admin = canaries.add('key of the administrator', gateway.app.createdKey!)
  const { key } = (await rest('POST', '/api/keys', admin, { kind: 'secret', name: 'Shop' })).json<{ key: string }>()
  canaries.add('secret key', key)
  type Made = { key: string; id: string }
  const made = (await rest('POST', '/api/keys', key, { kind: 'secret', name: 'Old' })).json<Made>()
  const rotated = (await rest('POST', `/api/keys/${made.id}/rotate`, key)).json<{ key: string }>()
  canaries.add('rotated key', made.key)
  canaries.add('its successor', rotated.key)
  await call('/api/sign-in/request', { body: JSON.stringify({ email: 'alice@example.org' }) })
  await until(() => mail.received.length > 0)
  const link = canaries.add('sign-in link', tokenOf(mail.received[0]!.text))
  const { token } = (await call('/api/sign-in', { body: JSON.stringify({ token: link }) })).json<{ token: string }>()
  canaries.add('session', token)
  assert.equal((await rest('GET', '/api/account', token)).status, 200)
  await call('/api/sign-in', { body: JSON.stringify({ token: link }) })
  for (const secret of [key, token, link]) {
    await rest('GET', '/api/jobs', secret)
    await rest('GET', `/api/events/${secret}`, key)
    await rest('PUT', `/api/checkouts/${secret}`, key, { title: secret.slice(0, 100) })
    await rpc({ action: 'version', key: `${secret}x` })
    await rpc({ action: secret, key })
    await call(`/?key=${secret}x`, { body: '{"action":"version"}' })
    await call(`/${secret}`, { method: 'GET' })
  }
  return key
}

/** Webhook secrets of a checkout and of the account, with failing deliveries. */
async function useWebhooks({ canaries, gateway, echo, rest, rpc }: World, key: string): Promise<void> {
  const own = canaries.add('webhook secret of a checkout', canary())
  const hook = `${echo}/hook?token=${canaries.add(HOOK, canary())}`
  const fields = { address: SHOP.address, amount: '1', webhook_url: hook, webhook_secret: own, mode: 'unique_address' }
  await rpc({ action: 'checkout', ...fields, key })
  await rpc({ action: 'checkout', ...fields, amount: 'x', key })
  const rotated = (await rest('POST', '/api/webhooks/secret/rotate', key)).json<{ webhook_secret: string }>()
  canaries.add('webhook secret of the account', rotated.webhook_secret)
  await rest('POST', '/api/webhooks/ping', key, { url: hook })
  await until(() => gateway.log().includes('"event":"webhook"'))
}

/** A wallet with a known private key that receives, sends, fails to send, and at last has a damaged key. */
async function useWallets({ canaries, gateway, masterKey, rpc }: World, key: string): Promise<void> {
  const { address } = (await rpc({ action: 'cloud_wallet', key, metadata: { a: 1 } })).json()
  const { db } = gateway.app.store
  const { id } = await db.selectFrom('wallets').select('id').where('address', '=', address!).executeTakeFirstOrThrow()
  const vault = new EnvelopeVault({ load: () => toMasterKeys([{ id: 'one', key: masterKey }]), random: testRandom })
  const encrypted = await getEncryptedKey(db, id)
  canaries.addBytes('private key of a wallet', vault.open({ walletId: id, address: address! }, encrypted))
  const call = (fields: object) => rpc({ action: 'cloud_wallet', key, account: address, ...fields })
  const send = { send: SHOP.address, amount: '1' }
  await call(send)
  await give(gateway.app.devnet!.node, fromAddress(address!)!, nano(3))
  for (const fields of [{}, { balance: true }, { receive: true }, send]) assert.equal((await call(fields)).status, 200)
  // A damaged record is reported without its contents.
  const damaged = { sealed_key: encrypted.encryptedKey.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')) }
  await db.updateTable('wallet_keys').set(damaged).where('wallet_id', '=', id).execute()
  await call(send)
  assert.match(gateway.log(), /"kind":"key"/)
  await call({ delete: true })
}

/** An x402 payment: valid, used again, and damaged. */
async function pay({ canaries, gateway, rpc }: World): Promise<void> {
  const node = gateway.app.devnet!.node
  const block = paymentBlock(node, await openPayer(node))
  const headers = signed(block)
  canaries.add('payment signature', headers['payment-signature'])
  const request = { action: 'work_generate', hash: newHash() }
  assert.equal((await rpc(request, headers)).status, 200)
  await rpc({ ...request, hash: newHash() }, headers)
  const unused = paymentBlock(node, await openPayer(node))
  // On the ledger a signature is public, but this block is never published.
  canaries.add('signature of a block that was refused', String(toBlockJson(unused).signature))
  const broken = signed({ ...unused, work: '0000000000000000' })
  await rpc(request, broken)
}

/** All tables, including those of modules unknown to this test. */
async function dump(db: Db): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(db)
  const tables: Record<string, string> = {}
  for (const { name } of rows) {
    tables[name] = JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(db)).rows)
  }
  return tables
}

function assertClean(canaries: Canaries, where: string, text: string): void {
  assert.deepEqual(canaries.foundIn(text), [], where)
}

test('no canary comes up in a log line, a metric, an error, a table, a job or a file', async (t) => {
  const world = await openWorld(t)
  const { canaries, gateway, errors, rpc } = world
  const key = await useAccounts(world)
  await useWebhooks(world, key)
  await useWallets(world, key)
  await pay(world)
  // Providers that fail and repeat the request, including the API key.
  for (const action of ['price', 'market_data']) assert.equal((await rpc({ action })).status, 503)
  const swap = { amount: 1, from: 'nano', to: 'ban', address: SHOP.address, refund_address: SHOP.address }
  assert.equal((await rpc({ action: 'nano_swap', ...swap })).status, 503)
  assert.match(gateway.log(), /provider_failure/)

  assert.ok(canaries.size >= 15, `${canaries.size} canaries`)
  assert.ok(errors.length > 30, `${errors.length} errors`)
  assertClean(canaries, 'the log', gateway.log())
  for (const error of errors) assertClean(canaries, 'an error', error)
  assertClean(canaries, 'the metrics', await readMetrics(gateway))
  for (const path of ['/dashboard', '/openapi.json', '/health/ready', '/']) {
    assertClean(canaries, path, (await ask(`${gateway.url}${path}`, { method: 'GET' })).text)
  }
  const tables = await dump(gateway.app.store.db)
  assert.ok(Object.keys(tables).length > 20 && tables.jobs!.length > 2)
  const leaks = Object.entries(tables).flatMap(([name, rows]) =>
    canaries.foundIn(rows).map((found) => `${found}: ${name}`),
  )
  const unexpected = leaks.filter((leak) => !KNOWN_AS_GIVEN.includes(leak))
  assert.deepEqual(unexpected, [])
  for (const file of listFiles(gateway.folder)) {
    const found = canaries.foundIn(readFileSync(file, 'latin1')).filter((each) => each !== HOOK)
    assert.deepEqual(found, [], `the file ${file}`)
  }
})

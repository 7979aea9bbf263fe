import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import { Sessions, createAccount } from '../../src/modules/accounts/index.ts'
import { openSecrets } from '../../src/store/secrets.ts'
import { NO_WORK } from '../support/blocks.ts'
import { CLI } from '../support/command-line.ts'
import { openDevnet } from '../support/devnet.ts'
import { emptyUrl } from '../support/empty-store.ts'
import { ENGINES, openFresh } from '../support/engines.ts'
import { type Gateway, ask, openGateway, sharedKeys } from '../support/gateway.ts'
import { newKey, testRandom } from '../support/random.ts'
import { until } from '../support/until.ts'
import { run } from './process.ts'
import { openFolder } from '../support/folder.ts'

/* The key that encrypts secrets in the store must be verified before the gateway serves anything. */

const bearer = ({ app }: Gateway) => ({ authorization: `Bearer ${app.createdKey}` })

test('a store restored with another SECRET_KEY does not start, until its owner says that the old key is lost', async (t) => {
  const first = await openGateway(t, { SECRET_KEY: newKey() })
  await first.app.close()
  const restored = { DATA_DIR: first.folder, SECRET_KEY: newKey() }
  await assert.rejects(
    openGateway(t, restored),
    /^Error: SECRET_KEY is not the key that encrypted the secrets of this store\. Restore/,
  )
  const unsure = await run(t, ['secret-key', 'replace'], restored)
  assert.deepEqual([unsure.code, /--yes/.test(unsure.errors)], [1, true])
  const { code, output } = await run(t, ['secret-key', 'replace', '--yes'], restored)
  assert.equal(code, 0)
  assert.match(output, /^SECRET_KEY encrypts the secrets of this store from now on\./)
  const running = await openGateway(t, restored)
  // A running gateway would go on encrypting with the old key, so the command changes nothing.
  const beside = await run(t, ['secret-key', 'replace', '--yes'], { ...restored, SECRET_KEY: newKey() })
  assert.equal(beside.code, 1)
  assert.match(
    beside.errors,
    /^nano-gateway: A gateway is running on this store \(process \d+ on \S+\)\. Stop every gateway/,
  )
  await running.app.close()
  await (await openGateway(t, restored)).app.close()
})

test('a lost secret.key is not replaced by a new one that opens nothing', async (t) => {
  const first = await openGateway(t)
  await first.app.close()
  const file = join(first.folder, 'secret.key')
  renameSync(file, `${file}.away`)
  await assert.rejects(
    openGateway(t, { DATA_DIR: first.folder }),
    /secret\.key is missing, and the secrets .* Restore it\./,
  )
  assert.equal(existsSync(file), false)
  renameSync(`${file}.away`, file)
  await (await openGateway(t, { DATA_DIR: first.folder })).app.close()
})

test('in a store older than the canary the key is verified with the encrypted values', async (t) => {
  const key = newKey()
  const first = await openGateway(t, { SECRET_KEY: key })
  const secret = await ask(`${first.url}/api/webhooks/secret/rotate`, { headers: bearer(first) })
  assert.equal(secret.status, 201, secret.text)
  await first.app.store.db.deleteFrom('store_facts').where('name', '=', 'secret-key').execute()
  await first.app.close()
  await assert.rejects(
    openGateway(t, { DATA_DIR: first.folder, SECRET_KEY: newKey() }),
    /is not the key that encrypted/,
  )
  await (await openGateway(t, { DATA_DIR: first.folder, SECRET_KEY: key })).app.close()
})

for (const engine of ENGINES) {
  test(`two gateways that start at once with different keys are not both right (${engine})`, async (t) => {
    const { ctx, openAnother } = await openFresh(t, engine)
    const other = (await openAnother()).ctx
    const config = () => ({
      secretKey: Buffer.from(testRandom.bytes(32)),
      secretKeys: [],
      dataDir: openFolder(t),
      databaseUrl: '',
    })
    const outcomes = await Promise.allSettled([openSecrets(config(), ctx), openSecrets(config(), other)])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  })

  test(`an unreadable session secret is replaced, and sign-in works again (${engine})`, async (t) => {
    const { ctx } = await openFresh(t, engine)
    const { id } = await createAccount(ctx, { email: 'alice@shop.example', role: 'user', actor: OPERATOR })
    const openSessions = () => new Sessions({ ...ctx, secrets: openSecretBox(testRandom.bytes(32), testRandom) })
    const [lost, found] = [openSessions(), openSessions()]
    const old = await lost.create(id)
    assert.equal((await found.find(old))?.id, undefined)
    await found.prepare()
    assert.equal((await found.find(await found.create(id)))?.id, id)
  })
}

test('a sign-in link works although the secret of the day cannot be read', async (t) => {
  const gateway = await openGateway(t)
  const { db } = gateway.app.store
  const day = Math.floor(Date.now() / 86_400_000)
  const unreadable = [day - 1, day, day + 1].map((each) => ({
    id: `ses_${each}`,
    secret: 'v1.AAAA',
    created_at: Date.now(),
  }))
  await db.insertInto('session_secrets').values(unreadable).execute()
  await ask(`${gateway.url}/api/sign-in/request`, { body: '{"email":"alice@shop.example"}' })
  const mails = () => db.selectFrom('mails').select('text').execute()
  await until(async () => (await mails()).length > 0)
  const token = /#(\w{40})$/m.exec((await mails())[0]!.text)![1]
  const reply = await ask(`${gateway.url}/api/sign-in`, { body: JSON.stringify({ token }) })
  assert.equal(reply.status, 200, reply.text)
  const { token: session } = reply.json()
  const account = await ask(`${gateway.url}/api/account`, {
    method: 'GET',
    headers: { authorization: `Bearer ${session}` },
  })
  assert.equal(account.status, 200, account.text)
})

const secretOf = async ({ url, app }: Gateway, key = app.createdKey!) =>
  (await ask(`${url}/api/webhooks/secret`, { method: 'GET', headers: { authorization: `Bearer ${key}` } })).json()

const namesOf = async (env: Record<string, string>) => {
  const { keys } = JSON.parse(await command(env, 'secret-keys', 'list')) as { keys: { name: string; texts: number }[] }
  return keys.map(({ texts }) => texts > 0)
}
const command = async (env: Record<string, string>, ...words: string[]) =>
  (await promisify(execFile)(process.execPath, [CLI, ...words, '--json'], { env: { PATH: process.env.PATH, ...env } }))
    .stdout

test('SECRET_KEY could not be changed without making every secret unreadable: gateways change it one after the other', async (t) => {
  const [older, newer] = [newKey(), newKey()]
  const ledger = await openDevnet(t, { thresholds: NO_WORK })
  const nodes = { NODE_URLS: ledger.rpcUrl, NODE_WS_URLS: ledger.wsUrl, NODE_NETWORK: 'dev' }
  const { WALLET_KEYS } = sharedKeys()
  const shared = { DATABASE_URL: await emptyUrl(t, 'postgres'), ...nodes, WALLET_KEYS, SECRET_KEY: '' }
  const env = (...keys: string[]) => ({ ...shared, SECRET_KEYS: keys.join() })
  const gateways = [await openGateway(t, { ...shared, SECRET_KEY: older }), await openGateway(t, env(older))]
  const { key } = await gateways[0]!.join()
  const authorization = { authorization: `Bearer ${key}` }
  const made = await ask(`${gateways[0]!.url}/api/webhooks/secret/rotate`, { headers: authorization })
  assert.equal(made.status, 201, made.text)
  const secret = await secretOf(gateways[1]!, key)
  const restart = async (at: number, ...keys: string[]) => {
    await gateways[at]!.close()
    gateways[at] = await openGateway(t, env(...keys))
    assert.deepEqual(await secretOf(gateways[at], key), secret)
  }
  // In the wrong order the second gateway could not read what the first one encrypts.
  await assert.rejects(
    openGateway(t, env(newer, older)),
    /^Error: The first key \(\w{8}\) is not known to process \d+ on .*\. First give it to every gateway/,
  )
  for (const at of [0, 1]) await restart(at, older, newer)
  await restart(0, newer, older)
  await assert.rejects(openGateway(t, env(older)), /^Error: SECRET_KEYS is not the key that encrypted the secrets/)
  const early = command(env(newer, older), 'secret-keys', 'rotate')
  await assert.rejects(early, /process \d+ on .*: this gateway does not encrypt with the same key as this command/)
  await restart(1, newer, older)
  assert.deepEqual(await namesOf(env(newer, older)), [true, true])
  await command(env(newer, older), 'secret-keys', 'rotate')
  assert.deepEqual(await namesOf(env(newer, older)), [true, false])
  for (const at of [0, 1]) await restart(at, newer)
})

test('secret-keys rotate puts a new key into the file beside a running gateway, which encrypts with it at once', async (t) => {
  const gateway = await openGateway(t)
  const file = join(gateway.folder, 'secret.key')
  const env = { DATA_DIR: gateway.folder }
  await ask(`${gateway.url}/api/webhooks/secret/rotate`, { headers: bearer(gateway) })
  const secret = await secretOf(gateway)
  await command(env, 'secret-keys', 'rotate')
  const [newer, older, ...more] = readFileSync(file, 'utf8').trim().split('\n')
  assert.deepEqual([older === undefined, more], [false, []])
  assert.deepEqual(await secretOf(gateway), secret)
  const again = await ask(`${gateway.url}/api/webhooks/secret/rotate`, { headers: bearer(gateway) })
  assert.equal(again.status, 201, again.text)
  assert.deepEqual(await namesOf(env), [true, false])
  const found = await secretOf(gateway)
  await gateway.app.close()
  // The operator removes the old key, as documented.
  writeFileSync(file, `${newer}\n`)
  const restarted = await openGateway(t, env)
  assert.deepEqual(await secretOf(restarted, gateway.app.createdKey), found)
})

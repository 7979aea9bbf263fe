import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import { Sessions, createAccount } from '../../src/modules/accounts/index.ts'
import { openSecrets } from '../../src/store/secrets.ts'
import { ENGINES, openFresh } from '../support/engines.ts'
import { type Gateway, ask, openGateway } from '../support/gateway.ts'
import { newKey, testRandom } from '../support/random.ts'
import { until } from '../support/until.ts'
import { run } from './process.ts'
import { openFolder } from '../support/folder.ts'

/* The key that seals secrets in the store is proven before anything is served. */

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
  // Beside a gateway, which would go on encrypting with the key before, it changes nothing.
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

test('a store of before the canary proves the key by what it has sealed', async (t) => {
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
    const config = () => ({ secretKey: Buffer.from(testRandom.bytes(32)), dataDir: openFolder(t), databaseUrl: '' })
    const outcomes = await Promise.allSettled([openSecrets(config(), ctx), openSecrets(config(), other)])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  })

  test(`a session secret that nobody can read is made anew, and signs people in (${engine})`, async (t) => {
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

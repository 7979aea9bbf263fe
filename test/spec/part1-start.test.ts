import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkStart } from '../../src/config/check-start.ts'
import { loadConfig, readConfig } from '../../src/config/config.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { openFolder } from '../support/folder.ts'
import { ask, openGateway } from '../support/gateway.ts'

/* Contract 1: what prevents a start, and how a gateway names its ledger. */

test('each of production, a public host and a public address makes the gateway public: no test nano by itself, no misspelt setting (contract 1, rule 21)', () => {
  const check = (env: Record<string, string>) => checkStart(systemClock, readConfig(env))
  const away = [{ NODE_ENV: 'production' }, { HOST: '0.0.0.0' }, { BASE_URL: 'https://pay.shop.example' }, { HOST: '' }]
  for (const env of away) {
    const { isLocal, problems } = check(env)
    assert.deepEqual([isLocal, problems.length], [false, 1], JSON.stringify(env))
    assert.match(problems[0]!, /^NODE_URLS is not set\. /, JSON.stringify(env))
    const meant = { ...env, NODE_URLS: 'devnet:' }
    assert.deepEqual(check(meant).problems, [])
    assert.match(check({ ...meant, X402_PAYTO: 'x' }).problems.join(), /Did you mean X402_PAY_TO\?/)
  }
  const near = [
    {},
    { HOST: 'localhost' },
    { HOST: '::1', BASE_URL: 'http://[::1]:8080' },
    { BASE_URL: 'http://127.0.0.2' },
  ]
  for (const env of near) assert.deepEqual([check(env).isLocal, check(env).problems], [true, []], JSON.stringify(env))
})

test('a node of another network serves nothing, and a store opens with no other ledger than its first (contract 1, rule 20)', async (t) => {
  const { rpcUrl } = await openDevnet(t)
  const live = await openGateway(t, { NODE_URLS: rpcUrl, NODE_NETWORK: 'live' })
  const refused = await live.call('block_count')
  assert.deepEqual([refused.status, refused.json().code], [502, 'no_node'])
  await live.app.close()
  await assert.rejects(
    openGateway(t, { DATA_DIR: live.folder, NODE_URLS: rpcUrl, NODE_NETWORK: 'dev' }),
    /This store belongs to the ledger of the live network/,
  )
})

test('metrics are not at the port of the API, and a secret is read from the file that is named (contract 1, rule 22)', async (t) => {
  const { url } = await openGateway(t)
  assert.equal((await ask(`${url}/metrics`, { method: 'GET' })).status, 404)
  const file = join(openFolder(t), 'smtp')
  writeFileSync(file, 'smtp://mail.example:25\n')
  assert.equal(loadConfig({ SMTP_URL_FILE: file }).smtpUrl, 'smtp://mail.example:25')
})

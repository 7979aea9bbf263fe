import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logOf, run, start } from './process.ts'
import { openFolder } from '../support/folder.ts'

/* Starts a public gateway with one letter missing in a setting's name. */

const SHOP = { NODE_ENV: 'production', BASE_URL: 'https://pay.shop.example', LOG_LEVEL: 'error' }

test('a shop that meant NODE_URLS and wrote NODE_URL does not go live on test nano', async (t) => {
  const DATA_DIR = openFolder(t)
  const { code, output, errors } = await run(t, ['start'], { ...SHOP, DATA_DIR, NODE_URL: 'http://127.0.0.1:7076' })
  assert.equal(code, 1)
  assert.equal(output, '', 'nothing was started')
  assert.match(errors, /Unknown setting NODE_URL\. Did you mean NODE_URLS\?/)
  assert.match(errors, /NODE_URLS is not set\. .* Set NODE_URLS to your nodes, or to devnet: for test nano\./)
})

test('test nano on a public gateway must be enabled explicitly', async (t) => {
  const gateway = await start(t, { ...SHOP, DATA_DIR: openFolder(t), NODE_URLS: 'devnet:' })
  assert.match(gateway.said, /^ {2}Node +development ledger/m)
  assert.equal((await gateway.stop()).code, 0)
})

test('a shop with four wrong settings sees all four at once, and never their values', async (t) => {
  const { code, errors } = await run(t, ['start'], {
    ...SHOP,
    DATA_DIR: openFolder(t),
    NODE_URLS: 'devnet:',
    LIMIT_ANONYMUS_PER_MINUTE: '5',
    X402_PAYTO: 'nano_1secret',
    SMTP_ULR: 'smtp://user:very-secret@mail.example',
    SECRET_KEY: 'too-short-and-secret',
    WALLETS_PER_ACCOUNT_MAX: 'many',
  })
  assert.equal(code, 1)
  for (const [name, meant] of [
    ['LIMIT_ANONYMUS_PER_MINUTE', 'LIMIT_ANONYMOUS_PER_MINUTE'],
    ['X402_PAYTO', 'X402_PAY_TO'],
    ['SMTP_ULR', 'SMTP_URL'],
  ]) {
    assert.ok(errors.includes(`Unknown setting ${name}. Did you mean ${meant}?`), errors)
  }
  assert.match(errors, /SECRET_KEY must be 32 bytes in base64\./)
  assert.match(errors, /WALLETS_PER_ACCOUNT_MAX must be a whole number/)
  assert.doesNotMatch(errors, /secret@|too-short|nano_1|many/)
})

test('on a local gateway a misspelt setting is a warning in the log and beside the banner', async (t) => {
  const gateway = await start(t, { DATA_DIR: openFolder(t), LIMIT_ANONYMUS_PER_MINUTE: '5' })
  const ended = await gateway.stop()
  const sentence = 'Unknown setting LIMIT_ANONYMUS_PER_MINUTE. Did you mean LIMIT_ANONYMOUS_PER_MINUTE?'
  assert.ok(ended.errors.includes(`nano-gateway: ${sentence}\n`), ended.errors)
  assert.equal(logOf(ended).find(({ event }) => event === 'setting_misspelt')?.reason, sentence)
})

test('a name of other software that looks like ours is left alone once it is named', async (t) => {
  const env = { ...SHOP, DATA_DIR: openFolder(t), NODE_URLS: 'devnet:', REDIS_URI: 'redis://elsewhere' }
  const refused = await run(t, ['config', '--check'], env)
  assert.deepEqual([refused.code, refused.output.includes('REDIS_URI')], [1, true])
  const { code } = await run(t, ['config', '--check'], { ...env, NAMES_OF_OTHERS: 'REDIS_URI' })
  assert.equal(code, 0)
})

test('config --check says what a start would refuse, without starting, also as JSON', async (t) => {
  const DATA_DIR = openFolder(t)
  const wrong = { ...SHOP, DATA_DIR, NODE_URL: 'http://127.0.0.1:1', TRUSTED_PROXIES: '10.0.0.300', PORT: '70000' }
  const told = await run(t, ['config', '--check'], { ...wrong, PORT: '8080' })
  assert.equal(told.code, 1)
  assert.match(told.output, /^wrong {4}Unknown setting NODE_URL/m)
  assert.match(told.output, /^wrong {4}NODE_URLS is not set/m)
  assert.match(told.output, /^wrong {4}TRUSTED_PROXIES must be addresses/m)
  const asJson = await run(t, ['config', '--check', '--json'], wrong)
  assert.equal(asJson.code, 1)
  const check = JSON.parse(asJson.output) as { ok: boolean; at_desk: boolean; problems: string[]; warnings: string[] }
  assert.deepEqual([check.ok, check.at_desk, check.warnings], [false, false, []])
  assert.ok(check.problems.includes('PORT must be a whole number from 0 to 65535.'), asJson.output)
  const isLocal = await run(t, ['config', '--check', '--json'], { DATA_DIR, X402_PAYTO: 'x' })
  assert.equal(isLocal.code, 0)
  assert.deepEqual(JSON.parse(isLocal.output), {
    ok: true,
    at_desk: true,
    problems: [],
    warnings: ['Unknown setting X402_PAYTO. Did you mean X402_PAY_TO?'],
  })
})

test('a command on a live store is not run on another one because of a misspelt name', async (t) => {
  const env = { NODE_ENV: 'production', DATA_DIR: openFolder(t), DATABSE_URL: 'postgres://127.0.0.1:1/shop' }
  const { code, errors } = await run(t, ['accounts', 'list'], env)
  assert.equal(code, 1)
  assert.match(errors, /^nano-gateway: Unknown setting DATABSE_URL\. Did you mean DATABASE_URL\?$/m)
})

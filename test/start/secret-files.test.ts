import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { describeConfig, loadConfig, readConfig } from '../../src/config/config.ts'
import { run, start } from './process.ts'
import { openFolder } from '../support/folder.ts'
import { newKey } from '../support/random.ts'

const key = newKey()

test('secrets in files, as containers have them, are read', async (t) => {
  const folder = openFolder(t)
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const DATA_DIR = join(folder, 'data')
  const gateway = await start(t, {
    DATA_DIR,
    SECRET_KEY_FILE: file('secret', `${key}\n`),
    WALLET_KEYS_FILE: file('wallets', `first:${key}\n`),
    DATABASE_URL_FILE: file('database', `sqlite:${join(folder, 'elsewhere.db')}\r\n`),
    LOG_LEVEL: 'error',
  })
  assert.equal((await gateway.stop()).code, 0)
  assert.ok(readFileSync(join(folder, 'elsewhere.db')).length > 0)
  assert.throws(() => readFileSync(join(DATA_DIR, 'secret.key')), /ENOENT/, 'no key had to be made')
  assert.throws(() => readFileSync(join(DATA_DIR, 'wallet-keys')), /ENOENT/)
})

test('every secret setting can come from a file, and is not printed then either', (t) => {
  const folder = openFolder(t)
  const set = describeConfig({ ...process.env }).filter(({ name }) => name.length > 0)
  const secrets = set.map(({ name }) => name).filter((name) => isSecret(name))
  assert.ok(secrets.length >= 10)
  for (const name of secrets) {
    const file = join(folder, name)
    writeFileSync(file, 'not-a-value\n')
    const row = describeConfig({ [`${name}_FILE`]: file }).find((each) => each.name === name)
    assert.equal(row?.value, '(set)', name)
    assert.deepEqual(readConfig({ [`${name}_FILE`]: file }).near, [], name)
  }
  assert.equal(loadConfig({ SMTP_URL_FILE: join(folder, 'SMTP_URL') }).smtpUrl, 'not-a-value')
})

const isSecret = (name: string) => describeConfig({ [name]: 'x' }).find((row) => row.name === name)?.value === '(set)'

test('a secret given twice, or in a file that cannot be read, is refused by its name alone', async (t) => {
  const folder = openFolder(t)
  writeFileSync(join(folder, 'key'), key)
  mkdirSync(join(folder, 'folder'))
  const wrong = (env: Record<string, string>) => readConfig(env).wrong
  assert.deepEqual(wrong({ SECRET_KEY: key, SECRET_KEY_FILE: join(folder, 'key') }), [
    'SECRET_KEY and SECRET_KEY_FILE are both set: one of them must go.',
  ])
  assert.deepEqual(wrong({ SECRET_KEY: '', SECRET_KEY_FILE: join(folder, 'key') }), [], 'empty is not set')
  assert.deepEqual(wrong({ SECRET_KEY_FILE: join(folder, 'folder') }), [
    'SECRET_KEY cannot be read from the file in SECRET_KEY_FILE (EISDIR).',
  ])
  const { code, errors } = await run(t, ['start'], { DATA_DIR: folder, SECRET_KEY_FILE: key, LOG_LEVEL: 'error' })
  assert.equal(code, 1)
  assert.equal(errors, 'nano-gateway: SECRET_KEY cannot be read from the file in SECRET_KEY_FILE (ENOENT).\n')
})

test('a file for a setting that is no secret is reported, because it is not read', () => {
  assert.throws(
    () => loadConfig({ NODE_ENV: 'production', BASE_URL_FILE: '/run/secrets/address' }),
    /^Error: Unknown setting BASE_URL_FILE\. Did you mean BASE_URL\?$/,
  )
})

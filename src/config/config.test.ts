import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeConfig, loadConfig } from './config.ts'

test('every default can be read', () => {
  assert.equal(loadConfig({}).port, 8080)
  assert.deepEqual(loadConfig({}).nodeUrls, ['devnet:'])
})

test('a wrong value is told by its name and never by its content', () => {
  assert.throws(() => loadConfig({ PORT: 'eighty' }), /^Error: PORT must be a whole number from 0 to 65535\.$/)
  assert.throws(() => loadConfig({ LOG_LEVEL: 'loud' }), /^Error: LOG_LEVEL must be one of/)
  assert.throws(() => loadConfig({ BASE_URL: 'ftp://x' }), /^Error: BASE_URL must be an http or https address\.$/)
  assert.throws(() => loadConfig({ SECRET_KEY: 'short' }), /^Error: SECRET_KEY must be 32 bytes in base64\.$/)
  assert.throws(() => loadConfig({ WEBHOOK_ALLOW_PRIVATE: 'maybe' }), /^Error: WEBHOOK_ALLOW_PRIVATE must be true or/)
  const secret = 'Bearer very-secret'
  assert.throws(
    () => loadConfig({ NODE_HEADERS: secret }),
    (error: Error) => error.message.startsWith('NODE_HEADERS must be') && !error.message.includes(secret),
  )
})

test('settings that carry credentials are not printed', () => {
  const row = describeConfig({ NODE_HEADERS: '{"a":{"b":"secret"}}' }).find(({ name }) => name === 'NODE_HEADERS')
  assert.equal(row?.value, '(set)')
})

test('the operating guide lists every setting with its default and meaning', () => {
  const guide = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  for (const { name, default: fallback, meaning } of describeConfig({})) {
    const line = `| \`${name}\` | ${fallback === '' ? '–' : `\`${fallback}\``} | ${meaning} |`
    assert.ok(guide.includes(line), `docs/operating.md lacks: ${line}`)
  }
})

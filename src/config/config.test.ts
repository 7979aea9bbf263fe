import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { newKey } from '../../test/support/random.ts'
import { systemClock } from '../infra/clock.ts'
import { checkStart } from './check-start.ts'
import { describeConfig, loadConfig, readConfig } from './config.ts'

test('every default can be read', () => {
  assert.equal(loadConfig({}).port, 8080)
  assert.deepEqual(loadConfig({}).nodeUrls, ['devnet:'])
})

test('a wrong value is reported by its name and never by its content', () => {
  assert.throws(() => loadConfig({ PORT: 'eighty' }), /^Error: PORT must be a whole number from 0 to 65535\.$/)
  assert.throws(() => loadConfig({ LOG_LEVEL: 'loud' }), /^Error: LOG_LEVEL must be one of/)
  assert.throws(() => loadConfig({ BASE_URL: 'ftp://x' }), /^Error: BASE_URL must be an http or https address\.$/)
  const [one, two] = [newKey(), newKey()]
  assert.equal(loadConfig({ SECRET_KEYS: `${one}, ${two}` }).secretKeys.length, 2)
  for (const [keys, cure] of [
    [`${one},short`, 'must be 32 bytes in base64 each; key 2 is not'],
    [`${one};${two}`, 'must be 32 bytes in base64 each; key 1 is not'],
    [`${one},${one}`, 'must be different keys; key 2 is there twice'],
  ] as const) {
    assert.throws(() => loadConfig({ SECRET_KEYS: keys }), { message: `SECRET_KEYS ${cure}.` })
  }
  const both = checkStart(systemClock, readConfig({ SECRET_KEY: one, SECRET_KEYS: two }))
  assert.deepEqual(both.problems, [
    'SECRET_KEY and SECRET_KEYS are both set: put the key into SECRET_KEYS, and remove SECRET_KEY.',
  ])
  assert.throws(() => loadConfig({ SECRET_KEY: 'short' }), /^Error: SECRET_KEY must be 32 bytes in base64\.$/)
  assert.throws(() => loadConfig({ WEBHOOK_ALLOW_PRIVATE: 'maybe' }), /^Error: WEBHOOK_ALLOW_PRIVATE must be true or/)
  const secret = 'Bearer very-secret'
  assert.throws(
    () => loadConfig({ NODE_HEADERS: secret }),
    (error: Error) => error.message.startsWith('NODE_HEADERS must be') && !error.message.includes(secret),
  )
})

test('settings of traces are refused by name, and credentials of the collector are no part of its address', () => {
  const wrong = (env: Record<string, string>) => readConfig(env).wrong.join()
  for (const value of ['collector:4318', 'grpc://collector', 'http://user:secret@collector', 'http://c/?key=secret']) {
    assert.match(wrong({ OTEL_EXPORTER_OTLP_ENDPOINT: value }), /^OTEL_EXPORTER_OTLP_ENDPOINT must be (?!.*secret@)/)
  }
  for (const value of ['2', '-1', '1%', 'x', '']) {
    assert.match(wrong({ OTEL_TRACES_SAMPLER_ARG: value }), /^OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/)
  }
  for (const value of ['secret', '=secret', 'a b=secret', 'name=%zz', 'name=secret%0d%0aother: x']) {
    const told = wrong({ OTEL_EXPORTER_OTLP_HEADERS: value })
    assert.equal(told, 'OTEL_EXPORTER_OTLP_HEADERS must be headers as name=value, separated by commas.')
  }
  const { tracesCollector, tracesHeaders, tracesShare } = loadConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector/otlp/',
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YTpi==, x-scope = a=b',
    OTEL_TRACES_SAMPLER_ARG: '.5',
  })
  assert.deepEqual(
    [tracesCollector, tracesHeaders, tracesShare],
    ['https://collector/otlp', { authorization: 'Basic YTpi==', 'x-scope': 'a=b' }, 0.5],
  )
  const { problems } = checkStart(systemClock, readConfig({ TRACES_TRUSTED_CALLERS: 'everybody' }))
  assert.deepEqual(problems, ['TRACES_TRUSTED_CALLERS must be addresses, networks (10.0.0.0/8) or `loopback`.'])
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

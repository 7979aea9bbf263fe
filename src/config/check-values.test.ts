import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkConnections } from '../infra/check-connections.ts'
import { systemClock } from '../infra/clock.ts'
import { makeFolder } from '../infra/private-files.ts'
import { openFolder } from '../../test/support/folder.ts'
import { checkStart } from './check-start.ts'
import { loadConfig, readConfig } from './config.ts'

const PUBLIC = { NODE_ENV: 'production', BASE_URL: 'https://pay.shop.example', NODE_URLS: 'http://10.0.0.5:7076' }
const SECRET = 'very-secret'

/** Typos that the check once accepted, each with the message that it now causes. */
const TYPOS: [env: Record<string, string>, told: RegExp][] = [
  [{ NODE_URLS: `ftp://user:${SECRET}@x` }, /^NODE_URLS: node 1 must be an http or https address, or `devnet:`\.$/],
  [{ NODE_URLS: 'http://a,10.0.0.6:7076' }, /^NODE_URLS: node 2 must be an http or https address/],
  [{ NODE_URLS: 'http://a#weigth=3' }, /^NODE_URLS: weigth is not an option of a node\. Did you mean weight\?$/],
  [{ NODE_URLS: 'http://a#prio=3' }, /^NODE_URLS: prio is not an option of a node\. Options are name, role, weight\.$/],
  [{ NODE_WS_URLS: 'ws://a,ws://b' }, /^NODE_WS_URLS has more websockets than NODE_URLS has nodes \(1\)\. Write one/],
  [{ NODE_WS_URLS: 'http://a:7078' }, /^NODE_WS_URLS: websocket 1 must begin with ws:\/\/ or wss:\/\/\.$/],
  [{ PORT: '9000', METRICS_PORT: '9000' }, /^PORT and METRICS_PORT are both 9000: give one of them another port\.$/],
  [{ PORT: '9464' }, /^PORT and METRICS_PORT are both 9464/],
  [{ DEVNET_PORT: '9000', DEVNET_WS_PORT: '9000' }, /^DEVNET_PORT and DEVNET_WS_PORT are both 9000/],
  [{ DATA_DIR: '/proc/x' }, /^DATA_DIR is in \/proc, where no folder can be made\. Name a folder/],
  [{ DATA_DIR: `${import.meta.filename}/data` }, /^DATA_DIR is in .*test\.ts, which is a file\. Name a folder/],
  [{ SMTP_URL: 'mail.example' }, /^SMTP_URL must be like smtp:\/\/host:587 or smtps:\/\/user:password@host\.$/],
  [{ MAIL_FROM: 'noone' }, /^MAIL_FROM must be an email address, alone or like Shop <noreply@shop\.example>\.$/],
  [
    { BASE_URL: 'https://shop.example/pay' },
    /^BASE_URL must have no path: .* Give the gateway a host name of its own\.$/,
  ],
  [
    { TRUSTED_PROXIES: '10.0.0.1,0.0.0.0/0' },
    /^TRUSTED_PROXIES trusts every address.* Name the addresses or networks of your proxies\.$/,
  ],
  [{ TRUSTED_PROXIES: '::/0' }, /^TRUSTED_PROXIES trusts every address/],
]

test('settings with impossible values were accepted: each is refused with a correction, and its value is not repeated', () => {
  for (const [env, told] of TYPOS) {
    const { problems } = checkStart(systemClock, readConfig({ ...PUBLIC, ...env }))
    assert.equal(problems.length, 1, `${JSON.stringify(env)} ${problems.join(' ')}`)
    assert.match(problems[0]!, told)
    assert.doesNotMatch(problems[0]!, new RegExp(SECRET))
  }
})

test('a public gateway without TLS is warned of, and what operators do write is not refused', () => {
  const warned = checkStart(systemClock, readConfig({ ...PUBLIC, BASE_URL: 'http://pay.shop.example' }))
  assert.deepEqual(warned.problems, [])
  assert.match(warned.warnings.join(), /^BASE_URL is plain http: .* write https:\/\/\.$/)
  const { warnings } = checkStart(systemClock, readConfig({ PROCESSES: 'auto' }))
  assert.match(warnings.join(), /^PROCESSES is gone: /)
  const usual = {
    NODE_URLS: 'https://a/rpc#name=own,http://b#role=fallback&weight=0.5,devnet:',
    NODE_WS_URLS: 'wss://a/ws,,',
    PORT: '9464',
    HOST: '10.0.0.9',
    SMTP_URL: 'smtps://user:a%40b@mail.example:465',
    MAIL_FROM: 'Shop <noreply@shop.example>',
    TRUSTED_PROXIES: 'loopback,10.0.0.0/8',
    DATA_DIR: './not/there/yet',
  }
  const fine = checkStart(systemClock, readConfig({ ...PUBLIC, BASE_URL: 'https://shop.example/', ...usual }))
  assert.deepEqual([fine.problems, fine.warnings], [[], []])
})

test('a data folder that cannot be made kept the start waiting for ever: it is refused', (t) => {
  assert.throws(() => makeFolder('/proc/x/data'), /ENOENT|EACCES|EPERM/)
  const folder = openFolder(t)
  makeFolder(join(folder, 'a/b/c'))
  makeFolder(join(folder, 'a/b/c'))
})

test('servers that do not answer are reported before the start: the store as an error, the others as warnings', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { problems, warnings } = await checkConnections(
    loadConfig({
      DATABASE_URL: `postgres://user:${SECRET}@127.0.0.1:1/gateway`,
      NODE_URLS: `http://127.0.0.1:1,http://127.0.0.1:${port}#name=here`,
      NODE_WS_URLS: 'ws://127.0.0.1:1',
      SMTP_URL: `smtp://user:${SECRET}@127.0.0.1:1`,
      REDIS_URL: `redis://127.0.0.1:${port}`,
    }),
  )
  assert.deepEqual(problems, [
    'DATABASE_URL: the server does not let us in (ECONNREFUSED). Start PostgreSQL, or correct the address.',
  ])
  assert.deepEqual(
    warnings.map((warning) => warning.split('. It is asked again')[0]),
    ['NODE_URLS', 'NODE_WS_URLS', 'SMTP_URL'].map((name) => `${name}: nothing listens at 127.0.0.1:1 (ECONNREFUSED)`),
  )
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { CLI } from '../support/command-line.ts'
import { NO_WORK } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { emptyUrl } from '../support/empty-store.ts'
import { ENGINES } from '../support/engines.ts'
import { openFolder } from '../support/folder.ts'
import { ask, bearer, openGateway, sharedKeys } from '../support/gateway.ts'
import { start } from './process.ts'

/* Changes made on the command line must take effect in a running gateway before the command returns. */

interface Done {
  in_force: boolean
  confirmed_by: { pid: number }[]
}

/** Runs a command next to gateways with these settings, and waits for its end. */
async function command(env: Record<string, string>, ...words: string[]): Promise<string> {
  const own = { PATH: process.env.PATH, ...env }
  return (await promisify(execFile)(process.execPath, [CLI, ...words], { env: own })).stdout
}

const commandJson = async (env: Record<string, string>, ...words: string[]) =>
  JSON.parse(await command(env, ...words, '--json')) as Done

const socketsIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('gateway-'))
const status = async (url: string, key: string) =>
  (await ask(url, { body: '{"action":"rpc_credits"}', headers: bearer(key) })).status

for (const engine of ENGINES)
  test(`a key that was revoked and an account that was suspended on the command line open nothing from that moment on (${engine})`, async (t) => {
    // Longer than a socket path may be.
    const folder = join(openFolder(t), 'a'.repeat(120))
    const ledger = await openDevnet(t, { thresholds: NO_WORK })
    const env = {
      DATA_DIR: folder,
      NODE_URLS: ledger.rpcUrl,
      NODE_WS_URLS: ledger.wsUrl,
      NODE_NETWORK: 'dev',
      ...(engine === 'postgres' && { DATABASE_URL: await emptyUrl(t, engine) }),
      ...sharedKeys(),
    }
    const gateways = [await openGateway(t, env), await openGateway(t, env)]
    const { accountId, key, keyId } = await gateways[0]!.join()
    const statuses = () => Promise.all(gateways.map(({ url }) => status(url, key)))
    const inForce = async (...words: string[]) => {
      const { in_force: isInForce, confirmed_by: by } = await commandJson(env, ...words)
      assert.deepEqual([isInForce, by.map(({ pid }) => pid)], [true, [process.pid, process.pid]], words.join(' '))
    }
    assert.deepEqual(await statuses(), [200, 200])
    await inForce('accounts', 'suspend', accountId, '--reason', 'Fraud')
    assert.deepEqual(await statuses(), [403, 403])
    await inForce('accounts', 'resume', accountId, '--reason', 'No fraud')
    assert.deepEqual(await statuses(), [200, 200])
    await inForce('accounts', 'set', accountId, '--per-minute', '7')
    const limited = await gateways[1]!.call('rpc_credits', {}, bearer(key))
    assert.equal(limited.headers['ratelimit-limit'], '7')
    await inForce('keys', 'revoke', accountId, keyId)
    assert.deepEqual(await statuses(), [401, 401])
    await gateways[1]!.close()
    const left = await command(env, 'accounts', 'set', accountId, '--per-minute', 'usual')
    assert.match(left, new RegExp(`changed\\. Confirmed by the gateway: process ${process.pid} on \\S+\\.\\n$`))
  })

async function openProcess(t: TestContext, env: Record<string, string>) {
  const started = await start(t, env)
  return { ...started, admin: readFileSync(join(env.DATA_DIR!, 'administrator.key'), 'utf8').trim() }
}

async function makeKey(env: Record<string, string>): Promise<{ account: string; id: string; key: string }> {
  const { id: account } = JSON.parse(await command(env, 'accounts', 'create', '--json')) as { id: string }
  const made = JSON.parse(await command(env, 'keys', 'create', account, '--json')) as { id: string; key: string }
  return { account, ...made }
}

test('a command says that no gateway is running, also beside the socket of one that was killed', async (t) => {
  const env = { DATA_DIR: join(openFolder(t), 'data') }
  const before = await makeKey(env)
  assert.equal(
    await command(env, 'keys', 'revoke', before.account, before.id),
    `Revoked ${before.id}. No gateway is running.\n`,
  )
  const first = await openProcess(t, env)
  const [socket] = socketsIn(env.DATA_DIR)
  assert.equal(statSync(join(env.DATA_DIR, socket!)).mode & 0o777, 0o600)
  await first.kill()
  assert.deepEqual(socketsIn(env.DATA_DIR), [socket])
  const { account, id } = await makeKey(env)
  assert.equal(await command(env, 'keys', 'revoke', account, id), `Revoked ${id}. No gateway is running.\n`)
  assert.deepEqual(socketsIn(env.DATA_DIR), [])
  const second = await openProcess(t, env)
  await second.stop()
  assert.deepEqual(socketsIn(env.DATA_DIR), [])
})

test('a public key from the command line is bound to the addresses and templates that it is given', async (t) => {
  const env = { DATA_DIR: join(openFolder(t), 'data') }
  const { account } = await makeKey(env)
  const address = `nano_1${'1'.repeat(51)}hifc8npp`
  const bound = ['--address', address, '--template', '5c363461a1b2c3d4']
  const made = await command(
    env,
    'keys',
    'create',
    account,
    '--public',
    '--origin',
    'https://shop.example',
    ...bound,
    '--json',
  )
  const { addresses, templates } = JSON.parse(made) as Record<string, unknown>
  assert.deepEqual([addresses, templates], [[address], ['5c363461a1b2c3d4']])
})

test('a command whose gateway does not answer says so and fails; the change is stored', async (t) => {
  const env = { DATA_DIR: join(openFolder(t), 'data') }
  const gateway = await openProcess(t, env)
  const { account, id } = await makeKey(env)
  const [socket] = socketsIn(env.DATA_DIR)
  await gateway.kill()
  // A gateway that hangs: its socket accepts connections, and nothing comes back.
  const path = join(env.DATA_DIR, `${socket!}x`)
  const mute = createServer(() => undefined).listen(path)
  t.after(() => mute.close())
  const failed = (await command(env, 'keys', 'revoke', account, id).catch((error: unknown) => error)) as {
    code: number
    stdout: string
  }
  assert.equal(failed.code, 1)
  assert.match(failed.stdout, /^Revoked \S+ A running gateway did not confirm it/)
  assert.match(await command(env, 'keys', 'list', account), /revoked/)
})

test('verify and wallets recover said ECONNREFUSED of the ledger that runs with its gateway: now they say what to start', async (t) => {
  const env = { DATA_DIR: openFolder(t) }
  const gateway = await openGateway(t, env)
  const { headers } = await gateway.join()
  await gateway.call('cloud_wallet', { wallet_action: 'create_wallet' }, headers)
  await gateway.close()
  for (const words of [['verify'], ['wallets', 'recover']]) {
    await assert.rejects(command(env, ...words), /ECONNREFUSED.*start it, or name a node with --node/)
  }
})

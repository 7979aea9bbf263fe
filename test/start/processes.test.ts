import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { type IncomingHttpHeaders, request as send } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import { Signer } from '../support/blocks.ts'
import { createDatabase } from '../support/postgres.ts'
import { run, start } from './process.ts'
import { openFolder } from '../support/folder.ts'

/* Several processes that are one gateway: PROCESSES. */

const skip = process.platform === 'linux' ? false : 'Several processes listen on one port on Linux alone.'
const LIMIT = 6
const PRODUCTION = {
  NODE_ENV: 'production',
  NODE_URLS: 'devnet:',
  TRUSTED_PROXIES: 'loopback',
  BASE_URL: 'https://pay.shop.example',
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  json: Record<string, unknown>
}

interface Question {
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: unknown
  socketPath?: string
}

/** Asks over a connection of its own: whichever front takes it answers. */
function ask(url: string, { method = 'POST', path = '/', headers = {}, body, socketPath }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const where = socketPath === undefined ? {} : { socketPath }
    const asked = send(new URL(path, url), { method, headers, agent: false, ...where }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += String(chunk)))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          json: (text.startsWith('{') ? JSON.parse(text) : { text }) as Record<string, unknown>,
        }),
      )
    })
    asked.on('error', reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** The instance that has made a request id. */
const frontOf = ({ headers }: Answer) => String(headers['x-request-id']).split('-')[0]!
const times = <T>(count: number, run: () => Promise<T>) => Promise.all(Array.from({ length: count }, run))
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function open(t: TestContext, env: Record<string, string> = {}) {
  const folder = openFolder(t)
  const started = await start(t, {
    DATA_DIR: join(folder, 'data'),
    TMPDIR: folder,
    PROCESSES: '2',
    LIMIT_ANONYMOUS_PER_MINUTE: '0',
    LIMIT_ANONYMOUS_CONCURRENCY: '0',
    ...env,
  })
  const sockets = join(
    folder,
    readdirSync(folder).find((name) => name.startsWith('nano-gateway-'))!,
  )
  const admin = readFileSync(join(folder, 'data', 'administrator.key'), 'utf8').trim()
  const { pid, url } = started
  /** Its processes of a kind, as the system knows them. */
  const pidsOf = (role: 'owner' | 'front') =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((child) => child.trim() !== '')
      .map(Number)
      .filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(`--as\0${role}`))
  return { ...started, admin, sockets, pidsOf, ask: (question: Question) => ask(url, question) }
}

type Opened = Awaited<ReturnType<typeof open>>

const balanceOf = (account: string): Question => ({ body: { action: 'account_balance', account } })

/** The system deals connections out as it likes: asks until each of two fronts has answered. */
async function everyFront({ ask }: Opened, question: Question): Promise<Answer[]> {
  const answers: Answer[] = []
  do answers.push(...(await times(8, () => ask(question))))
  while (new Set(answers.map(frontOf)).size < 2)
  return answers
}

async function fund({ ask }: Opened, address: string): Promise<void> {
  const { status, json } = await ask({ path: '/developer/fund', body: { address, amount: '1' } })
  assert.equal(status, 200, JSON.stringify(json))
}

const makeKey = ({ ask, admin }: Opened, name: string) =>
  ask({ path: '/api/keys', headers: bearer(admin), body: { name } })

test('a gateway of several processes answers as one', { skip }, async (t) => {
  const gateway = await open(t)
  assert.match(gateway.said, /Processes {2}2\n/)
  assert.equal(gateway.pidsOf('front').length, 2)

  await t.test('every front answers reads of the ledger, and nobody else does', async () => {
    const answers = await everyFront(gateway, { body: { action: 'block_count' } })
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    const handed = await gateway.ask({ headers: bearer(gateway.admin), body: { action: 'block_count' } })
    assert.equal(handed.status, 200)
    assert.ok(!answers.map(frontOf).includes(frontOf(handed)), 'a caller with a key is answered by the owner')
  })

  await t.test('a batch, and a call in JSON-RPC, are answered through any front as by one process', async () => {
    const credits = { action: 'rpc_credits', key: gateway.admin }
    const body = [{ action: 'block_count' }, credits, { jsonrpc: '2.0', id: 7, method: 'block_count' }]
    for (const { status, json } of await times(8, () => gateway.ask({ body }))) {
      const [plain, own, call] = JSON.parse(String(json.text)) as Record<string, unknown>[]
      assert.deepEqual([status, plain!.count, own!.error], [200, plain!.block_count, undefined])
      assert.deepEqual(call, { jsonrpc: '2.0', id: 7, result: plain })
    }
    const read = { jsonrpc: '2.0', id: 'a', method: 'block_count' }
    for (const { json } of await everyFront(gateway, { body: read })) assert.equal(json.id, 'a')
    const owned = await gateway.ask({ body: { jsonrpc: '2.0', id: 8, method: 'rpc_credits', params: credits } })
    assert.deepEqual([owned.json.id, owned.json.error], [8, undefined])
    const silent = await gateway.ask({ body: { jsonrpc: '2.0', method: 'checkout', params: {} } })
    assert.equal((silent.json.error as { code: number }).code, -32600)
  })

  await t.test('a write through a front arrives once, and no front answers from before it', async () => {
    const account = new Signer(41).address
    for (let nano = 1; nano <= 5; nano++) {
      // Twice, so that every front remembers it.
      for (let again = 0; again < 2; again++) await everyFront(gateway, balanceOf(account))
      await fund(gateway, account)
      for (const { json } of await everyFront(gateway, balanceOf(account))) {
        assert.equal(json.receivable_nano, String(nano), JSON.stringify(json))
      }
    }
    const made = await times(10, () => makeKey(gateway, 'once'))
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]))
    const { json } = await gateway.ask({ method: 'GET', path: '/api/keys', headers: bearer(gateway.admin) })
    assert.equal((json.keys as { name: string }[]).filter(({ name }) => name === 'once').length, 10)
  })

  await t.test('a revoked key is refused at every front at once', async () => {
    const { id, key } = (await makeKey(gateway, 'to be revoked')).json as { id: string; key: string }
    const use = async () => [
      ...(await times(4, () => gateway.ask({ headers: bearer(key), body: { action: 'block_count' } }))),
      ...(await times(4, () => gateway.ask({ path: `/k/${key}/`, body: { action: 'block_count' } }))),
    ]
    assert.deepEqual(new Set((await use()).map(({ status }) => status)), new Set([200]))
    const path = `/api/keys/${id}`
    const revoked = await gateway.ask({ method: 'DELETE', path, headers: bearer(gateway.admin) })
    assert.ok(revoked.status < 300, JSON.stringify(revoked.json))
    assert.deepEqual(new Set((await use()).map(({ status }) => status)), new Set([401]))
  })

  await t.test('a websocket through a front hears', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`)
    await once(socket, 'open')
    socket.send('{"action":"ping","id":"7"}')
    const [frame] = (await once(socket, 'message')) as [Buffer]
    const { ack, id } = JSON.parse(String(frame)) as { ack: string; id: string }
    assert.deepEqual({ ack, id }, { ack: 'pong', id: '7' })
    socket.terminate()
  })

  await t.test('pages and documents are those of the owner, whole', async () => {
    for (const path of ['/', '/docs', '/openapi.json', '/health/ready', '/health/live']) {
      assert.equal((await gateway.ask({ method: 'GET', path })).status, 200, path)
    }
    assert.equal((await gateway.ask({ method: 'OPTIONS' })).status, 204)
    assert.equal((await gateway.ask({ body: { action: 'no_such_action' } })).status, 400)
    assert.equal((await gateway.ask({ method: 'GET', path: '/nowhere' })).status, 404)
  })

  await t.test('one look at the metrics shows what all of them have counted', async () => {
    const counted = async () => {
      const { json } = await ask(gateway.metricsUrl, { method: 'GET', path: '/metrics' })
      return Number(/gateway_requests_total\{action="uptime",status="200"\} (\d+)/.exec(String(json.text))?.[1] ?? 0)
    }
    const asked = await times(12, () => gateway.ask({ body: { action: 'uptime' } }))
    assert.ok(asked.every(({ status }) => status === 200))
    while ((await counted()) < 12);
    assert.equal(await counted(), 12)
  })

  await t.test('when a front dies, whoever tries again is served, and another takes its place', async () => {
    const [victim] = gateway.pidsOf('front')
    process.kill(victim!, 'SIGKILL')
    // A connection that it had taken breaks; on the next one somebody else answers.
    const retried = () =>
      gateway.ask({ body: { action: 'block_count' } }).catch(() => gateway.ask({ body: { action: 'block_count' } }))
    for (const { status } of await times(40, retried)) assert.equal(status, 200)
    let fronts: Set<string>
    do {
      fronts = new Set((await times(20, retried)).map(frontOf))
    } while (fronts.size < 2)
  })

  await t.test('when the owner dies, writes are told to come back, and succeed when it is back', async () => {
    const [owner] = gateway.pidsOf('owner')
    const write = () => makeKey(gateway, 'healed').catch(() => undefined)
    process.kill(owner!, 'SIGKILL')
    let refused: Answer | undefined
    do refused = await write()
    while (refused === undefined)
    assert.equal(refused.status, 503, JSON.stringify(refused.json))
    assert.equal(refused.json.retry_after, 1)
    assert.equal(refused.headers['retry-after'], '1')
    let healed: Answer | undefined
    do healed = await write()
    while (healed?.status !== 201)
    let read: Answer | undefined
    do read = await gateway.ask({ body: { action: 'block_count' } }).catch(() => undefined)
    while (read?.status !== 200)
  })

  const { code, errors } = await gateway.stop()
  assert.equal(code, 0, errors)
  assert.ok(!readdirSync(join(gateway.sockets, '..')).some((name) => name.startsWith('nano-gateway-')))
})

test('limits and endpoints go by the real client, whichever process answers', { skip }, async (t) => {
  const gateway = await open(t, { ...PRODUCTION, LIMIT_ANONYMOUS_PER_MINUTE: String(LIMIT) })

  await t.test('a limit is not multiplied by the number of processes', async () => {
    const client = { 'x-forwarded-for': '198.51.100.7' }
    const startedAt = performance.now()
    const answers: Answer[] = []
    for (let asked = 0; asked < 10; asked++) {
      answers.push(await gateway.ask({ headers: client, body: { action: 'block_count' } }))
      // What the owner answers counts as well.
      answers.push(await gateway.ask({ headers: client, body: { action: 'price' } }))
    }
    const allowed = answers.filter(({ status }) => status === 200).length
    const earned = Math.ceil(((performance.now() - startedAt) / 60_000) * LIMIT)
    assert.ok(allowed >= LIMIT && allowed <= LIMIT + earned, `${allowed} of ${LIMIT} passed, ${earned} were earned`)
    const other = { 'x-forwarded-for': '198.51.100.8' }
    assert.equal((await gateway.ask({ headers: other, body: { action: 'block_count' } })).status, 200)
  })

  await t.test('who comes from elsewhere finds the developer endpoints shut, who is here does not', async () => {
    const knock = (headers: Record<string, string>) => gateway.ask({ method: 'GET', path: '/developer', headers })
    assert.equal((await knock({ 'x-forwarded-for': '198.51.100.9' })).status, 401)
    assert.ok(![401, 403].includes((await knock({})).status))
  })

  await t.test('a stranger cannot pretend to be a front', async () => {
    const claims = { 'x-nano-gateway-front': 'guessed', 'x-nano-gateway-client': '198.51.100.10' }
    // At the port the claim is taken out, and the client is who it is.
    const local = await gateway.ask({ method: 'GET', path: '/developer', headers: claims })
    assert.ok(![401, 403].includes(local.status))
    for (const headers of [claims, {}, { 'x-nano-gateway-client': '127.0.0.1' }]) {
      const question = { method: 'GET', path: '/health/live', headers, socketPath: join(gateway.sockets, 'owner') }
      assert.equal((await ask('http://localhost', question)).status, 403)
    }
  })
  assert.equal((await gateway.stop()).code, 0)
})

test('beside PostgreSQL, too, fronts answer and hand over', { skip }, async (t) => {
  const gateway = await open(t, { DATABASE_URL: await createDatabase() })
  const account = new Signer(42).address
  for (let again = 0; again < 2; again++) await everyFront(gateway, balanceOf(account))
  await fund(gateway, account)
  assert.equal((await everyFront(gateway, balanceOf(account))).at(-1)!.status, 200)
  assert.equal((await makeKey(gateway, 'kept')).status, 201)
  assert.equal((await gateway.stop()).code, 0)
})

test('a number of processes that cannot be meant is refused', async (t) => {
  const { code, errors } = await run(t, ['start'], { DATA_DIR: openFolder(t), PROCESSES: 'many' })
  assert.equal(code, 1)
  assert.match(errors, /PROCESSES must be a whole number/)
})

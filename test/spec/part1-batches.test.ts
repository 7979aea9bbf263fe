import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { type Reply, ask, bearer, openGateway, readMetrics } from '../support/gateway.ts'
import { newHash } from '../support/random.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { until } from '../support/until.ts'
import { type Members, openPayer, openShop, paymentBlock, requiredOf, signed } from '../support/x402-steps.ts'
import { assertRefusal } from './refusal.ts'
import { row } from './row.ts'
import { alice } from './ledger-world.ts'

/* Contract 1, Batches: each request of a list is answered. JSON-RPC is in part1-json-rpc.test.ts. */

const listOf = (reply: Reply) => {
  assert.equal(reply.status, 200, reply.text)
  return reply.json<Members[]>()
}

const many = (action: string, count: number, fields: object = {}) =>
  JSON.stringify(
    Array.from({ length: count }, (_, at) => ({ action, account: new Signer(100 + at).address, ...fields })),
  )

test('each request of a batch is answered in its place, word for word as alone (contract 1, Batches: an array of 1 to 100 requests)', async (t) => {
  const gateway = await openGateway(t, { DEVNET_TREASURY_NANO: '10' })
  const { post, call, app } = gateway
  const questions: object[] = [
    { action: 'account_balance', account: alice.address },
    { action: 'reps' },
    { action: 'account_info', account: alice.address },
    { action: 'account_info', account: 'nobody' },
    { action: 'no_such_action' },
    { account: alice.address },
    { action: 'rpc_credits' },
    { action: 'nano_to_raw', amount: '1.5' },
    { action: 'rpc_credits', key: app.createdKey! },
    { action: 'rpc_credits', key: 'rpc_sk_wrong' },
    { action: 'account_get', key: '0'.repeat(64) },
    { action: 'nano_to_raw', amount: 1e-7 },
    JSON.parse('{"action":"nano_to_raw","__proto__":{"amount":"1"},"constructor":1}') as object,
  ]
  const together = listOf(await post(JSON.stringify(questions)))
  assert.equal(together.length, questions.length)
  for (const [at, question] of questions.entries()) {
    const alone = await post(JSON.stringify(question))
    const body = alone.json<Members>()
    row('1, Batches: what each is answered', () =>
      assert.deepEqual(together[at], alone.status === 200 ? body : { ...body, status: alone.status }),
    )
  }
  assert.equal((await call('version')).status, 200)
  const log = gateway.log()
  assert.ok(log.includes('"action":"rpc_credits","status":401'), 'each has a line of its own')
  assert.ok(!log.includes('rpc_sk_wrong'))
  assert.match(await readMetrics(gateway), /action="account_info".*status="400".*\} 2/)
})

test('400 in its place for an element that is no request, such as a batch; 400 for a list that is empty, too long, too deep or unreadable, and at other endpoints (contract 1, Batches: an element that is no request, another array, other paths)', async (t) => {
  const { post, url } = await openGateway(t)
  const version = '{"action":"version"}'
  const answers = listOf(await post(` [${version}, 1, [${version}], null, "version", {}, ${version} ]`))
  const codes = answers.map(({ status, code }) => [status, code])
  const unread = [400, 'invalid_json']
  const good = [undefined, undefined]
  assert.deepEqual(codes, [good, unread, unread, unread, unread, [400, 'invalid_action'], good])

  const versions = (count: number) => `[${Array.from({ length: count }, () => version).join()}]`
  for (const body of ['[]', ' [ ] ', versions(101)]) {
    assertRefusal(await post(body), 400, 'A batch has 1 to 100 requests.', 'invalid_list')
  }
  for (const body of ['[', '[{}', `[${version},]`, `[${version}]x`, `${version},${version}`]) {
    assertRefusal(await post(body), 400, 'Unable to parse JSON', 'invalid_json')
  }
  assertRefusal(await post('['.repeat(100_000)), 400, 'Max JSON depth exceeded', 'invalid_json')
  assert.equal(listOf(await post(versions(100))).length, 100)
  const deep = (levels: number) => `{"action":"version","a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  const [allowed, refused] = listOf(await post(`[${deep(20)},${deep(21)}]`))
  assert.deepEqual([allowed!.error, refused!.error], [undefined, 'Max JSON depth exceeded'])

  // An action's own path and the node endpoint do not accept lists.
  const byPath = await ask(`${url}/actions/version`, { body: versions(1) })
  assertRefusal(byPath, 400, 'Unable to parse JSON', 'invalid_json')
  const atNode = await ask(`${url}/node`, { body: versions(1) })
  assert.deepEqual([atNode.status, Array.isArray(atNode.json())], [200, false], atNode.text)
  assert.ok(atNode.json().error)
})

test('a batch uses up its own share: each request of it is counted, and a list that cannot be read as well (contract 1, Batches: limits)', async (t) => {
  const { post } = await openGateway(t, { LIMIT_ANONYMOUS_PER_MINUTE: '5' }, new TestClock())
  const answers = listOf(await post(JSON.stringify(Array.from({ length: 8 }, () => ({ action: 'version' })))))
  const refused = answers.filter(({ status }) => status === 429)
  assert.deepEqual([answers.length, refused.length], [8, 3])
  assert.ok(refused.every(({ retry_after }) => Number(retry_after) > 0))
  assertRefusal(await post('[]'), 429, 'Too many requests.', 'too_many_requests')
})

test('a batch runs side by side, no wider than half of what its caller may do at once, and never refuses itself (contract 1, Batches: side by side)', async (t) => {
  const held: (() => void)[] = []
  const node = await openRecordingNode(t, ({ action }) =>
    action === 'account_weight'
      ? new Promise((resolve) => held.push(() => resolve({ weight: '0' })))
      : { error: 'Account not found' },
  )
  const env = { NODE_URLS: node.url, NODE_NETWORK: 'dev', LIMIT_ANONYMOUS_CONCURRENCY: '4' }
  const { post, call } = await openGateway(t, env)
  const reading = post(many('account_weight', 6))
  await until(() => held.length === 2)
  // Others at the same address are not blocked meanwhile.
  assert.equal((await call('nano_to_raw', { amount: '1' })).status, 200)
  for (let at = 0; at < 6; at++) {
    await until(() => held.length > at)
    assert.ok(held.length <= at + 2, `${held.length} after ${at}`)
    held[at]!()
  }
  assert.deepEqual(
    listOf(await reading).map(({ weight, status }) => [weight, status]),
    Array.from({ length: 6 }, () => ['0', undefined]),
  )
})

test('a client that does not read its answers does not fill the memory: the rest of its batch is not started (contract 1, Batches: side by side)', async (t) => {
  const large = 'x'.repeat(4 * 1024 * 1024)
  let asked = 0
  const node = await openRecordingNode(t, () => {
    asked++
    return { history: [{ type: 'send', memo: large }], account: alice.address }
  })
  const gateway = await openGateway(t, { NODE_URLS: node.url, NODE_NETWORK: 'dev', CACHE_MB: '0' })
  const body = many('account_history', 60, { count: 1 })
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  socket.pause()
  socket.write(`POST / HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  await until(() => asked > 0)
  // Others are served as usual, and no more requests of this batch are started meanwhile.
  for (let at = 0; at < 20; at++) await gateway.call('nano_to_raw', { amount: String(at) })
  assert.ok(asked < 60, `${asked}`)
  socket.destroy()
  await once(socket, 'close')
  for (let at = 0; at < 20; at++) await gateway.call('nano_to_raw', { amount: String(at) })
  assert.ok(asked < 60, 'who has left is not worked for')
})

test('each request of a batch has an Idempotency-Key of its own; one for all is refused, and nothing is done (contract 1, Batches: Idempotency-Key)', async (t) => {
  const { post, app } = await openGateway(t)
  const headers = bearer(app.createdKey!)
  const create = (idempotency_key: string) => ({
    action: 'cloud_wallet',
    wallet_action: 'create_wallet',
    idempotency_key,
  })
  const batch = JSON.stringify([create('a'), create('b')])
  assertRefusal(await post(batch, { ...headers, 'idempotency-key': 'a' }), 400, /Idempotency-Key/, 'invalid_request')
  const list = async () => (await post('{"action":"cloud_wallet","list":true}', headers)).json<unknown[]>()
  assert.deepEqual(await list(), [])
  const made = listOf(await post(batch, headers))
  assert.notEqual(made[0]!.address, made[1]!.address)
  assert.deepEqual(listOf(await post(batch, headers)), made)
  assert.deepEqual((await post(JSON.stringify(create('a')), headers)).json(), made[0])
  assert.equal((await list()).length, 2)
})

test('who is asked for money finds the whole challenge in its place, and pays alone: no payment is taken for a batch (contract 1, Batches: payment by request)', async (t) => {
  const { post, node } = await openShop(t)
  const work = { action: 'work_generate', hash: newHash() }
  const batch = JSON.stringify([work, { action: 'version' }])
  const [challenge, version] = listOf(await post(batch))
  const alone = await post(JSON.stringify(work))
  assert.deepEqual(challenge, { ...requiredOf(alone), ...alone.json(), status: 402 })
  assert.equal(version!.rpc_version, '1')
  const payment = signed(paymentBlock(node, await openPayer(node)))
  assertRefusal(await post(batch, payment), 400, /PAYMENT-SIGNATURE/, 'invalid_request')
  assert.equal((await post(JSON.stringify(work), payment)).status, 200, 'the payment is as good as before')
})

test('a client that sent a batch learned nothing of its limit: the answer has the RateLimit headers (contract 8, rule 2)', async (t) => {
  const { post } = await openGateway(t, { LIMIT_ANONYMOUS_PER_MINUTE: '5' })
  const left = ({ headers }: Reply) =>
    ['limit', 'remaining', 'reset'].map((name) => headers[`ratelimit-${name}`] !== undefined)
  const within = await post(JSON.stringify([{ action: 'version' }, { action: 'version' }]))
  assert.deepEqual([listOf(within).length, left(within)], [2, [true, true, true]])
  assert.equal(within.headers['ratelimit-limit'], '5')
  const beyond = await post(JSON.stringify(Array.from({ length: 8 }, () => ({ action: 'version' }))))
  assert.deepEqual(left(beyond), [true, true, true])
  assert.equal(listOf(beyond).at(-1)!.code, 'too_many_requests')
})

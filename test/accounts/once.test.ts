import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fingerprintOf, once, readIdempotencyKey } from '../../src/guard/once.ts'
import { systemRandom } from '../../src/infra/random.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-box.ts'
import { AppError, noNode } from '../../src/kernel/errors.ts'
import { forgetExpired } from '../../src/modules/accounts/index.ts'
import { type OpenedStore, forEachEngine } from '../support/engines.ts'
import { until } from '../support/until.ts'

/* An Idempotency-Key: same key and body, same answer; same key and other body, 409 (contract 8). */

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const secrets = openSecretBox(new Uint8Array(32).fill(7), systemRandom)

/** Asks with a key; says what came back, and whether it was a stored answer. */
function asker({ ctx }: Pick<OpenedStore, 'ctx'>, run: () => Promise<string>) {
  return async (given: { accountId?: string; action?: string; key?: string; body?: Record<string, unknown> } = {}) => {
    const { accountId = 'acc_1', action = 'send', key = 'k', body = { amount: '1' } } = given
    let replayed = false
    const request = { accountId, action, key, fingerprint: fingerprintOf(body), onReplay: () => (replayed = true) }
    try {
      return { text: await once({ ...ctx, secrets }, request, run), replayed }
    } catch (error) {
      if (error instanceof AppError) return { code: error.code, status: error.status, error, replayed }
      throw error
    }
  }
}

/** Something that waits until the test lets it go. */
function gate() {
  let open!: () => void
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

const isStarted = async ({ ctx }: OpenedStore) =>
  (await ctx.db.selectFrom('idempotency').selectAll().execute()).length > 0

forEachEngine((_engine, open: (t: TestContext) => Promise<OpenedStore>) => {
  test('50 equal requests at once run once; the others get 409 or the same bytes (contract 4.1, rule 29)', async (t) => {
    const opened = await open(t)
    const other = await opened.openAnother()
    let runs = 0
    const run = async () => `{"hash": "${++runs}" ,"x":1}`
    const asks = [asker(opened, run), asker(other, run)]
    const replies = await Promise.all(Array.from({ length: 50 }, (_, at) => asks[at % 2]!()))
    assert.equal(runs, 1)
    assert.equal(replies.filter(({ replayed, text }) => text !== undefined && !replayed).length, 1)
    for (const { text, code, error } of replies) {
      if (text !== undefined) assert.equal(text, '{"hash": "1" ,"x":1}')
      else {
        assert.equal(code, 'idempotency_in_flight')
        assert.equal(error.status, 409)
        assert.equal(error.retryAfterSeconds, 1)
      }
    }
    assert.deepEqual(await asks[1]!(), { text: '{"hash": "1" ,"x":1}', replayed: true })
  })

  test('409 another body under a used key, finished or still running (contract 4.1, rules 28 and 29)', async (t) => {
    const opened = await open(t)
    const { open: letGo, opened: gone } = gate()
    const ask = asker(opened, async () => {
      await gone
      return '{}'
    })
    const first = ask()
    await until(() => isStarted(opened))
    assert.equal((await ask()).code, 'idempotency_in_flight')
    assert.equal((await ask({ body: { amount: '2' } })).code, 'idempotency_conflict')
    letGo()
    assert.deepEqual(await first, { text: '{}', replayed: false })
    const refused = await ask({ body: { amount: '2' } })
    assert.equal(refused.code, 'idempotency_conflict')
    assert.equal(refused.status, 409)
  })

  test('what is kept for a repeated request lies sealed in the store', async (t) => {
    const opened = await open(t)
    const ask = asker(opened, async () => '{"secret":"shown once"}')
    assert.deepEqual(await ask(), { text: '{"secret":"shown once"}', replayed: false })
    const { answer } = await opened.ctx.db.selectFrom('idempotency').selectAll().executeTakeFirstOrThrow()
    assert.ok(!answer!.includes('shown once'), answer!)
    assert.deepEqual(await ask(), { text: '{"secret":"shown once"}', replayed: true })
  })

  test('a key belongs to one account and one action', async (t) => {
    let runs = 0
    const ask = asker(await open(t), async () => String(++runs))
    assert.equal((await ask()).text, '1')
    assert.equal((await ask({ accountId: 'acc_2', body: { other: 1 } })).text, '2')
    assert.equal((await ask({ action: 'create', body: { other: 1 } })).text, '3')
    assert.equal((await ask({ key: 'K' })).text, '4')
  })

  // A node that did not answer must not make a payment impossible.
  test('a failure on our side frees the key, an unexpected one too', async (t) => {
    const opened = await open(t)
    let fail: (() => Error) | undefined = noNode
    const ask = asker(opened, () => (fail ? Promise.reject(fail()) : Promise.resolve('{"done":1}')))
    assert.equal((await ask()).code, 'no_node')
    fail = () => new TypeError('a bug')
    await assert.rejects(ask(), TypeError)
    assert.deepEqual(await opened.ctx.db.selectFrom('idempotency').selectAll().execute(), [])
    fail = undefined
    assert.deepEqual(await ask(), { text: '{"done":1}', replayed: false })
  })

  test('a refusal of the request itself is kept and repeated; one the client can lift frees the key', async (t) => {
    const opened = await open(t)
    let runs = 0
    let refusal = new AppError('insufficient_credits', 'Not enough credits.')
    const ask = asker(opened, () => {
      runs++
      return Promise.reject(refusal)
    })
    await ask()
    refusal = new AppError('too_many_requests', 'Too many requests.', { retryAfterSeconds: 3 })
    assert.equal((await ask()).code, 'too_many_requests')
    refusal = new AppError('invalid_amount', 'Invalid amount number', { body: { field: 'amount' } })
    assert.equal((await ask()).replayed, false)
    const again = await ask()
    assert.equal(runs, 3)
    assert.equal(again.replayed, true)
    assert.deepEqual(
      [again.error!.code, again.error!.message, again.error!.body, again.error!.status],
      ['invalid_amount', 'Invalid amount number', { field: 'amount' }, 400],
    )
  })

  test('a request whose process died is taken over after ten minutes, by one', async (t) => {
    const opened = await open(t)
    const { clock } = opened
    const { open: letGo, opened: gone } = gate()
    const dead = asker(opened, async () => {
      await gone
      return '"late"'
    })
    let runs = 0
    const ask = asker(await opened.openAnother(), async () => `"run ${++runs}"`)
    const late = dead()
    await until(() => isStarted(opened))
    clock.advance(10 * MINUTE - 1)
    assert.equal((await ask()).code, 'idempotency_in_flight')
    clock.advance(1)
    assert.equal((await ask({ body: { other: 1 } })).code, 'idempotency_conflict')
    const replies = await Promise.all(Array.from({ length: 10 }, () => ask()))
    assert.equal(runs, 1)
    assert.equal(replies.filter(({ text, replayed }) => text !== undefined && !replayed).length, 1)
    // It was not dead after all: its caller hears what it did, and the kept answer stays.
    letGo()
    assert.equal((await late).text, '"late"')
    assert.deepEqual(await ask(), { text: '"run 1"', replayed: true })
  })

  test('an answer is kept for 24 hours; then the key is as good as new, swept or not', async (t) => {
    const opened = await open(t)
    const { ctx, clock } = opened
    let runs = 0
    const ask = asker(opened, async () => String(++runs))
    await ask()
    clock.advance(24 * HOUR - 1)
    assert.deepEqual(await ask(), { text: '1', replayed: true })
    await forgetExpired(ctx).run({}, new AbortController().signal)
    assert.deepEqual(await ask(), { text: '1', replayed: true })
    clock.advance(1)
    assert.deepEqual(await ask({ body: { other: 1 } }), { text: '2', replayed: false })
    clock.advance(24 * HOUR)
    await forgetExpired(ctx).run({}, new AbortController().signal)
    assert.deepEqual(await ctx.db.selectFrom('idempotency').selectAll().execute(), [])
  })
})

test('bodies that mean the same have one fingerprint, whatever their order and credentials', () => {
  const body = { action: 'send', amount: '1', to: { a: 1, b: [1, { c: null, d: 'x' }] } }
  const same = { key: 'rpc_sk_', idempotency_key: 'k', to: { b: [1, { d: 'x', c: null }], a: 1 }, amount: '1' }
  assert.equal(fingerprintOf(body), fingerprintOf(same))
  for (const other of [{ amount: 1 }, { amount: '1', x: null }, { to: [1, 2] }, { to: [2, 1] }, { to: '[1,2]' }, {}]) {
    assert.notEqual(fingerprintOf(body), fingerprintOf(other))
  }
  assert.notEqual(fingerprintOf({ to: [1, 2] }), fingerprintOf({ to: [2, 1] }))
  assert.notEqual(fingerprintOf({ to: [1, 2] }), fingerprintOf({ to: '[1,2]' }))
  assert.match(fingerprintOf({}), /^[0-9a-f]{64}$/)
})

test('400 names the place of an idempotency key that cannot be one', () => {
  const header = (value: string) => readIdempotencyKey({ 'idempotency-key': value }, {})
  const body = (value: unknown) => readIdempotencyKey({}, { idempotency_key: value })
  assert.equal(readIdempotencyKey({}, {}), undefined)
  assert.equal(header('a b~'), 'a b~')
  assert.equal(body('x'.repeat(255)), 'x'.repeat(255))
  assert.equal(readIdempotencyKey({ 'idempotency-key': 'k' }, { idempotency_key: 'k' }), 'k')
  const refused: [() => unknown, string][] = [
    [() => header(''), 'Idempotency-Key'],
    [() => header('x'.repeat(256)), 'Idempotency-Key'],
    [() => header('tab\t'), 'Idempotency-Key'],
    [() => body('Zoë'), 'idempotency_key'],
    [() => body(7), 'idempotency_key'],
    [() => readIdempotencyKey({ 'idempotency-key': 'k' }, { idempotency_key: 'other' }), 'idempotency_key'],
  ]
  for (const [read, field] of refused) {
    assert.throws(read, (error: AppError) => error.status === 400 && error.body.field === field)
  }
})

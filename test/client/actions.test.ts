import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatewayError, createGateway, nano, raw } from '../../src/client/index.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { Signer, give, nano as nanos, openAccount } from '../support/blocks.ts'
import { type Asked, lose, watchedFetch } from '../support/client-steps.ts'
import { TestClock } from '../support/clock.ts'
import { openGateway } from '../support/gateway.ts'

/* Calls of actions through the client. */

const shop = new Signer(31, WORK_THRESHOLDS.dev)

/** A fetch that loses chosen replies after the gateway has acted. */
function losing(lost: (call: number) => boolean) {
  const watched: ReturnType<typeof watchedFetch> = watchedFetch((_, go) =>
    lost(watched.asked.length) ? lose(go) : go(),
  )
  return watched
}

const refusalOf = async (call: Promise<unknown>): Promise<GatewayError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof GatewayError, String(error))
  return error
}

test('a balance is a bigint under both names of its action, and an amount is sent in the unit of its field', async (t) => {
  const { url, app } = await openGateway(t)
  await openAccount(app.devnet!.node, shop, nanos(3))
  await give(app.devnet!.node, shop.key, nanos(2))
  const gateway = createGateway({ url: `${url}/` })
  const { balance, receivable, balance_nano: text } = await gateway.account_balance({ account: shop.address })
  assert.deepEqual([balance, receivable, text], [raw('3'), raw('2'), '3'])
  assert.equal((await gateway.accountBalance({ account: shop.address })).balance, balance)
  const { history } = await gateway.accountHistory({ account: shop.address, count: 1 })
  assert.equal(history === '' ? undefined : history[0]!.amount, raw('3'))
  const waiting = await gateway.receivable({ account: shop.address, threshold: raw('0.5') })
  assert.ok('blocks' in waiting && typeof waiting.blocks === 'object')
  assert.deepEqual(Object.values(waiting.blocks), [raw('2')])
  // One raw more than is receivable: the client must send it as raw, not as nano.
  const none = await gateway.receivable({ account: shop.address, threshold: raw('2') + 1n })
  assert.deepEqual(none, { blocks: '' })
  assert.equal((await gateway.nano_to_raw({ amount: raw('1.5') })).raw, raw('1.5'))
  assert.equal((await gateway.raw_to_nano({ amount: 1n })).nano, nano(1n))
  assert.match((await gateway.version()).node_vendor, /./)
  await assert.rejects(gateway.account_info({ account: 5n as never }), { code: 'invalid_amount' })
})

test('units are converted exactly both ways, and invalid amounts are refused', () => {
  assert.equal(raw('0.000000000000000000000000000001'), 1n)
  assert.equal(raw(1e-7), 10n ** 23n)
  assert.equal(nano(10n ** 30n + 1n), '1.000000000000000000000000000001')
  assert.equal(nano('340282366920938463463374607431768211455'), '340282366.920938463463374607431768211455')
  for (const wrong of ['', '1,5', '-1', '1e99', 'all']) assert.throws(() => raw(wrong), { code: 'invalid_amount' })
  for (const wrong of ['1.5', '', 'x']) assert.throws(() => nano(wrong), { code: 'invalid_amount' })
})

test('everything that goes wrong is one error: with code, status, field, and how long to wait', async (t) => {
  const { url } = await openGateway(t, { LIMIT_ANONYMOUS_PER_MINUTE: '3' }, new TestClock())
  const gateway = createGateway({ url })
  const unopened = await refusalOf(gateway.account_info({ account: shop.address }))
  assert.deepEqual([unopened.message, unopened.code, unopened.status], ['Account not found', 'ledger_refused', 200])
  const wrong = await refusalOf(gateway.account_info({ account: 'nano_1' }))
  assert.deepEqual([wrong.code, wrong.status, wrong.field], ['invalid_account', 400, 'account'])
  assert.match(wrong.requestId!, /./)
  const badKey = await refusalOf(createGateway({ url, key: 'rpc_sk_wrong' }).version())
  assert.deepEqual([badKey.code, badKey.status], ['invalid_key', 401])
  const limited = await refusalOf(gateway.block_count())
  assert.deepEqual([limited.code, limited.status], ['too_many_requests', 429])
  assert.ok(limited.retryAfter! > 10, 'too long to be waited for here')
  const nobody = await refusalOf(createGateway({ url: 'http://127.0.0.1:9' }).checkout({ address: shop.address }))
  assert.deepEqual([nobody.code, nobody.status], ['network_error', 0])
  const slow = createGateway({ url, timeoutMs: 1, fetch: (_, init) => hanging(init?.signal) })
  assert.equal((await refusalOf(slow.checkout({ address: shop.address }))).code, 'timeout')
  const reason = new Error('given up')
  await assert.rejects(slow.version({}, { signal: AbortSignal.abort(reason), timeoutMs: 60_000 }), reason)
})

const hanging = (signal?: AbortSignal | null) =>
  new Promise<Response>((_, reject) => {
    signal?.throwIfAborted()
    signal?.addEventListener('abort', () => reject(signal.reason as Error))
  })

test('a read whose reply was lost is asked again, three times at most; nothing else is', async (t) => {
  const { url } = await openGateway(t)
  const twice = losing((call) => call < 3)
  assert.match((await createGateway({ url, fetch: twice.fetch }).block_count()).count, /^\d+$/)
  assert.equal(twice.asked.length, 3)
  const always = losing(() => true)
  const gateway = createGateway({ url, fetch: always.fetch })
  assert.equal((await refusalOf(gateway.block_count())).code, 'network_error')
  assert.equal(always.asked.length, 3)
  assert.equal((await refusalOf(gateway.checkout({ address: shop.address, amount: '1' }))).code, 'network_error')
  assert.equal((await refusalOf(gateway.work_generate({ hash: 'A'.repeat(64) }))).code, 'network_error')
  const once = always.asked.slice(3).map(({ path }) => path)
  assert.deepEqual(once, ['/actions/checkout', '/actions/work_generate'])
})

test('a merchant whose reply was lost has one checkout without doing anything: the same key is sent again', async (t) => {
  const { url, join } = await openGateway(t)
  const { key } = await join()
  const { asked, fetch } = losing((call) => call === 1)
  const gateway = createGateway({ url, key, fetch })
  const made = await gateway.checkouts.create({ address: shop.address, amount: raw('1'), title: 'Lamp' })
  const keys = asked.map(({ headers }) => headers.get('idempotency-key'))
  assert.deepEqual([keys.length, new Set(keys).size, keys[0] !== null], [2, 1, true])
  const listed = []
  for await (const { id } of gateway.checkouts.list()) listed.push(id)
  assert.deepEqual(listed, [made.id])
})

test('an answer is written by JSON.stringify with its amounts as text, and so is an error', async (t) => {
  const { url } = await openGateway(t)
  const gateway = createGateway({ url })
  const answer = await gateway.accounts_balances({ accounts: [shop.address] })
  const { balances } = JSON.parse(JSON.stringify({ answer })).answer
  assert.deepEqual([balances[shop.address].balance, balances[shop.address].balance_nano], ['0', '0'])
  assert.deepEqual(Object.keys(answer.balances[shop.address]!), Object.keys(balances[shop.address]))
  const wallet = gateway.wallet('7'.repeat(64))
  const poor = await refusalOf(wallet.send(shop.address, '0.1'))
  assert.deepEqual([poor.needed, poor.available], [raw('0.1'), 0n])
  const told = JSON.parse(JSON.stringify(poor)) as Record<string, unknown>
  assert.deepEqual(
    [told.code, told.needed, told.available, told.message],
    [poor.code, String(raw('0.1')), '0', poor.message],
  )
})

test('an amount with more decimals than the ledger has is refused before anything is sent, naming its field', async () => {
  const gateway = createGateway({ url: 'http://127.0.0.1:9' })
  const fine = `0.${'0'.repeat(30)}1`
  const wrong = [
    gateway.cloud_wallet({ account: shop.address, amount: fine }),
    gateway.checkouts.create({ address: shop.address, amount: fine }),
    gateway.wallet('7'.repeat(64)).send(shop.address, fine),
  ]
  for (const each of wrong) {
    const { code, field, message } = await refusalOf(each)
    assert.deepEqual([code, field], ['invalid_amount', 'amount'], message)
  }
  assert.equal(raw(`0.${'0'.repeat(29)}1`), 1n)
})

test('a merchant whose replies were all lost repeats the call with its key, and has one checkout', async (t) => {
  const { url, join } = await openGateway(t)
  const { key } = await join()
  const { asked, fetch } = losing((call) => call <= 3)
  const gateway = createGateway({ url, key, fetch })
  const fields = { address: shop.address, amount: '1', title: 'Lamp' }
  const { idempotencyKey } = await refusalOf(gateway.checkout(fields))
  assert.match(idempotencyKey!, /^[\w-]{36}$/)
  const first = await gateway.checkout(fields, { idempotencyKey })
  const again = await gateway.checkout(fields, { idempotencyKey })
  const other = await gateway.checkout(fields)
  assert.equal(again.id, first.id)
  assert.notEqual(other.id, first.id)
  assert.equal(typeof first.amount_raw, 'bigint')
  const { summary } = await gateway.checkout_report()
  assert.equal(summary.total, 2)
  const keyOf = ({ headers }: Asked) => headers.get('idempotency-key')
  const keys = asked.filter(({ path }) => path === '/actions/checkout').map(keyOf)
  assert.equal(new Set(keys).size, 2)
  assert.ok(!keys.includes(null))
  assert.equal(keyOf(asked.at(-1)!), null, 'a read needs none')
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Db } from '../../kernel/db.ts'
import type { Tables } from '../../kernel/db.ts'
import { hashBlock, toBlockJson } from '../../kernel/nano/block.ts'
import { WORK_THRESHOLDS } from '../../kernel/nano/work.ts'
import { Signer, UNOPENED, nano } from '../../../test/support/blocks.ts'
import { emptyUrl } from '../../../test/support/empty-store.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { type Reply, ask, openGateway, sharedKeys } from '../../../test/support/gateway.ts'
import { until } from '../../../test/support/until.ts'
import { openFolder } from '../../../test/support/folder.ts'
import { TYPESCRIPT } from '../../../test/support/typescript.ts'

/*
 * Contract 4.1, rules 28 and 29: after the process was killed, the key of a request is answered as if the process had
 * survived.
 */

type Members = Record<string, unknown>

const script = fileURLToPath(new URL('../../../test/support/holding-gateway.ts', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))
const compiled = join(tmpdir(), 'nano-gateway-compiled')
const signer = new Signer(1, WORK_THRESHOLDS.dev)
const stranger = new Signer(2).address
const refund = new Signer(3).address

/** One call for each thing that can be made or moved, at each endpoint. */
interface Call {
  /** The name in the store. */
  name: string
  path?: string
  body: Members
  /** All objects of this kind. */
  list(db: Db): Promise<unknown[]>
  /** The object that the answer names; there must be no other. */
  named(answer: Members): unknown
}

const listOf = async (db: Db, [table, column]: [keyof Tables, string], where: Members = {}): Promise<unknown[]> => {
  let query = db.selectFrom(table).select(column as never)
  for (const [name, value] of Object.entries(where)) query = query.where(name as never, '=', value as never)
  return (await query.execute()).map((row) => (row as Members)[column])
}

/** What must be on the ledger and in the store before the call. */
async function prepare(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const call = async (body: Members, path = '') => {
    const reply = await ask(url + path, { headers, body: JSON.stringify(body) })
    assert.ok(reply.status < 300, reply.text)
    return reply.json()
  }
  const fund = async (address: string, amount: string) => (await call({ address, amount }, '/developer/fund')).hash!
  const wallet = async () => (await call({ action: 'cloud_wallet', refund_address: refund })).address!
  const [sending, receiving, ending, noted] = [await wallet(), await wallet(), await wallet(), await wallet()]
  await fund(sending, '5')
  await fund(receiving, '5')
  await fund(ending, '5')
  const opening = signer.receive(UNOPENED, await fund(signer.address, '10'), nano(10))
  await until(
    async () => (await call({ action: 'faucet_check', nano_address: stranger })).eligible as unknown as boolean,
  )
  return { sending, receiving, ending, noted, opening }
}

function listCalls({ sending, receiving, ending, noted, opening }: Awaited<ReturnType<typeof prepare>>): Call[] {
  const idOf = ({ id }: Members) => id
  const orders = (kind: string) => (db: Db) => listOf(db, ['service_orders', 'checkout_id'], { kind })
  const swap = {
    from: 'nano',
    to: 'btc',
    address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    refund_address: refund,
  }
  const one = (action: string, body: Members, list: Call['list'], named: Call['named'] = idOf): Call => ({
    name: action,
    body: { action, ...body },
    list,
    named,
  })
  const frontierOf = (address: string) => async (db: Db) => {
    const rows = db.selectFrom('wallet_blocks').innerJoin('wallets', 'wallets.id', 'wallet_blocks.wallet_id')
    const kept = rows.where('wallets.address', '=', address).where('wallet_blocks.status', '<>', 'refused')
    return (
      await kept
        .select('hash')
        .where('kind', '=', address === sending ? 'send' : 'receive')
        .execute()
    ).map(({ hash }) => hash)
  }
  const is = (value: unknown) => () => Promise.resolve([value])
  /** From here it ends automatically. */
  const endOf = (address: string) => async (db: Db) => {
    const rows = await db.selectFrom('wallets').select(['status', 'ends_as']).where('address', '=', address).execute()
    return rows.map(({ status, ends_as: as }) => as ?? status)
  }
  return [
    one('process', { block: toBlockJson(opening), subtype: 'open' }, is(hashBlock(opening)), ({ hash }) => hash),
    one('checkout', { address: refund, amount: '1', currency: 'USD' }, (db) =>
      listOf(db, ['checkouts', 'id'], { currency: 'USD' }),
    ),
    one('nano_email', { refund_address: refund, amount: '1', emails: ['bob@example.com'] }, (db) =>
      listOf(db, ['email_payments', 'id']),
    ),
    one('nano_swap', { ...swap, amount: 1 }, (db) => listOf(db, ['swaps', 'id'])),
    one(
      'faucet_claim',
      { nano_address: stranger },
      (db) => listOf(db, ['faucet_claims', 'id']),
      ({ claim }) => (claim as Members).id,
    ),
    one('get_name', { name: 'somebody' }, orders('name')),
    one('buy_rpc', {}, orders('credits')),
    one(
      'rpc_key',
      { email: 'bob@example.com' },
      (db) => listOf(db, ['jobs', 'kind'], { kind: 'accounts.mail-sign-in' }),
      () => 'accounts.mail-sign-in',
    ),
    {
      name: 'checkouts.create',
      path: '/api/checkouts',
      body: { address: stranger, amount: '2' },
      list: (db) => listOf(db, ['checkouts', 'id'], { price: '2' }),
      named: idOf,
    },
    {
      name: 'webhooks.rotate-secret',
      path: '/api/webhooks/secret/rotate',
      body: {},
      list: (db) => listOf(db, ['audit_entries', 'what'], { what: 'webhook-secret.rotated' }),
      named: ({ webhook_secret: secret }) => (String(secret).startsWith('whsec_') ? 'webhook-secret.rotated' : secret),
    },
    {
      name: 'webhooks.ping',
      path: '/api/webhooks/ping',
      body: { url: 'http://127.0.0.1:9/' },
      list: (db) => listOf(db, ['events', 'id'], { type: 'ping' }),
      named: ({ event }) => (event as Members).id,
    },
    one('cloud_wallet', { account: sending, send: stranger, amount: '1' }, frontierOf(sending), ({ hash }) => hash),
    one(
      'cloud_wallet',
      { account: receiving, receive: true },
      frontierOf(receiving),
      (received) => (received as unknown as Members[])[0]?.receive_hash,
    ),
    one('cloud_wallet', { account: ending, delete: true }, endOf(ending), () => 'deleted'),
    one(
      'cloud_wallet',
      { account: noted, update_metadata: true, metadata: { at: 2 } },
      (db) => listOf(db, ['wallets', 'metadata'], { address: noted }),
      ({ metadata }) => JSON.stringify(metadata),
    ),
    one(
      'cloud_wallet',
      { refund_address: stranger },
      (db) => listOf(db, ['wallets', 'address'], { refund_address: JSON.stringify(stranger) }),
      ({ address }) => address,
    ),
  ]
}

/** A gateway in a separate process, whose folder and store outlive it. */
async function startHolding(t: TestContext, env: Record<string, string>) {
  const child = spawn(process.execPath, [...TYPESCRIPT, script], {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: compiled, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const [{ url, createdKey }] = (await once(child, 'message')) as [{ url: string; createdKey: string }]
  const held: string[] = []
  child.on('message', (message: { held?: string }) => message.held !== undefined && held.push(message.held))
  return {
    url,
    createdKey,
    held,
    hold: (moment: string) => child.send(moment),
    kill: () => (child.kill('SIGKILL'), ended),
  }
}

forEachEngine((engine) => {
  for (const moment of ['reserved', 'made'] as const) {
    const when = moment === 'reserved' ? 'before anything was made' : 'before the answer was kept'
    test(`a process is killed ${when}: the same key finds one outcome at once, and no 409 (contract 4.1, rule 29)`, async (t) => {
      const folder = openFolder(t)
      const env = {
        ...sharedKeys(),
        DATABASE_URL: await emptyUrl(t, engine),
        DATA_DIR: folder,
        PORT: '0',
        DEVNET_PORT: '0',
        DEVNET_WS_PORT: '0',
        DEVNET_TREASURY_NANO: '10',
        PRICE_PROVIDERS: 'sandbox',
        WORK_THREADS: '0',
        WORK_NODES: 'true',
        // Deposits are received only on request.
        WALLET_RECEIVE_MIN_NANO: '6',
        LIMIT_FREE_PER_MINUTE: '0',
        LIMIT_ANONYMOUS_PER_MINUTE: '0',
      }
      const doomed = await startHolding(t, env)
      const calls = listCalls(await prepare(doomed.url, doomed.createdKey))
      const send = (url: string, { path = '', body }: Call, at: number) =>
        ask(url + path, {
          headers: {
            authorization: `Bearer ${doomed.createdKey}`,
            'content-type': 'application/json',
            'idempotency-key': `order-${at}`,
          },
          body: JSON.stringify(body),
        })
      doomed.hold(moment)
      const lost = calls.map((call, at) => send(doomed.url, call, at).then(describe, () => undefined))
      await until(() => doomed.held.length === calls.length)
      assert.deepEqual(doomed.held.toSorted(), calls.map(({ name }) => name).toSorted())
      await doomed.kill()
      assert.deepEqual(
        (await Promise.all(lost)).filter((answer) => answer !== undefined),
        [],
      )

      const { app, url } = await openGateway(t, env)
      const { db } = app.store
      const answers = await Promise.all(calls.map((call, at) => send(url, call, at)))
      for (const [at, answer] of answers.entries()) {
        const call = calls[at]!
        const what = `${call.name} ${JSON.stringify(call.body)}`
        assert.ok(answer.status === 200 || answer.status === 201, `${what}: ${describe(answer)}`)
        assert.equal('error' in answer.json<Members>(), false, `${what}: ${answer.text}`)
        assert.deepEqual(await call.list(db), [call.named(answer.json<Members>())], what)
        const again = await send(url, call, at)
        assert.deepEqual([again.text, again.headers['idempotent-replayed']], [answer.text, 'true'], what)
      }
    })
  }
})

const describe = ({ status, text }: Reply) => `${status} ${text}`

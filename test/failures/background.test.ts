import { accountSecretContext } from '../../src/modules/webhooks/tables.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openIds } from '../../src/infra/random.ts'
import { JobRunner } from '../../src/infra/jobs/runner.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { noNode } from '../../src/kernel/errors.ts'
import { inTx } from '../../src/kernel/in-tx.ts'
import { type Job, enqueue } from '../../src/kernel/job.ts'
import { type Raw, parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { findPayment, findServiceWallet, queuePayment } from '../../src/modules/wallets/index.ts'
import { Signer, give } from '../support/blocks.ts'
import { TestClock, turnPacedBy, turningWhenStuck } from '../support/clock.ts'
import { emptyUrl } from '../support/empty-store.ts'
import { forEachEngine } from '../support/engines.ts'
import { openGateway, sharedKeys, readMetrics } from '../support/gateway.ts'
import { testRandom } from '../support/random.ts'
import { until } from '../support/until.ts'
import { openWorld as openEmailWorld } from '../support/email-steps.ts'
import { openReceiver, openWebhooks } from '../support/webhook-steps.ts'
import { BACKGROUND, ERROR, openReporter, readLines, readSeries } from './reported.ts'

/* Background jobs of a whole gateway meet impossible rows, written into its store from outside. */

const SHOP = new Signer(91).address
/** Not a valid address. Our code never writes one, but the check before signing must catch it. */
const NOWHERE = 'nano_1nowhere'

const USUAL = { attemptsMax: 5, concurrencyMax: 1, leaseMilliseconds: 60_000 }

/** A whole gateway with its own money; the test can change its store and clock. */
async function openHouse(t: TestContext, engine: StoreEngine, env: Record<string, string> = {}) {
  const clock = new TestClock()
  const DATABASE_URL = await emptyUrl(t, engine)
  const gateway = await openGateway(t, { DATABASE_URL, DEVNET_TREASURY_NANO: '10', ...sharedKeys(), ...env }, clock)
  const { db } = gateway.app.store
  const turnUntil = (isSo: () => boolean | Promise<boolean>) => turnPacedBy({ clock, db }, isSo)
  const told = (place: string) => readLines(gateway.log()).filter((line) => line.place === place)
  const count = async (place: string, kind: string) =>
    readSeries(await readMetrics(gateway), BACKGROUND, { place, kind })
  const jobs = async (kind: string, outcome: string) =>
    readSeries(await readMetrics(gateway), 'gateway_jobs_total', { kind, outcome }) ?? 0
  return { gateway, db, clock, turnUntil, told, count, jobs }
}

forEachEngine((engine, open) => {
  test('an assertion in background wallet work went unnoticed: now it is a log line, a count and an alarm, and the wallet is tried again later', async (t) => {
    const { db, clock, turnUntil, told, count, jobs } = await openHouse(t, engine)
    // While proof of work is computed the fake clock stands still, or it would run ahead.
    const balance = async () => (await findServiceWallet(db, 'treasury'))!.balance
    await turningWhenStuck(
      clock,
      until(async () => (await balance()) === parseNano('10')),
    )
    const { id: walletId } = (await findServiceWallet(db, 'treasury'))!
    const store = { clock, ids: openIds(testRandom) }
    const amount = parseNano('1')!
    await queuePayment({ db, store }, { walletId, destination: NOWHERE, amount, reference: 'owed', purpose: 'return' })
    const write = (destination: string) =>
      db.updateTable('wallet_blocks').set({ destination }).where('reference', '=', 'payment:owed').execute()
    await turnUntil(() => told('wallets.pass').length > 0)
    const [line] = told('wallets.pass')
    assert.deepEqual([line!.level, line!.kind, line!.walletId], [ERROR, 'alarm', walletId])
    assert.match(line!.error, /The store holds an address that is none\./)
    assert.equal(await count('wallets.pass', 'alarm'), 1)
    await turnUntil(async () => (await jobs('wallets.settle', 'retry')) > 0)
    assert.deepEqual(told('jobs.money'), [], 'the job that met it does not tell it again')

    // The job must run between failures: three in a row would make it dead.
    await until(async () => {
      clock.advance(1_000)
      return (await count('wallets.pass', 'alarm'))! >= 3
    })

    await write(SHOP)
    // A run in progress may fail once more and back off, so the clock must advance, as fast as the disk allows.
    clock.leap(60_000)
    await turnUntil(async () => (await findPayment(db, 'owed'))!.status === 'confirmed')
    assert.equal(await jobs('wallets.settle', 'dead'), 0)
  })

  test('a job that throws is reported with its kind and retried; if money waits for it the operator is alerted, but not for a node that is down', async (t) => {
    const { store, clock, ctx } = await open(t)
    const reporter = openReporter(clock)
    const thrown = [new Error('A sum was about to be wrong.'), noNode(), undefined]
    const run = async () => {
      const error = thrown.shift()
      if (error) throw error
    }
    const money: Job = { ...USUAL, kind: 'money', money: true, run }
    const bounce = () => Promise.reject(new Error('No such mailbox.'))
    const outcomes: string[] = []
    const runner = new JobRunner({
      ...ctx,
      engine: store.engine,
      jobs: [money, { ...USUAL, kind: 'mail', attemptsMax: 1, run: bounce }],
      failures: reporter,
      onOutcome: ({ kind, outcome }) => void outcomes.push(`${kind} ${outcome}`),
    })
    t.after(() => runner.stop())
    await inTx(ctx, (tx) => enqueue(tx, { kind: 'money', payload: {}, attemptsMax: 5 }))
    await inTx(ctx, (tx) => enqueue(tx, { kind: 'mail', payload: {}, attemptsMax: 1 }))
    await runner.start()
    await turnPacedBy({ clock, db: store.db }, () => outcomes.includes('money done'))
    assert.deepEqual(
      outcomes.filter((at) => at.startsWith('money')),
      ['money retry', 'money retry', 'money done'],
    )
    assert.deepEqual(
      reporter
        .lines()
        .map(({ place, kind, job }) => `${place} ${kind} ${String(job)}`)
        .sort(),
      ['jobs.money alarm money', 'jobs.money outage money', 'jobs.other failure mail'],
    )
    assert.ok(outcomes.includes('mail dead'))
  })

  test('failing to store the result of a job is an alarm, and the job is claimed again', async (t) => {
    const { store, clock, ctx } = await open(t)
    const reporter = openReporter(clock)
    let runs = 0
    const run = async () => {
      if (++runs === 1) await store.db.schema.alterTable('jobs').renameTo('jobs_hidden').execute()
    }
    const job: Job = { ...USUAL, kind: 'once', money: true, run }
    const runner = new JobRunner({ ...ctx, engine: store.engine, jobs: [job], failures: reporter })
    t.after(() => runner.stop())
    await inTx(ctx, (tx) => enqueue(tx, { kind: 'once', payload: {}, attemptsMax: 5 }))
    await runner.start()
    await until(() => reporter.lines().some(({ place }) => place === 'jobs.queue'))
    assert.ok(((await reporter.count('jobs.queue', 'alarm')) ?? 0) > 0)
    await store.db.schema.alterTable('jobs_hidden').renameTo('jobs').execute()
    await turnPacedBy({ clock, db: store.db }, () => runs === 2)
  })

  test('a payment that cannot be credited is an alarm with its context, and is credited once it can be', async (t) => {
    const { gateway, db, turnUntil, told, count } = await openHouse(t, engine)
    const made = (await gateway.call('checkout', { address: SHOP, amount: '1' })).json()
    const write = (plans: string) => db.updateTable('checkouts').set({ plans }).where('id', '=', made.id!).execute()
    const checkout = db.selectFrom('checkouts').select(['plans', 'status']).where('id', '=', made.id!)
    const { plans } = await checkout.executeTakeFirstOrThrow()
    await write('[broken')
    await give(gateway.app.devnet!.node, fromAddress(SHOP)!, BigInt(made.amount_raw!) as Raw)
    await turnUntil(() => told('checkout.monitor').some(({ kind }) => kind === 'alarm'))
    const [line] = told('checkout.monitor')
    assert.equal(line!.level, ERROR)
    assert.match(line!.error, /^SyntaxError\n/)
    assert.ok(((await count('checkout.monitor', 'alarm')) ?? 0) > 0)
    await write(plans)
    await turnUntil(async () => (await checkout.executeTakeFirstOrThrow()).status === 'complete')
  })

  test('an event whose secret cannot be read was refused in silence: it is an alarm, and is sent once it can be read', async (t) => {
    let reporter!: ReturnType<typeof openReporter>
    const world = await openWebhooks(t, engine, (clock) => (reporter = openReporter(clock)))
    const receiver = await openReceiver(t)
    const { secrets } = world.ctx
    const [encrypt, unseal] = [secrets.encrypt.bind(secrets), secrets.open.bind(secrets)]
    world.ctx.secrets.encrypt = (_place, plain) => encrypt(accountSecretContext('elsewhere'), plain)
    const eventId = await world.record({ url: receiver.url })
    await world.settle()
    assert.deepEqual(
      reporter.lines().map((line) => [line.level, line.place, line.kind, line.eventId]),
      [[ERROR, 'webhooks.secret', 'alarm', eventId]],
    )
    world.ctx.secrets.open = (_place, encrypted) => unseal(accountSecretContext('elsewhere'), encrypted)
    await world.toNextAttempt()
    assert.equal(receiver.requests.length, 1)
  })
})

test('an email payment that fails is an alarm with its id, delays no other, and continues once it can', async (t) => {
  const world = await openEmailWorld(t)
  const { db } = world.gateway.app.store
  const [broken, whole] = [await world.open(), await world.open()]
  const payment = db.selectFrom('email_payments').select('subtotal_raw').where('id', '=', broken.id)
  const { subtotal_raw: subtotal } = await payment.executeTakeFirstOrThrow()
  const write = (subtotal: string) =>
    db.updateTable('email_payments').set({ subtotal_raw: subtotal }).where('id', '=', broken.id).execute()
  await write('much')
  for (const made of [broken, whole]) await world.fund(made.address, BigInt(made.amount_raw) as Raw)
  await world.untilStatus(whole, 'funded')
  const told = () => readLines(world.gateway.log()).filter(({ place }) => place === 'email.follow')
  await world.turnUntil(() => told().length > 0)
  assert.deepEqual([told()[0]!.kind, told()[0]!.paymentId], ['alarm', broken.id])
  const undone = { kind: 'email.follow', outcome: 'retry' }
  await world.turnUntil(
    async () => readSeries(await readMetrics(world.gateway), 'gateway_jobs_total', undone) !== undefined,
  )
  await write(subtotal)
  await world.untilStatus(broken, 'funded')
})

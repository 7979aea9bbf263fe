import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../src/kernel/db.ts'
import { assertCreditsBalance } from '../support/credits.ts'
import { checkClaims, countOpenClaims } from './check-claims.ts'
import { checkEvents, countEach } from './check-events.ts'
import { checkLapses, countOpenLapses, listPaidLapses } from './check-lapses.ts'
import { checkMarket, countUnpaidSales } from './check-market.ts'
import { checkPurchases } from './check-purchases.ts'
import { checkRefunds, countOpenRefunds } from './check-refunds.ts'
import { compareLedger, readTakings } from './compare-ledger.ts'
import { type AskedCheckout, type Made, isPaid } from './made.ts'
import { CREDITS, type ChaosWorld } from './world.ts'

const COMPLETED = 'payment.completed'

/** Checkouts that were paid in time. */
const listPaid = async (world: ChaosWorld, made: Made): Promise<AskedCheckout[]> => [
  ...made.checkouts.filter(isPaid),
  ...(await listPaidLapses(world, made)),
]

/** What must still happen before everything is settled; empty if nothing. */
export async function listUnsettled(world: ChaosWorld, made: Made): Promise<string[]> {
  const { store, receiver, mailbox, instances, reader, money } = world
  const { db } = store
  const open: string[] = []
  const paid = await listPaid(world, made)
  const status = new Map(
    (await db.selectFrom('checkouts').select(['id', 'status']).execute()).map((row) => [row.id, row.status]),
  )
  const unfinished = paid.filter(({ id }) => status.get(id) !== 'complete')
  if (unfinished.length > 0) open.push(`${unfinished.length} paid checkouts are not complete`)
  const told = receiver.told(COMPLETED)
  const unreported = paid.filter(({ id }) => !told.has(id))
  if (unreported.length > 0) open.push(`${unreported.length} shops were not told`)
  const unmailed = paid.filter(({ id, notify }) => notify && !mailbox.received.has(`mail_checkout_${id}`))
  if (unmailed.length > 0) open.push(`${unmailed.length} receipts were not mailed`)
  const blocks = await db
    .selectFrom('wallet_blocks')
    .select('id')
    .where('status', 'not in', ['confirmed', 'refused'])
    .execute()
  if (blocks.length > 0) open.push(`${blocks.length} blocks of wallets are unfinished`)
  const deliveries = await db.selectFrom('deliveries').select('id').where('state', '<>', 'delivered').execute()
  if (deliveries.length > 0) open.push(`${deliveries.length} deliveries are open`)
  const sweeps = await countSweeps(db)
  if (sweeps > 0) open.push(`${sweeps} wallets of checkouts still hold what belongs to a merchant`)
  const { got, due } = await readTakings(reader, { money, db, made })
  if (got < due) open.push(`merchants wait for ${due - got} raw`)
  const lapses = await countOpenLapses(world, made)
  if (lapses > 0) open.push(`${lapses} checkouts have not ended`)
  const refunds = await countOpenRefunds(db)
  if (refunds > 0) open.push(`${refunds} refunds are under way`)
  const claims = await countOpenClaims(world, made)
  if (claims > 0) open.push(`${claims} payments with claimed shares have not ended`)
  const sales = await countUnpaidSales(world, made)
  if (sales > 0) open.push(`${sales} paid sales of the market are not complete`)
  if (instances.some(({ url }) => url === undefined)) open.push('a gateway does not run')
  return open
}

/** Generated wallets of complete checkouts that are not empty yet. */
async function countSweeps(db: Db): Promise<number> {
  const rows = await db
    .selectFrom('checkouts')
    .innerJoin('wallets', 'wallets.id', 'checkouts.wallet_id')
    .select('wallets.id')
    .where('checkouts.status', '=', 'complete')
    .where('wallets.status', '<>', 'deleted')
    .execute()
  return rows.length
}

const ASKED_MAX = 20

/** Faults are over by now, but the machine may still be busy. */
async function ask(url: string): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.status === 200 || tries === ASKED_MAX) return response ?? Response.error()
    await sleep(500)
  }
}

/** Asks each gateway about a paid checkout without a key; the answers must be equal. */
export async function askEach({ instances }: ChaosWorld, made: Made): Promise<string[]> {
  const wrong: string[] = []
  for (const { name, url } of instances) {
    for (const { id, paidBy, amountRaw } of made.checkouts) {
      const response = await ask(`${url}/check/${id}`)
      const check = (await response.json()) as { success: boolean; block?: { hash: string }; amount_paid_raw: string }
      if (check.success !== (paidBy !== undefined))
        wrong.push(`${name} says success ${check.success} of checkout ${id}`)
      if (paidBy === undefined) continue
      if (check.block?.hash !== paidBy) wrong.push(`${name} names another block for checkout ${id}`)
      if (check.amount_paid_raw !== amountRaw.toString()) wrong.push(`${name} names another amount for checkout ${id}`)
    }
  }
  return wrong
}

/** The invariants at the end; returns a sentence for each breach. Only the node may still be running. */
export async function findBreaches(world: ChaosWorld, made: Made): Promise<string[]> {
  const { money, reader } = world
  const { db } = world.store
  return [
    ...(await compareLedger(reader, { money, db, made })),
    ...(await checkCompletions(world, made)),
    ...(await checkLapses(world, made)),
    ...(await checkRefunds(world, made)),
    ...(await checkClaims(world, made)),
    ...(await checkPurchases(world, made)),
    ...(await checkMarket(world, made)),
    ...(await checkCredits(db, made)),
    ...(await checkJobs(db)),
    ...world.receiver.complaints,
    ...world.client.violations,
    ...world.instances.flatMap(({ crashes }) => crashes),
  ]
}

async function checkCompletions(world: ChaosWorld, made: Made): Promise<string[]> {
  const paid = await listPaid(world, made)
  const wrong = await checkEvents(world, COMPLETED, countEach(paid.map(({ id }) => id)))
  const { db } = world.store
  const payments = await db
    .selectFrom('checkout_payments')
    .select('block_hash')
    .where('owner', '=', world.accountId)
    .where('kind', '=', 'counted')
    .execute()
  const credited = payments.map(({ block_hash: hash }) => hash)
  const blocks = paid.map(({ paidBy }) => paidBy!)
  if (credited.sort().join() !== blocks.sort().join())
    wrong.push(`${credited.length} payments were credited, not the ${paid.length} that were made`)
  return wrong
}

async function checkCredits(db: Db, made: Made): Promise<string[]> {
  const wrong: string[] = []
  await assertCreditsBalance(db).catch((error: unknown) => wrong.push(`credits do not add up: ${String(error)}`))
  const entries = await db.selectFrom('credit_entries').select(['amount', 'reason']).execute()
  const spentOn = (reason: string) => entries.filter((entry) => entry.reason === reason && entry.amount < 0).length
  if (entries.reduce((total, { amount }) => total + Math.max(0, amount), 0) !== 2 * CREDITS)
    wrong.push('credits came from nowhere')
  if (spentOn('work') > made.workAttempts) wrong.push(`work was charged ${spentOn('work')} times`)
  const sends = await db
    .selectFrom('wallet_blocks')
    .select('id')
    .where('kind', '=', 'send')
    .where('account_id', 'is not', null)
    .where('status', '=', 'confirmed')
    .execute()
  if (spentOn('wallet_send') > sends.length)
    wrong.push(`${sends.length} sends were charged ${spentOn('wallet_send')} times`)
  return wrong
}

async function checkJobs(db: Db): Promise<string[]> {
  // A recurring job may fail for good, because the next run does its work.
  const dead = await db
    .selectFrom('jobs')
    .select(['kind', 'last_error'])
    .where('status', '=', 'dead')
    .where(({ eb, or }) => or([eb('key', 'is', null), eb('key', '<>', 'schedule')]))
    .execute()
  return dead.map(({ kind, last_error: error }) => `a job of ${kind} was given up: ${error}`)
}

import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import type { Db } from '../../src/kernel/db.ts'
import { assertCreditsBalance } from '../support/credits.ts'
import type { AskedCheckout, Made } from './load.ts'
import { CREDITS, type ChaosWorld } from './world.ts'

const SUPPLY = 2n ** 128n - 1n
const COMPLETED = 'payment.completed'

const paidOf = ({ checkouts }: Made) => checkouts.filter(({ paidBy }) => paidBy !== undefined)

/** What must still happen before everything is at rest; empty when nothing must. */
export async function listUnsettled({ store: { db }, receiver, mailbox, instances }: ChaosWorld, made: Made) {
  const open: string[] = []
  const paid = paidOf(made)
  const status = new Map(
    (await db.selectFrom('checkouts').select(['id', 'status']).execute()).map((row) => [row.id, row.status]),
  )
  const unfinished = paid.filter(({ id }) => status.get(id) !== 'complete')
  if (unfinished.length > 0) open.push(`${unfinished.length} paid checkouts are not complete`)
  const told = receiver.told(COMPLETED)
  const untold = paid.filter(({ id }) => !told.has(id))
  if (untold.length > 0) open.push(`${untold.length} shops were not told`)
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

/** A question at rest; the machine may still be busy. */
async function ask(url: string): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.status === 200 || tries === ASKED_MAX) return response ?? Response.error()
    await sleep(500)
  }
}

/** Everybody's own question about a paid checkout, put to each gateway; they must agree. */
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

/** What must be true at the end, whatever happened; each breach in a sentence. Nothing may run any more. */
export async function findBreaches(world: ChaosWorld, made: Made): Promise<string[]> {
  const { db } = world.store
  const ledger = new DatabaseSync(world.ledger.file)
  try {
    return [
      ...checkLedger(ledger, world, made),
      ...(await checkWallets(ledger, db)),
      ...(await checkEvents(db, world, made)),
      ...(await checkCredits(db, made)),
      ...(await checkJobs(db)),
      ...world.receiver.complaints,
      ...world.client.violations,
      ...world.instances.flatMap(({ crashes }) => crashes),
    ]
  } finally {
    ledger.close()
  }
}

type Amounts = { amount: string }[]
const sum = (rows: Amounts) => rows.reduce((total, { amount }) => total + BigInt(amount), 0n)

function checkLedger(ledger: DatabaseSync, { payers, merchants }: ChaosWorld, made: Made): string[] {
  const wrong: string[] = []
  const all = (sql: string, ...values: string[]) => ledger.prepare(sql).all(...values) as unknown as Amounts
  const total = sum(all('select balance as amount from accounts')) + sum(all('select amount from receivable'))
  if (total !== SUPPLY) wrong.push(`the ledger holds ${total} raw and not ${SUPPLY}`)
  for (const { signer, balance } of payers) {
    const held = sum(all('select balance as amount from accounts where account = ?', signer.key))
    if (held !== balance) wrong.push(`a payer has ${held} raw and should have ${balance}`)
  }
  const due = paidOf(made).reduce((sum, { amountRaw }) => sum + amountRaw, 0n)
  const got = merchants.reduce(
    (sum, { key }) =>
      sum + all('select amount from receivable where account = ?', key).reduce((s, r) => s + BigInt(r.amount), 0n),
    0n,
  )
  if (got !== due) wrong.push(`merchants got ${got} raw and were paid ${due}`)
  const findSends = ledger.prepare('select hash, amount from receivable where account = ?')
  for (const { key, destination, hash, amountRaw } of made.sends) {
    const found = findSends.all(fromAddress(destination)!) as { hash: string; amount: string }[]
    if (found.length > 1) wrong.push(`send ${key} was made ${found.length} times`)
    if (found.some(({ amount }) => BigInt(amount) !== amountRaw)) wrong.push(`send ${key} has another amount`)
    if (hash !== undefined && found[0]?.hash !== hash) wrong.push(`send ${key} was acknowledged as ${hash} and is lost`)
  }
  return wrong
}

async function checkWallets(ledger: DatabaseSync, db: Db): Promise<string[]> {
  const wrong: string[] = []
  const find = ledger.prepare('select head, balance from accounts where account = ?')
  for (const wallet of await db.selectFrom('wallets').selectAll().execute()) {
    const account = find.get(fromAddress(wallet.address)!) as { head: string; balance: string } | undefined
    if (wallet.frozen_at !== null) wrong.push(`wallet ${wallet.id} was frozen: ${wallet.frozen_reason}`)
    if ((account?.head ?? '0'.repeat(64)) !== wallet.frontier) wrong.push(`wallet ${wallet.id} lost its place`)
    if (BigInt(account?.balance ?? 0) !== BigInt(wallet.balance_raw)) wrong.push(`wallet ${wallet.id} counts otherwise`)
  }
  return wrong
}

async function checkEvents(db: Db, { receiver }: ChaosWorld, made: Made): Promise<string[]> {
  const wrong: string[] = []
  const rows = await db.selectFrom('events').select(['id', 'subject']).where('type', '=', COMPLETED).execute()
  const recorded = Map.groupBy(rows, ({ subject }) => subject)
  const told = receiver.told(COMPLETED)
  const judge = ({ id, paidBy }: AskedCheckout) => {
    const expected = paidBy === undefined ? 0 : 1
    const count = recorded.get(id)?.length ?? 0
    if (count !== expected) wrong.push(`checkout ${id} has ${count} events of completion and not ${expected}`)
    const ids = told.get(id)?.length ?? 0
    if (ids !== expected) wrong.push(`the shop was told ${ids} completions of checkout ${id} and not ${expected}`)
  }
  for (const checkout of made.checkouts) judge(checkout)
  const paid = paidOf(made).length
  if (rows.length !== paid) wrong.push(`${rows.length} completions were recorded for ${paid} payments`)
  const payments = await db.selectFrom('checkout_payments').select('block_hash').where('kind', '=', 'counted').execute()
  if (payments.length !== paid) wrong.push(`${payments.length} payments were credited and ${paid} were made`)
  return wrong
}

async function checkCredits(db: Db, made: Made): Promise<string[]> {
  const wrong: string[] = []
  await assertCreditsBalance(db).catch((error: unknown) => wrong.push(`credits do not add up: ${String(error)}`))
  const entries = await db.selectFrom('credit_entries').select(['amount', 'reason']).execute()
  const spentOn = (reason: string) => entries.filter((entry) => entry.reason === reason && entry.amount < 0).length
  if (entries.reduce((total, { amount }) => total + Math.max(0, amount), 0) !== CREDITS)
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
  // Of those that come back by themselves a round may be given up: the next one does all there is to do.
  const dead = await db
    .selectFrom('jobs')
    .select(['kind', 'last_error'])
    .where('status', '=', 'dead')
    .where(({ eb, or }) => or([eb('key', 'is', null), eb('key', '<>', 'schedule')]))
    .execute()
  return dead.map(({ kind, last_error: error }) => `a job of ${kind} was given up: ${error}`)
}

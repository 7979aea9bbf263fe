import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { LedgerStore } from '../../src/devnet/store.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { readKeyFile } from '../../src/infra/secrets/master-keys.ts'
import { RAW_MAX } from '../../src/kernel/money.ts'
import type { Db } from '../../src/kernel/db.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { countByMasterKey } from '../../src/modules/wallets/index.ts'
import { openStore } from '../../src/store/schema.ts'
import { openSecrets } from '../../src/store/secrets.ts'
import { assertCreditsBalance } from '../support/credits.ts'
import { testRandom } from '../support/random.ts'
import type { Promised } from './load.ts'

const COMPLETED = 'payment.completed'

/** Checks a data folder after a power cut against everything acknowledged before it; returns a sentence for each problem. */
export async function checkFolder(folder: string, promises: readonly Promised[]): Promise<string[]> {
  const ledger = checkLedger(join(folder, 'devnet.db'), promises)
  if (!existsSync(join(folder, 'gateway.db'))) {
    return [...ledger.wrong, ...(promises.length > 0 ? ['the store is gone'] : [])]
  }
  const store = await openStore(`sqlite:${join(folder, 'gateway.db')}`, systemClock)
  try {
    const { db } = store
    const [integrity] = (await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db)).rows
    return [
      ...ledger.wrong,
      ...(integrity!.integrity_check === 'ok' ? [] : [`the store is damaged: ${integrity!.integrity_check}`]),
      ...(await checkPromises(db, promises)),
      ...(await checkKeys(folder, db)),
      ...(await checkMoney(db)),
      ...(await compare(db, ledger.accounts)),
    ]
  } finally {
    await store.close()
  }
}

interface LedgerFile {
  wrong: string[]
  /** Hashes by the key of their account. */
  accounts: ReadonlyMap<string, ReadonlySet<string>>
}

/** Checks the development ledger's file: intact, with every accepted block and the right total of raw. */
function checkLedger(file: string, promises: readonly Promised[]): LedgerFile {
  const blocks = promises.filter((promise) => promise.kind === 'block')
  const nothing = { wrong: blocks.length > 0 ? ['the ledger is gone'] : [], accounts: new Map() }
  if (!existsSync(file)) return nothing
  // Opened as at a start, which creates tables that a cut during the first start left out.
  new LedgerStore(file).close()
  const db = new DatabaseSync(file)
  try {
    const wrong: string[] = []
    const integrity = db.prepare('pragma integrity_check').get() as { integrity_check: string }
    if (integrity.integrity_check !== 'ok') wrong.push(`the ledger is damaged: ${integrity.integrity_check}`)
    const rows = db.prepare('select hash, account from blocks').all() as { hash: string; account: string }[]
    const byAccount = Map.groupBy(rows, ({ account }) => account)
    const known = new Set(rows.map(({ hash }) => hash))
    for (const { hash } of blocks) if (!known.has(hash)) wrong.push(`the ledger has lost block ${hash}`)
    const amounts = db.prepare('select balance as raw from accounts union all select amount from receivable').all()
    const supply = amounts.reduce((sum, { raw }) => sum + BigInt(raw as string), 0n)
    if (rows.length > 0 && supply !== RAW_MAX) wrong.push(`the ledger holds ${supply} raw`)
    const toHashes = (list: typeof rows) => new Set(list.map(({ hash }) => hash))
    return { wrong, accounts: new Map([...byAccount].map(([account, list]) => [account, toHashes(list)])) }
  } finally {
    db.close()
  }
}

async function checkPromises(db: Db, promises: readonly Promised[]): Promise<string[]> {
  const checkouts = await byKey(db.selectFrom('checkouts').selectAll().execute(), 'id')
  const wallets = await byKey(db.selectFrom('wallets').selectAll().execute(), 'address')
  const blocks = await byKey(db.selectFrom('wallet_blocks').selectAll().where('hash', 'is not', null).execute(), 'hash')
  const events = await byKey(db.selectFrom('events').selectAll().execute(), 'id')
  const runs = await byKey(db.selectFrom('idempotency').selectAll().execute(), 'key')
  const starts = (await db.selectFrom('api_keys').select('start').execute()).map(({ start }) => start)
  const isKept = (promise: Promised): boolean => {
    switch (promise.kind) {
      case 'key':
        return starts.some((start) => promise.key.startsWith(start))
      case 'wallet':
        return wallets.has(promise.address)
      case 'checkout':
        return checkouts.get(promise.id)?.amount_raw === promise.amountRaw && runs.has(promise.reference)
      case 'paid': {
        const checkout = checkouts.get(promise.id)
        return checkout?.status === 'complete' && checkout.block_hash === promise.hash
      }
      case 'send':
        return blocks.get(promise.hash)?.block !== null && blocks.has(promise.hash) && runs.has(promise.reference)
      case 'event':
        return events.get(promise.id)?.body === promise.body
      case 'block':
        return true
    }
  }
  return promises.filter((promise) => !isKept(promise)).map((promise) => `lost: ${JSON.stringify(promise)}`)
}

async function byKey<Row, Name extends keyof Row>(rows: Promise<Row[]>, name: Name): Promise<Map<Row[Name], Row>> {
  return new Map((await rows).map((row) => [row[name], row]))
}

/** Checks that encrypted values in the store can be decrypted, so the key files must be there and correct. */
async function checkKeys(folder: string, db: Db): Promise<string[]> {
  const wrong: string[] = []
  const config = { dataDir: folder, databaseUrl: '', secretKey: undefined, secretKeys: [] }
  const ctx = { db, clock: systemClock, random: testRandom }
  await openSecrets(config, ctx).catch((error: unknown) => wrong.push(String(error)))
  for (const { id } of await countByMasterKey(db)) {
    const keys = readKeyFile(join(folder, 'wallet-keys'))
    if (!keys?.byId.has(id)) wrong.push(`wallets are sealed with ${id}, and wallet-keys does not have it`)
  }
  return wrong
}

/** Checks that transactions were written completely or not at all. */
async function checkMoney(db: Db): Promise<string[]> {
  const wrong: string[] = []
  await assertCreditsBalance(db).catch((error: unknown) => wrong.push(`credits do not add up: ${String(error)}`))
  const complete = await db.selectFrom('checkouts').selectAll().where('status', '=', 'complete').execute()
  const payments = await db.selectFrom('checkout_payments').selectAll().where('kind', '=', 'counted').execute()
  const events = await db.selectFrom('events').select(['id', 'subject']).where('type', '=', COMPLETED).execute()
  const deliveries = await db.selectFrom('deliveries').select('event_id').execute()
  for (const { id, paid_raw: paid } of complete) {
    const counted = payments.filter(({ checkout_id: checkout }) => checkout === id)
    const sum = counted.reduce((total, { amount_raw: amount }) => total + BigInt(amount), 0n)
    if (sum !== BigInt(paid)) wrong.push(`checkout ${id} counts ${paid} raw, and its payments are ${sum}`)
    const told = events.filter(({ subject }) => subject === id)
    if (told.length !== 1) wrong.push(`checkout ${id} is complete with ${told.length} events of it`)
    else if (!deliveries.some(({ event_id: event }) => event === told[0]!.id))
      wrong.push(`the event of checkout ${id} has no delivery`)
  }
  const finished = new Set(complete.map(({ id }) => id))
  for (const { subject } of events)
    if (!finished.has(subject)) wrong.push(`checkout ${subject} is told and not complete`)
  return wrong
}

/** Every block of a wallet on the ledger must be known to the store, and everything settled must be on the ledger. */
async function compare(db: Db, accounts: LedgerFile['accounts']): Promise<string[]> {
  const wrong: string[] = []
  const blocks = await db.selectFrom('wallet_blocks').select(['hash', 'status']).execute()
  const signed = new Set(blocks.map(({ hash }) => hash))
  for (const { address } of await db.selectFrom('wallets').select('address').execute()) {
    for (const hash of accounts.get(fromAddress(address)!) ?? [])
      if (!signed.has(hash)) wrong.push(`block ${hash} of ${address} went out and is not in the store`)
  }
  const known = new Set([...accounts.values()].flatMap((hashes) => [...hashes]))
  const settled = await db.selectFrom('checkout_payments').select('block_hash as hash').execute()
  const confirmed = blocks.flatMap(({ hash, status }) => (status === 'confirmed' && hash !== null ? [{ hash }] : []))
  for (const { hash } of [...settled, ...confirmed])
    if (!known.has(hash)) wrong.push(`the store has settled block ${hash}, and the ledger does not have it`)
  return wrong
}

import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import type { Db } from '../../src/kernel/db.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { findAccount, listActivities, listKeys } from '../../src/modules/accounts/index.ts'
import { eraseAccount, erasePerson, exportAccount, exportPerson, listUnfinished } from '../../src/store/privacy.ts'
import { ENTITIES, PERSONAL } from '../../src/store/personal.ts'
import { insertOrder } from '../../src/modules/billing/store.ts'
import { NameIndex } from '../../src/modules/names/name-index.ts'
import { fileOf, forEachEngine, openFresh } from '../support/engines.ts'
import { fill } from '../support/filled-store.ts'
import { until } from '../support/until.ts'

/* The export of an account's personal data, and what is left after it is erased. */

const { signal } = new AbortController()
const SECRET = 'sealed secret'
/** Text in every field that people of the account may have written. */
const WORDS = 'words of alice'

/** Fields that an export leaves out; none of them may hold text. */
const NO_SECRETS = ['fence', 'lease_until', 'visitor', 'visit', 'email_hash', 'hash', 'payload', 'reference']

/** Text columns that stay after their account is erased and contain nothing personal. */
const KEPT: Record<string, string> = {
  'ids of ours': `claim_id owner key_id account_id link_id plan_id wallet_id checkout_id block_id payment_id subscription_id pos_id
    predecessor bound_to made_by actor reference link_for sale_key idempotency_key`,
  'addresses and blocks of the public ledger': `address merchant_address payer from_address refund_address deposit_address
    claim_address destination source_address frontier block_hash detected_block source_hash previous hash denied_hash block proof`,
  'amounts and rates, which prove what was paid': `price price_e8 amount_raw paid_raw refunded_raw asked excess_raw fiat_e8
    total_units tip_units subtotal_raw fee_raw balance_raw total_raw send receive rate chosen limits`,
  'one of some words': `status currency rate_source from_code to_code provider language every kind purpose scopes what
    webhook_events failure refusal frozen_reason role given_as additional_status mode made_with outcome ends_as`,
  'made by us for accounting': 'invoice_number',
  'a public name, of which the register is public': 'display',
  'prices of what was sold are in it; its titles stay as well': 'plans',
  'emptied by the address of whom it names': 'subject',
  'why a payment or a state changed, in our words': 'reason',
}

const rowsOf = (db: Db, table: string) =>
  (db as unknown as Kysely<Record<string, Record<string, unknown>>>).selectFrom(table).selectAll().execute()

async function dump(db: Db): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {}
  for (const table of Object.keys(PERSONAL))
    all[table] = (await rowsOf(db, table)).map((row) => JSON.stringify(row)).sort()
  return all
}

/** A store of three accounts; every text field of alice's has personal or secret text. */
async function openAlice(t: TestContext, engine: StoreEngine) {
  const { ctx, ...opened } = await openFresh(t, engine)
  const { db } = ctx
  await fill(ctx)
  const email = 'alice@example.com'
  const found = db.selectFrom('accounts').select('id').where('email', '=', email)
  const { id: alice } = await found.executeTakeFirstOrThrow()
  const whose = { accountId: alice, email }
  await db.updateTable('mails').set({ recipient: 'Alice@example.com' }).where('id', '=', alice).execute()
  await db.updateTable('sign_in_links').set({ email }).where('token_hash', '=', alice).execute()
  await db.updateTable('passkeys').set({ email }).where('credential_id', '=', alice).execute()
  await db.updateTable('recovery_codes').set({ email }).where('code_hash', '=', alice).execute()
  const [job] = await db.selectFrom('jobs').select('id').where('kind', '=', 'mail.send').execute()
  await db.updateTable('jobs').set({ payload: '{"recipient":"Alice@example.com"}' }).where('id', '=', job!.id).execute()
  const change = { checkoutId: 'change', kind: 'name_update', subject: 'alice', accountId: alice, createdAt: 1 }
  await insertOrder(db, { ...change, detail: {} })
  for (const [table, personal] of Object.entries(PERSONAL)) {
    if ('nobody' in personal) continue
    const of = personal.of(whose)
    if (typeof personal.erase === 'object') {
      const { erased = personal.of } = personal
      for (const [column, to] of Object.entries(personal.erase)) {
        if (typeof to === 'number' || ['visit', 'account_id', 'email'].includes(column)) continue
        const isObject = to === '{}' || ['features', 'invoice'].includes(column)
        const text = isObject ? JSON.stringify({ a: WORDS }) : to === '[]' ? JSON.stringify([WORDS]) : WORDS
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${text} where ${erased(whose)}`.execute(db)
      }
    }
    for (const column of personal.leftOut ?? []) {
      if ([...personal.key, ...NO_SECRETS].includes(column)) continue
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${SECRET} where ${of}`.execute(db)
    }
  }
  const erase = (until = signal) => eraseAccount(ctx, { accountId: alice, actor: OPERATOR, signal: until })
  return { ...opened, ctx, db, alice, whose, erase }
}

/** Completes everything of all accounts. */
async function finish(db: Db): Promise<void> {
  await sql`update checkouts set status = 'expired'`.execute(db)
  await sql`update wallets set status = 'ended'`.execute(db)
  await sql`update wallet_blocks set status = 'confirmed'`.execute(db)
  await sql`update checkout_refunds set due_at = null`.execute(db)
  await sql`update email_payments set due_at = null, status = 'completed', ended_at = 1`.execute(db)
  await sql`update deliveries set state = 'delivered'`.execute(db)
  await sql`update service_payments set outcome = 'applied'`.execute(db)
}

/** Whether a field can hold text, directly or nested. */
const holdsText = (schema: unknown): boolean => {
  const { type, anyOf, items, properties, ...rest } = schema as Record<string, unknown>
  const inner = [
    ...((anyOf as unknown[] | undefined) ?? []),
    ...Object.values((properties as object | undefined) ?? {}),
  ]
  const isOpen = type === 'object' && inner.length === 0
  return (
    (type === 'string' && !('enum' in rest)) ||
    isOpen ||
    (items !== undefined && holdsText(items)) ||
    inner.some(holdsText)
  )
}

test('a text that a merchant could set survived the erasure of the account, because a list did not name it', () => {
  const silent = ENTITIES.flatMap(({ table, named }) =>
    named.flatMap(({ column, field: { kind, takes, personal, erased } }) => {
      if (kind !== 'set' || !holdsText(takes)) return []
      const { erase } = PERSONAL[table as 'points_of_sale'] as { erase: unknown }
      const isSaid = personal === true ? erased !== undefined || erase === 'delete' : personal !== undefined
      return isSaid ? [] : [`${table}.${column} is neither personal nor says why not`]
    }),
  )
  assert.deepEqual(silent, [])
  // Input that is never stored has no column.
  const rows = ENTITIES.map(({ table }) => PERSONAL[table as keyof typeof PERSONAL])
  assert.ok(rows.every((row) => !('nobody' in row) && row.erase !== 'keep'))
})

test('a column that was added to a table survived the erasure of the account, because no rule covered it', async (t) => {
  const { db } = (await openFresh(t, 'sqlite')).ctx
  const known = new Set(Object.values(KEPT).flatMap((columns) => columns.split(/\s+/)))
  const used = new Set<string>()
  const silent = (await db.introspection.getTables()).flatMap(({ name, columns }) => {
    const personal = PERSONAL[name as keyof typeof PERSONAL]
    // Declared resources mark personal fields themselves.
    if (
      !personal ||
      'nobody' in personal ||
      personal.erase === 'delete' ||
      ENTITIES.some(({ table }) => table === name)
    )
      return []
    const erased = personal.erase === 'keep' ? [] : Object.keys(personal.erase)
    // A column that is never exported is not thereby erased.
    const said = new Set<string>([...personal.key, ...erased])
    const texts = columns.filter(({ name: column, dataType }) => dataType.toLowerCase() === 'text' && !said.has(column))
    for (const { name: column } of texts) used.add(column)
    return texts.filter(({ name: column }) => !known.has(column)).map(({ name: column }) => `${name}.${column}`)
  })
  assert.deepEqual(silent, [])
  assert.deepEqual(
    [...known].filter((column) => !used.has(column)),
    [],
    'an exception that is none any more goes',
  )
})

test('an erased person was still in the file of the store, and in every backup made afterwards', async (t) => {
  const { store, url, db, erase } = await openAlice(t, 'sqlite')
  await finish(db)
  await erase()
  await store.close()
  const file = readFileSync(fileOf(url)).toString('latin1').toLowerCase()
  assert.deepEqual([file.includes(WORDS), file.includes('alice@example.com')], [false, false])
})

forEachEngine((engine) => {
  test('an export has every row of the account, nothing of another one, and no secret', async (t) => {
    const { db, alice, whose } = await openAlice(t, engine)
    const found: Record<string, number> = {}
    let text = ''
    for await (const { table, row } of exportAccount(db, whose)) {
      found[table] = (found[table] ?? 0) + 1
      text += `${table} ${JSON.stringify(row)}\n`
    }
    const personal = Object.entries(PERSONAL).filter(([, one]) => !('nobody' in one))
    assert.deepEqual(Object.keys(found).sort(), personal.map(([table]) => table).sort())
    assert.ok(text.includes(WORDS) && text.includes(alice))
    const others = await db.selectFrom('accounts').select(['id', 'email']).where('id', '<>', alice).execute()
    const hashes = await db.selectFrom('api_keys').select('hash').where('account_id', '=', alice).execute()
    const hidden = [SECRET, ...others.flatMap(({ id, email }) => [id, email ?? id]), ...hashes.map(({ hash }) => hash)]
    assert.deepEqual(
      text.split('\n').filter((line) => hidden.some((each) => line.includes(each))),
      [],
    )
  })

  test('unfinished matters prevent the erasure of an account, and each is named; an administrator is never erased', async (t) => {
    const { db, alice, erase } = await openAlice(t, engine)
    await sql`update service_payments set outcome = 'held'`.execute(db)
    await sql`update checkout_refunds set due_at = 1`.execute(db)
    await sql`update checkouts set status = 'partial'`.execute(db)
    await sql`update deliveries set state = 'retrying'`.execute(db)
    const before = await dump(db)
    assert.equal((await listUnfinished(db, alice)).length, 8)
    await assert.rejects(erase(), /open checkouts.*wallets/)
    assert.deepEqual(await dump(db), before)
    await finish(db)
    await db.updateTable('accounts').set({ role: 'admin' }).where('id', '=', alice).execute()
    await assert.rejects(erase(), /administrator/)
  })

  test('an erased account leaves no personal data in any table; money records stay, and other accounts lose nothing', async (t) => {
    const { db, alice, erase } = await openAlice(t, engine)
    await finish(db)
    const before = await dump(db)
    // Interrupted at once, called twice at the same time, and again.
    await erase(AbortSignal.abort())
    await Promise.all([erase(), erase()])
    await erase()
    const after = await dump(db)
    for (const [table, rows] of Object.entries(after)) {
      for (const row of rows) {
        assert.ok(!row.includes(WORDS), `${table}: ${row}`)
        assert.ok(!row.toLowerCase().includes('alice@example.com'), `${table}: ${row}`)
        if (['checkouts', 'payment_links', 'webhook_secrets', 'events', 'email_payments'].includes(table))
          assert.ok(!row.includes(SECRET), `${table}: ${row}`)
      }
    }
    const money = ['checkout_payments', 'service_payments', 'credit_balances', 'faucet_claims']
    for (const table of [...money, 'wallet_blocks', 'wallet_keys']) {
      assert.deepEqual(after[table], before[table], table)
    }
    const counted = ['checkouts', 'wallets', 'email_payments', 'credit_entries', 'checkout_refunds', 'usernames']
    for (const table of counted) assert.equal(after[table]!.length, before[table]!.length, table)
    const others = (await db.selectFrom('accounts').select('id').where('id', '<>', alice).execute()).map(({ id }) => id)
    for (const [table, rows] of Object.entries(before)) {
      const theirs = (all: readonly string[]) => all.filter((row) => others.some((id) => row.includes(id)))
      assert.deepEqual(theirs(after[table]!), theirs(rows), table)
    }
    const account = (await findAccount(db, alice))!
    assert.deepEqual([account.email, account.standing.suspendedAt !== null], [null, true])
    assert.ok((await listKeys(db, alice, 100)).every(({ revokedAt }) => revokedAt !== null))
    const told = await listActivities(db, { accountId: alice }, { before: undefined, limit: 100 })
    assert.ok(told.some(({ what, actor }) => what === 'account.erased' && actor === OPERATOR.id))
  })

  test('the title and website of an erased shop stayed in the public list of names until every gateway was restarted', async (t) => {
    const { ctx, clock, alice, erase } = await openAlice(t, engine)
    const noNames = { names: [], aliases: [], reserved: [] }
    const book = new NameIndex({ ...ctx, builtIn: noNames, onError: (error) => assert.fail(String(error)) })
    t.after(() => book.stop())
    await book.start()
    const names = () => JSON.stringify(book.known())
    assert.ok(names().includes(WORDS))
    await finish(ctx.db)
    await erase()
    const left = await ctx.db.selectFrom('usernames').select(['name', 'indexed']).execute()
    assert.equal(left.find(({ name }) => name === alice)!.indexed, 0)
    await until(() => {
      if (!names().includes(WORDS)) return true
      clock.advance(1_000)
      return false
    })
  })

  test('the passkeys and recovery codes of an employee outlived the only shop that this person was in', async (t) => {
    const { db, alice, erase } = await openAlice(t, engine)
    await finish(db)
    const { email, ...eve } = { email: 'eve@example.com', account_id: alice, id: 'mem_eve' }
    const copy = async (table: 'members' | 'passkeys' | 'recovery_codes', change: object) =>
      db
        .insertInto(table)
        .values({ ...(await rowsOf(db, table))[0]!, email, ...change })
        .execute()
    await copy('members', eve)
    await copy('passkeys', { id: 'psk_eve', credential_id: 'eve' })
    await copy('recovery_codes', { code_hash: 'eve' })
    await erase()
    const left = Object.entries(await dump(db)).filter(([, rows]) => rows.some((row) => row.includes(email)))
    assert.deepEqual(left, [])
  })

  test('a mail on its way to john.doe stays when john_doe is erased; links that contain the erased address are deleted', async (t) => {
    const { db, alice, erase } = await openAlice(t, engine)
    await finish(db)
    await db.updateTable('accounts').set({ email: 'al_ce@example.com' }).where('id', '=', alice).execute()
    const links = ['proof al_ce@example.com', 'invited acc_x al_ce@example.com', 'invited acc_x alice@example.com']
    const [link] = await db.selectFrom('sign_in_links').selectAll().execute()
    const [job] = await db.selectFrom('jobs').selectAll().where('kind', '=', 'mail.send').execute()
    await db.deleteFrom('sign_in_links').execute()
    const rows = links.map((email, at) => ({ ...link!, token_hash: `t${at}`, email }))
    await db.insertInto('sign_in_links').values(rows).execute()
    const payload = '{"recipient":"alice@example.com"}'
    await db.updateTable('jobs').set({ payload }).where('id', '=', job!.id).execute()
    await erase()
    const left = await db.selectFrom('sign_in_links').select('email').execute()
    assert.deepEqual(
      left.map(({ email }) => email),
      [links[2]],
    )
    assert.equal((await db.selectFrom('jobs').select('id').where('id', '=', job!.id).execute()).length, 1)
  })

  // Otherwise the erasure of one shop would let a mail open another.
  test('passkeys of a person go with their last account, and are exported with any', async (t) => {
    const { db, erase } = await openAlice(t, engine)
    await finish(db)
    const bob = await db.selectFrom('members').selectAll().where('email', '=', 'bob@example.com').executeTakeFirst()
    const guest = { ...bob!, id: 'mem_guest', email: 'alice@example.com', role: 'reader' } as const
    await db.insertInto('members').values(guest).execute()
    const person = { email: 'alice@example.com', emailHash: undefined }
    const listed = []
    for await (const { table } of exportPerson(db, person)) listed.push(table)
    assert.ok(listed.includes('passkeys') && listed.includes('recovery_codes'))
    const left = async () => (await rowsOf(db, 'passkeys')).filter(({ email }) => email === person.email).length
    await erase()
    assert.equal(await left(), 1)
    await db.updateTable('members').set({ ended_at: 1 }).where('id', '=', 'mem_guest').execute()
    await erasePerson(db, person, signal)
    assert.equal(await left(), 0)
  })

  test('a person whom others have named is taken out where nothing waits for it any more', async (t) => {
    const { ctx } = await openFresh(t, engine)
    await fill(ctx)
    const { db } = ctx
    const [over, open] = (await db.selectFrom('checkouts').select('id').orderBy('id').execute()).map(({ id }) => id)
    await db.updateTable('checkouts').set({ notify: 'Buyer@example.com', status: 'pending' }).execute()
    await db.updateTable('checkouts').set({ status: 'expired' }).where('id', '=', over!).execute()
    const [gone, claimable] = (await db.selectFrom('email_recipients').select('id').orderBy('id').execute()).map(
      ({ id }) => id,
    )
    await db.updateTable('email_recipients').set({ email_hash: 'hash of buyer', status: 'sent' }).execute()
    await db.updateTable('email_recipients').set({ status: 'claimed' }).where('id', '=', gone!).execute()
    const person = { email: 'buyer@example.com', emailHash: 'hash of buyer' }
    const listed = []
    for await (const { table } of exportPerson(db, person)) listed.push(table)
    // Whoever asked for their data got nothing about orders, subscriptions and shares that were still open.
    const three = (table: string) => [table, table, table]
    assert.deepEqual(listed.sort(), ['checkout_buyers', 'checkouts', 'email_recipients'].flatMap(three))
    const needed = await erasePerson(db, person, signal)
    assert.deepEqual(needed, ['2 checkouts', '2 checkout_buyers', '2 email_recipients'])
    const notify = async (id: string) =>
      (await db.selectFrom('checkouts').select('notify').where('id', '=', id).executeTakeFirst())!.notify
    assert.deepEqual([await notify(over!), await notify(open!)], [null, 'Buyer@example.com'])
    const buyers = await db.selectFrom('checkout_buyers').select(['checkout_id', 'email']).execute()
    const buyerOf = (id: string) => buyers.find((row) => row.checkout_id === id)!.email
    assert.deepEqual([buyerOf(over!), buyerOf(open!)], [null, 'buyer@example.com'])
    const recipients = await db.selectFrom('email_recipients').select(['id', 'email', 'email_hash']).execute()
    const hashOf = (id: string) => recipients.find((row) => row.id === id)!.email_hash
    assert.deepEqual([hashOf(gone!), hashOf(claimable!)], [null, 'hash of buyer'])
  })
})

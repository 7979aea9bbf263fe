import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { type StoreCtx, inTx } from '../../src/kernel/in-tx.ts'
import { createAccount, issueKey, listEntries } from '../../src/modules/accounts/index.ts'
import { type Activity, listActivities } from '../../src/modules/accounts/activity/store.ts'
import { insertAudit } from '../../src/modules/accounts/store.ts'
import { countLate, gatherStats } from '../../src/modules/checkout/index.ts'
import { countMadeDays } from '../../src/modules/checkout/sums-store.ts'
import { listCheckouts } from '../../src/modules/checkout/report-store.ts'
import type { Filter } from '../../src/modules/checkout/sums-store.ts'
import { listKeylessPaid, type Payment, insertPayment } from '../../src/modules/checkout/payments-store.ts'
import { ANONYMOUS } from '../../src/modules/checkout/record.ts'
import {
  type EmailPayment,
  insertPayment as insertEmailPayment,
  listEmailPayments,
} from '../../src/modules/email/store.ts'
import { countFailing, recordEvent } from '../../src/modules/webhooks/index.ts'
import { listDisabled, disableWebhook, insertAttempts } from '../../src/modules/webhooks/deliveries-store.ts'
import { listNewestEvents } from '../../src/modules/webhooks/domain/list-events.ts'
import { insertWallet } from '../../src/modules/wallets/store.ts'
import { addCheckout, toCheckoutCtx } from '../support/checkout-context.ts'
import { forEachEngine } from '../support/engines.ts'

/* Queries of the dashboard, on both engines: they must return the account's own rows and no others. */

const DAY = 86_400_000
const TERMS = { refundAddress: null, metadata: null, expiresAt: null }
const ENCRYPTED = { version: 1, masterKeyId: 'key-1', wrappedDataKey: 'AA==', encryptedKey: 'AA==' } as const

async function addEvent(ctx: StoreCtx, accountId: string, id: string): Promise<string> {
  const webhooks = { ...ctx, secrets: openSecretBox(ctx.random.bytes(32), ctx.random) }
  const url = 'https://shop.example/hook?secret=1'
  const event = { id, accountId, subject: id, type: 'ping', dedupeKey: id, body: '{}', url, secret: null }
  await inTx(webhooks, (tx) => recordEvent(tx, event))
  const { id: delivery } = await ctx.db
    .selectFrom('deliveries')
    .select('id')
    .where('event_id', '=', id)
    .executeTakeFirstOrThrow()
  return delivery
}

forEachEngine((engine, open) => {
  test('checkouts are found by each filter, and only those of their owner', async (t) => {
    const { db } = (await open(t)).ctx
    await addCheckout(db, 'a1', { title: 'Blue 100% Mug', metadata: '{"order":"A-17","paid":true}', created_at: DAY })
    const late = { status: 'expired', additional_status: 'paid_late' } as const
    await addCheckout(db, 'a2', { title: 'Blue_mug', ...late, created_at: DAY })
    await addCheckout(db, 'a3', { mode: 'unique_address', currency: 'USD', payer: 'nano_p', created_at: 2 * DAY })
    await addCheckout(db, 'a4', { status: 'complete', block_hash: 'AB', created_at: 2 * DAY + 1 })
    await addCheckout(db, 'b1', { owner: 'acc_b', title: 'Blue mug', payer: 'nano_p', created_at: DAY })
    const find = async (filter: Filter) => {
      const found = await listCheckouts(db, engine, { owner: 'acc_a', ...filter }, { limit: 10 })
      return found.map(({ id }) => id).sort()
    }
    assert.deepEqual(await find({ text: 'blue' }), ['a1', 'a2'])
    assert.deepEqual(await find({ text: '100%' }), ['a1'])
    assert.deepEqual(await find({ text: 'e_m' }), ['a2'], 'what is typed is text, not a pattern')
    assert.deepEqual(await find({ text: 'A3' }), ['a3'])
    assert.deepEqual(await find({ text: 'nano_p' }), ['a3'])
    assert.deepEqual(await find({ text: 'ab' }), ['a4'])
    assert.deepEqual(await find({ additional: 'paid_late' }), ['a2'])
    assert.deepEqual(await find({ mode: 'unique_address' }), ['a3'])
    assert.deepEqual(await find({ currency: 'USD' }), ['a3'])
    assert.deepEqual(await find({ metadata: [['order', 'A-17']] }), ['a1'])
    assert.deepEqual(await find({ from: 2 * DAY, to: 3 * DAY }), ['a3', 'a4'])
    assert.equal(await countLate(db, 'acc_a'), 1)
    assert.equal(await countLate(db, 'acc_b'), 0)
    const days = await countMadeDays(db, { owner: 'acc_a', since: DAY })
    assert.deepEqual(
      days.sort((a, b) => a.day - b.day),
      [
        { day: 1, made: 2, completed: 0 },
        { day: 2, made: 2, completed: 1 },
      ],
    )
  })

  test('the chart of a merchant ends today and begins 29 days before, each day with what was made on it', async (t) => {
    const { ctx, clock } = await open(t)
    const { db } = ctx
    const today = Math.floor(clock.now() / DAY)
    const toDate = (day: number) => new Date(day * DAY).toISOString().slice(0, 10)
    await addCheckout(db, 'c1', { created_at: today * DAY })
    await addCheckout(db, 'c2', { created_at: (today - 2) * DAY })
    await addCheckout(db, 'c3', { created_at: (today - 30) * DAY })
    const { days } = await gatherStats(toCheckoutCtx(ctx, engine), 'acc_a')
    assert.deepEqual(
      days.map(({ date }) => date),
      Array.from({ length: 30 }, (_, at) => toDate(today - 29 + at)),
    )
    assert.deepEqual(
      days.filter(({ made }) => made > 0).map(({ date, made }) => [date, made]),
      [
        [toDate(today - 2), 1],
        [toDate(today), 1],
      ],
    )
  })

  test('a payment that fitted nothing of its shop names the checkout without a key that it has paid', async (t) => {
    const { db } = (await open(t)).ctx
    const usual = { address: 'nano_m', payer: 'nano_p', amountRaw: toRaw(1n), plan: null, rate: null, rateSource: null }
    const pay = (owner: string, blockHash: string, paid: Pick<Payment, 'kind' | 'checkoutId'>) =>
      insertPayment(db, { ...usual, ...paid, owner, blockHash, at: 1, createdAt: 1 })
    const keyless = { kind: 'counted', checkoutId: 'c1' } as const
    await pay(ANONYMOUS, 'A1', keyless)
    await pay(ANONYMOUS, 'A2', { kind: 'unmatched', checkoutId: null })
    await pay(ANONYMOUS, 'A3', keyless)
    await pay('acc_b', 'A4', keyless)
    const named = await listKeylessPaid(db, ['A1', 'A2', 'A4'])
    assert.deepEqual([...named], [['A1', 'c1']])
    assert.equal((await listKeylessPaid(db, [])).size, 0)
  })

  test('events come newest first, page by page, with what was tried; failures are counted by day', async (t) => {
    const { ctx } = await open(t)
    const { db } = ctx
    const ids = ['evt_1', 'evt_2', 'evt_3']
    const deliveries: string[] = []
    for (const id of ids) deliveries.push(await addEvent(ctx, 'acc_a', id))
    await addEvent(ctx, 'acc_b', 'evt_other')
    const tried = { milliseconds: 1, response: '', headers: null }
    await insertAttempts(db, [{ delivery_id: deliveries[0]!, attempt: 1, status: 204, error: null, at: DAY, ...tried }])
    await insertAttempts(db, [
      { delivery_id: deliveries[1]!, attempt: 1, status: 500, error: null, at: DAY + 5, ...tried },
    ])
    await insertAttempts(db, [
      { delivery_id: deliveries[1]!, attempt: 2, status: null, error: 'timeout', at: 2 * DAY, ...tried },
    ])
    await db.updateTable('deliveries').set({ state: 'dead' }).where('id', '=', deliveries[1]!).execute()
    await disableWebhook(db, { owner: 'acc_a', url: 'https://shop.example/hook' }, 7)
    const page = async (beforePosition: number) => {
      const { events, hasMore } = await listNewestEvents(
        { db },
        { accountId: 'acc_a', beforePosition, delivered: undefined, limit: 2 },
      )
      return { ids: events.map(({ id }) => id), hasMore, last: events.at(-1)!, tries: events[0]!.deliveries.length }
    }
    const first = await page(Number.MAX_SAFE_INTEGER)
    assert.deepEqual([first.ids, first.hasMore, first.tries], [['evt_3', 'evt_2'], true, 1])
    const second = await page(first.last.position!)
    assert.deepEqual([second.ids, second.hasMore], [['evt_1'], false])
    assert.equal(second.last.url, 'https://shop.example/hook', 'without its query, which may hold a secret')
    assert.deepEqual(await countFailing(db, 'acc_a'), { retrying: 0, dead: 1 })
    assert.deepEqual(await countFailing(db, 'acc_b'), { retrying: 0, dead: 0 })
    assert.deepEqual(await listDisabled(db, 'acc_a', 10), [{ url: 'https://shop.example/hook', at: 7 }])
  })

  test('what happened to an account is listed newest first and goes on where it stopped', async (t) => {
    const { ctx, clock } = await open(t)
    const { id: accountId } = await createAccount(ctx, { email: 'a@example.com', role: 'user', actor: OPERATOR })
    await createAccount(ctx, { email: 'b@example.com', role: 'user', actor: OPERATOR })
    for (const name of ['One', 'Two', 'Three']) {
      clock.advance(name === 'Two' ? 0 : 1)
      await issueKey(ctx, { accountId, kind: 'secret', name, actor: OPERATOR })
    }
    const seen: string[] = []
    for (let before: { at: number; id: string } | undefined; ;) {
      const page = await listActivities(ctx.db, { accountId }, { before, limit: 2 })
      seen.push(...page.map(({ what, detail }) => `${what} ${String(detail.name ?? '')}`))
      before = page.at(-1)
      if (page.length < 2) break
    }
    assert.equal(seen.length, 4)
    assert.equal(seen[0], 'key.issued Three')
    assert.equal(seen[3], 'account.created ')
    assert.deepEqual(await listEntries(ctx.db, accountId, 10), [])
  })

  test('rows of one millisecond are neither missing from pages nor repeated', async (t) => {
    const { ctx, clock } = await open(t)
    const { db } = ctx
    // The order of writing differs from that of the ids.
    const written = ['3', 'e', '1', 'c', '5', 'a', '7', '9', '8', '6'].map((digit) => digit.repeat(16))
    const newestFirst = written.toSorted().reverse()
    const inPages = async <T extends { id: string }>(read: (last: T | undefined, limit: number) => Promise<T[]>) => {
      const ids: string[] = []
      for (let page = await read(undefined, 3); page.length > 0; page = await read(page.at(-1), 3)) {
        ids.push(...page.map(({ id }) => id))
        assert.ok(ids.length <= written.length, ids.join())
      }
      return ids
    }
    const { id: accountId } = await createAccount(ctx, { email: null, role: 'user', actor: OPERATOR })
    const now = clock.now()
    for (const id of written) {
      const made = { id, accountId, address: `nano_${id}`, createdAt: now }
      await insertWallet(db, { ...made, purpose: 'email', ...TERMS }, ENCRYPTED)
      const amounts = { subtotal: toRaw(1n), fee: toRaw(1n), recipients: 1, refundAddress: 'nano_m' }
      const texts = { sender: null, message: null, receipt: null }
      const times = { lifetimeMilliseconds: DAY, fundBy: now + DAY, dueAt: now }
      await insertEmailPayment(db, { ...made, walletId: id, ...amounts, ...texts, ...times })
      const entry = { actor: OPERATOR, accountId, what: 'key.issued', detail: {} }
      await insertAudit({ db, clock, ids: { next: () => id } }, entry)
    }
    assert.deepEqual(
      await inPages<EmailPayment>((after, limit) => listEmailPayments(db, { accountId, limit, after })),
      newestFirst,
    )
    assert.deepEqual(
      await inPages<Activity>((before, limit) => listActivities(db, { accountId, kind: 'key' }, { before, limit })),
      newestFirst,
    )
  })
})

import { type CompiledQuery, sql } from 'kysely'
import {
  claimJobs,
  countUnfinished,
  deleteDead,
  deleteDone,
  openDueKinds,
  openNextRun,
} from '../../src/infra/jobs/queue.ts'
import type { Db } from '../../src/kernel/db.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { toRaw } from '../../src/kernel/money.ts'
import {
  deleteEndedReservations,
  listExpiredReservations,
  listEntries,
} from '../../src/modules/accounts/credits-store.ts'
import { deleteEndedUses, findFreeUse } from '../../src/modules/accounts/free-uses-store.ts'
import { deleteExpiredAnswers, findSeenRequest } from '../../src/modules/accounts/idempotency-store.ts'
import { isSessionEnded } from '../../src/modules/accounts/sessions-store.ts'
import { listActivities } from '../../src/modules/accounts/activity/store.ts'
import { deleteOldLinks, findAccount, findKeyByHash } from '../../src/modules/accounts/store.ts'
import { listUnauthorized } from '../../src/modules/billing/store.ts'
import { listReserved, listSumming, listWaiting } from '../../src/modules/checkout/claims-store.ts'
import { forgetNotify, lockUnpaid } from '../../src/modules/checkout/forget-store.ts'
import { listPayments, listRecorded, listUnmatched } from '../../src/modules/checkout/payments-store.ts'
import { listDueRefunds } from '../../src/modules/checkout/refunds/store.ts'
import { sumRefunds, countByStatus, countLate, listCheckouts } from '../../src/modules/checkout/report-store.ts'
import { deleteReleased } from '../../src/modules/checkout/reservations-store.ts'
import { findCheckout, listNextExpiries, listOverdue, listStuck, countOpen } from '../../src/modules/checkout/store.ts'
import { listFresh } from '../../src/modules/checkout/watch-store.ts'
import { claimScans, hasDueScans } from '../../src/modules/checkout/scans-store.ts'
import {
  listDuePayments,
  listForgettable,
  countRecipientsSince,
  listEmailPayments,
} from '../../src/modules/email/store.ts'
import { forgetVisitors, countShare } from '../../src/modules/links/orders-store.ts'
import { listSubscriptions } from '../../src/modules/links/subscriptions/store.ts'
import { deleteExpiredSwaps } from '../../src/modules/swap/store.ts'
import {
  forgetBodies,
  listEventsAbout,
  listEventsAfter,
  deleteOldEvents,
  listEventsBefore,
} from '../../src/modules/webhooks/store.ts'
import { countOwed, listBlocks, listSentAmounts } from '../../src/modules/wallets/outbox-store.ts'
import { readUnfinished } from '../../src/modules/wallets/unfinished-store.ts'
import { countTroubled } from '../../src/modules/webhooks/watches/store.ts'
import { deleteExpiredWorks } from '../../src/modules/work/store.ts'
import { forgetPayments, findUnderWay } from '../../src/modules/x402/store.ts'
import { deleteOldSpends } from '../../src/modules/accounts/spends-store.ts'
import { deleteOldRequests, listRequests } from '../../src/modules/accounts/requests/store.ts'
import { findLatestClaim } from '../../src/modules/faucet/store.ts'
import { paymentLinks } from '../../src/modules/links/payment-link.ts'
import { findSaleByKey, listSales } from '../../src/modules/pos/sales-store.ts'
import { lockFunds } from '../../src/modules/wallets/funds-store.ts'
import { listHolding, listLeastLookedAt, listOwnedWallets } from '../../src/modules/wallets/store.ts'
import { listDueWallets } from '../../src/modules/wallets/ending-store.ts'
import { countOpenBlocks, listUnsettled } from '../../src/modules/wallets/unsettled-store.ts'
import {
  countFailing,
  countUndelivered,
  listDeliveries,
  listStuck as listStuckDeliveries,
} from '../../src/modules/webhooks/deliveries-store.ts'

/* The queries of requests, payments, jobs and dashboard pages. */

/** Ids used in the queries. */
export interface Known {
  accountId: string
  keyId: string
  checkoutId: string
  address: string
  walletId: string
  linkId: string
  posId: string
  eventId: string
  now: number
  limit: number
}

type Ask = (db: Db, engine: StoreEngine, known: Known) => Promise<unknown>

export const HOT: Readonly<Record<string, Ask>> = {
  'a key': (db) => findKeyByHash(db, 'h'),
  'an account': (db, _, known) => findAccount(db, known.accountId),
  'a session': (db) => isSessionEnded(db, 's'),
  'a repeated request': (db, _, known) => findSeenRequest(db, { accountId: known.accountId, action: 'b', key: 'c' }),
  'free uses': (db, _, known) => findFreeUse(db, { caller: 'c', meter: 'm', now: known.now }),
  'a checkout': (db, _, known) => findCheckout(db, known.checkoutId),
  'who waits at an address': (db, _, known) => listWaiting(db, known.address, 'h'),
  'whose amount it is': (db, _, known) => listReserved(db, known.address, toRaw(1n)),
  'who sums at an address': (db, _, known) => listSumming(db, { address: known.address, now: known.now }),
  'blocks that are recorded': (db) => listRecorded(db, ['h']),
  'payments of a checkout': (db, _, known) => listPayments(db, known.checkoutId),
  'checkouts that are over': (db, _, known) =>
    listOverdue(db, { address: known.address, expiresBefore: known.now, limit: known.limit }),
  'the next ends of checkouts': (db) => listNextExpiries(db, ['a', 'b']),
  'blocks without an end': (db, _, known) => listStuck(db, { detectedBefore: known.now, limit: known.limit }),
  'whether a look is due': (db, _, known) => hasDueScans(db, known.now),
  'looks that are due': (db, engine, known) =>
    claimScans(db, engine, { now: known.now, leaseUntil: known.now, limit: known.limit }),
  'fresh addresses': (db, _, known) => listFresh(db, { since: known.now, after: '', limit: known.limit }),
  'refunds in a report': (db, engine, known) => sumRefunds(db, engine, { owner: known.accountId }),
  'refunds that are due': (db, _, known) => listDueRefunds(db, known.now, known.limit),
  'payments by e-mail that are due': (db, _, known) => listDuePayments(db, known.now, known.limit),
  'orders that wait': (db, _, known) => listUnauthorized(db, known.now, known.limit),
  'kinds of jobs that are due': (db, _, known) => openDueKinds(['webhooks.deliver', 'b'])(db, known.now),
  'when the next job is due': (db, _, known) => openNextRun(['webhooks.deliver', 'b'])(db, known.now),
  'jobs that are due': (db, engine, known) =>
    claimJobs(db, engine, {
      kind: 'webhooks.deliver',
      limit: known.limit,
      now: known.now,
      leaseMilliseconds: known.now,
    }),
  'jobs for the metrics': (db) => countUnfinished(db),
  'events of an account': (db, _, known) =>
    listEventsAfter(db, { accountId: known.accountId, afterPosition: 0, delivered: undefined, limit: known.limit }),
  'events about a checkout': (db, _, known) =>
    listEventsAbout(db, { subject: known.checkoutId, accountId: known.accountId, limit: known.limit }),
  'forgetting answers': (db, _, known) => deleteExpiredAnswers(db, known.now, known.limit),
  'forgetting free uses': (db, _, known) => deleteEndedUses(db, known.now, known.limit),
  'forgetting links to sign in': (db, _, known) => deleteOldLinks(db, known.now, known.limit),
  'forgetting reservations of credits': (db, _, known) => deleteEndedReservations(db, known.now, known.limit),
  'forgetting done jobs': (db, _, known) => deleteDone(db, known.now, known.limit),
  'forgetting dead jobs': (db, _, known) =>
    deleteDead(db, { before: known.now, kinds: ['webhooks.deliver'], limit: known.limit }),
  'forgetting bodies': (db, _, known) => forgetBodies(db, known.now, known.limit),
  'forgetting amounts': (db, _, known) => deleteReleased(db, known.now, known.limit),
  'forgetting unpaid checkouts': (db, engine, known) =>
    lockUnpaid(db, engine, { watchedBefore: known.now, after: undefined, limit: known.limit }),
  'forgetting whom to mail': (db, _, known) => forgetNotify(db, known.now, known.limit),
  'watches that are stuck': (db, _, known) => countTroubled(db, { accountId: known.accountId, endpointId: 'e' }),
  'forgetting visitors': (db, _, known) => forgetVisitors(db, known.now, known.limit),
  'forgetting swaps': (db, _, known) => deleteExpiredSwaps(db, known.now, known.limit),
  'forgetting payments by e-mail': (db, _, known) => listForgettable(db, known.now, known.limit),
  'forgetting payments by request': (db, _, known) =>
    forgetPayments(db, { answersUntil: known.now, rowsUntil: known.now, limit: known.limit }),
  'forgetting work': (db, _, known) => deleteExpiredWorks(db, known.now, known.limit),
  'credits that were set aside': (db, _, known) => listExpiredReservations(db, known.now, known.limit),
  'what a payer has under way': (db) => findUnderWay(db, 'n', 'p'),
  'a claim of the faucet': (db, _, known) => findLatestClaim(db, known.accountId, known.address),
  'open checkouts of an address': (db, _, known) =>
    countOpen(db, {
      address: known.address,
      owner: known.accountId,
      keyId: known.keyId,
      max: known.limit,
    }),
  'checkouts paid late': (db, _, known) => countLate(db, known.accountId),
  'checkouts by status': (db, engine, known) => countByStatus(db, engine, { owner: known.accountId }),
  'what was sent in a day': (db, _, known) => listSentAmounts(db, known.accountId, known.now),
  'money of a wallet': (db, _, known) => lockFunds(db, known.walletId),
  'what a wallet has not finished': (db, _, known) => readUnfinished(db, known.walletId),
  'what a wallet owes': (db, _, known) => countOwed(db, known.walletId),
  'wallets with something to do': (db, _, known) => listUnsettled(db, known.limit),
  'wallets with money of a merchant': (db, _, known) =>
    listHolding(db, { purpose: 'checkout', after: '', limit: known.limit }),
  'blocks on their way': (db) => countOpenBlocks(db),
  'wallets at their end': (db, _, known) => listDueWallets(db, known.now, known.limit),
  'wallets to look at': (db, _, known) =>
    listLeastLookedAt(db, { ended: false, before: known.now, limit: known.limit }),
  'ended wallets to look at': (db, _, known) =>
    listLeastLookedAt(db, { ended: true, before: known.now, limit: known.limit }),
  'recipients of a day': (db, _, known) => countRecipientsSince(db, known.accountId, known.now),
  'deliveries that got stuck': (db, _, known) => listStuckDeliveries(db, known.now, known.limit),
  'deliveries for the metrics': (db) => countUndelivered(db),
  'failing webhooks of an account': (db, _, known) => countFailing(db, known.accountId),
  'deliveries of an event': (db, _, known) => listDeliveries(db, [known.eventId]),
  'events to forget': (db, _, known) => deleteOldEvents(db, 1, known.limit),
  'a sale at a point of sale': (db, _, known) => findSaleByKey(db, known.posId, 's'),
  'what a visitor has open': (db, _, known) => countShare(db, { linkId: known.linkId, visitor: 'v', since: known.now }),
  'forgetting requests': (db, _, known) => deleteOldRequests(db, 1, known.limit),
  'forgetting what keys spent': (db, _, known) => deleteOldSpends(db, '2000-01-01', known.limit),
}

/** Paged lists: an index must give their order, or each page would sort all rows of the account. */
export const SORTED: Readonly<Record<string, Ask>> = {
  'activity of an account': (db, _, known) =>
    listActivities(db, { accountId: known.accountId }, { before: undefined, limit: known.limit }),
  'requests of an account': (db, _, known) =>
    listRequests(db, { accountId: known.accountId }, { before: undefined, limit: known.limit }),
  'checkouts of an account': (db, engine, known) =>
    listCheckouts(db, engine, { owner: known.accountId }, { limit: known.limit }),
  'checkouts of everybody': (db, engine, known) => listCheckouts(db, engine, {}, { limit: known.limit }),
  'payments that fit nothing': (db, _, known) => listUnmatched(db, { owner: known.accountId, limit: known.limit }),
  'entries of credits': (db, _, known) => listEntries(db, known.accountId, known.limit),
  'payments by e-mail': (db, _, known) => listEmailPayments(db, { accountId: known.accountId, limit: known.limit }),
  'the newest events': (db, _, known) =>
    listEventsBefore(db, {
      accountId: known.accountId,
      beforePosition: Number.MAX_SAFE_INTEGER,
      delivered: undefined,
      limit: known.limit,
    }),
  'blocks of a wallet': (db, _, known) => listBlocks(db, known.walletId, known.limit),
  'wallets of an account': (db, _, known) => listOwnedWallets(db, known.accountId, known.limit),
  'sales of a point of sale': (db, _, known) =>
    listSales(db, { posId: known.posId, from: 0, to: known.now }, known.limit),
  'links of an account': (db, _, known) => paymentLinks.list(db, { owner: known.accountId, limit: known.limit }),
  'subscriptions of an account': (db, _, known) =>
    listSubscriptions(db, { owner: known.accountId, limit: known.limit }),
  'subscriptions in a state': (db, _, known) =>
    listSubscriptions(db, { owner: known.accountId, status: 'due', limit: known.limit }),
}

/** The statements that a domain function runs. */
export async function statementsOf(db: Db, ask: (db: Db) => Promise<unknown>): Promise<CompiledQuery[]> {
  const seen: CompiledQuery[] = []
  const watched = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const executor = watched.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  executor.executeQuery = <R>(query: CompiledQuery<R>) => {
    seen.push(query)
    return execute(query)
  }
  await ask(watched)
  return seen
}

/** The engine's query plan, with sequential scans disabled where possible. */
export function explain(db: Db, engine: StoreEngine, query: CompiledQuery): Promise<string[]> {
  return db.connection().execute(async (connection) => {
    if (engine === 'sqlite') {
      const { rows } = await connection.executeQuery<{ detail: string }>({
        ...query,
        sql: `explain query plan ${query.sql}`,
      })
      return rows.map(({ detail }) => detail)
    }
    await sql`set enable_seqscan = off`.execute(connection)
    const { rows } = await connection.executeQuery<Record<string, string>>({ ...query, sql: `explain ${query.sql}` })
    await sql`reset enable_seqscan`.execute(connection)
    return rows.map((row) => row['QUERY PLAN']!)
  })
}

export const TABLE_SCAN =
  /^SCAN (?!CONSTANT|\d+ CONSTANT|kinds|\(|due|open|closed|some|sends|receives)\S+(?! USING)$|Seq Scan on/

export const SORTING = /^USE TEMP B-TREE FOR ORDER BY|Sort Key/

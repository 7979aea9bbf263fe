import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toRaw } from '../../src/kernel/money.ts'
import type { CheckoutsTable } from '../../src/modules/checkout/record.ts'
import * as changes from '../../src/modules/checkout/changes-store.ts'
import { markAssigned } from '../../src/modules/checkout/payments-store.ts'
import * as refunds from '../../src/modules/checkout/refunds/store.ts'
import { takeInvoiceNumber } from '../../src/modules/checkout/invoices/numbers.ts'
import { forgetNotify } from '../../src/modules/checkout/forget-store.ts'
import { deleteReleased, markSuperseded } from '../../src/modules/checkout/reservations-store.ts'
import { deleteSightings } from '../../src/modules/checkout/sightings-store.ts'
import { OPEN_STATUSES, toCheckout } from '../../src/modules/checkout/record.ts'
import { lockCheckout, lockUnchanged } from '../../src/modules/checkout/store.ts'
import * as watch from '../../src/modules/checkout/watch-store.ts'
import * as scans from '../../src/modules/checkout/scans-store.ts'
import { forEachEngine } from '../support/engines.ts'
import { fill } from '../support/filled-store.ts'
import { LATER, NOW, deletesOld, tryFunctions, trialsOn } from '../support/neighbours.ts'

/** The amount of every checkout of the fill. */
const AMOUNT = String(2n ** 128n - 1n)
const PLAN = { title: 'P', value: '1', discount: false, amountRaw: undefined } as const
const STORED_PLANS = '[{"title":"P","value":"1","discount":false,"amount_raw":null}]'
const SEEN = { hash: 'H', account: 'nano_7', amountRaw: toRaw(7n) }
const CHANGE: changes.CheckoutChange = {
  ...{ status: 'partial', additional: 'overpaid', paidRaw: toRaw(7n), priceE8: 8n, plan: 1, amountRaw: toRaw(9n) },
  ...{ plans: [PLAN], chosen: '2', paidAt: NOW, blockHash: 'H', payer: 'nano_7', invoiceNumber: 'INV-000007' },
  ...{ detected: SEEN, detectedAt: NOW, seenAt: NOW },
}
const CHANGED: Partial<CheckoutsTable> = {
  ...{ status: 'partial', additional_status: 'overpaid', paid_raw: '7', price_e8: '8', plan: 1, amount_raw: '9' },
  ...{ plans: STORED_PLANS, chosen: '2', paid_at: NOW, block_hash: 'H', payer: 'nano_7', invoice_number: 'INV-000007' },
  ...{ detected_block: '{"hash":"H","account":"nano_7","amount_raw":"7"}', detected_at: NOW, seen_at: NOW },
}
const UNSEEN = { detected: null, detectedAt: null, amountRaw: undefined }
const INVOICE = { number: null, seller: null, buyer: null, lines: [], tax: [] }
const SCAN = { scannedAt: NOW, nextScanAt: 3 * LATER, leaseUntil: LATER }

tryFunctions(
  ['checkout'],
  [
    ...trialsOn('checkout_refunds', {
      markRefund: {
        row: { status: 'sending', hash: null, sent_at: null, ended_at: null, due_at: 1 },
        run: async (db, { id }) => {
          const refund = (await refunds.findRefund(db, id))!
          const move = { status: 'sent', hash: 'H', address: 'nano_7', sentAt: NOW, endedAt: NOW, dueAt: null } as const
          return refunds.markRefund(db, { ...refund, status: 'sending' }, move)
        },
        to: { status: 'sent', hash: 'H', address: 'nano_7', sent_at: NOW, ended_at: NOW, due_at: null },
        unless: [{ status: 'sent' }, { status: 'failed' }, { status: 'claimed' }],
      },
      'markRefund of one that failed': {
        row: { status: 'created', reference: 'r', failure: null, due_at: 1 },
        run: async (db, { id }) => {
          const refund = (await refunds.findRefund(db, id))!
          return refunds.markRefund(db, refund, { status: 'failed', failure: 'wallet_busy', endedAt: NOW, dueAt: null })
        },
        to: { status: 'failed', reference: null, failure: 'wallet_busy', ended_at: NOW, due_at: null },
      },
      postponeRefund: {
        row: { due_at: 1 },
        run: (db, { id }) => refunds.postponeRefund(db, id, LATER),
        to: { due_at: LATER },
        unless: [{ due_at: null }],
      },
    }),
    ...trialsOn('checkouts', {
      forgetNotify: {
        row: { status: 'complete', notify: 'a@b.example', watched_until: NOW - 1, notified_at: 1 },
        run: (db) => forgetNotify(db, NOW, 100),
        to: { notify: null },
        means: ['notify'],
        unless: [{ watched_until: NOW }, { notified_at: null }, { status: 'pending' }],
      },
      moveRefunded: {
        row: { refunded_raw: '2', paid_raw: '9' },
        run: (db, { id }) => refunds.moveRefunded(db, { id, refundedRaw: toRaw(2n), paidRaw: toRaw(9n) }, 7n),
        to: { refunded_raw: '9', paid_raw: '9' },
        unless: [{ refunded_raw: '3' }, { paid_raw: '8' }],
      },
      lockCheckout: { row: { seq: 2 }, run: (db, { id }) => lockCheckout(db, id), to: { seq: 3 } },
      lockUnchanged: {
        row: { seq: 2 },
        run: (db, { id }) => lockUnchanged(db, { id, seq: 2 }),
        to: { seq: 3 },
        unless: [{ seq: 1 }, { seq: 3 }],
      },
      markChanged: {
        row: { status: 'pending' },
        run: (db, { id }) => changes.markChanged(db, { id, status: 'pending' }, { status: 'complete' }),
        to: { status: 'complete', paid_at: 3, block_hash: 'B', amount_raw: AMOUNT },
        unless: [{ status: 'detected' }, { status: 'complete' }, { status: 'expired' }, { status: 'cancelled' }],
      },
      'markChanged in all that can change': {
        row: { status: 'detected' },
        run: (db, { id }) => changes.markChanged(db, { id, status: 'detected' }, CHANGE),
        to: CHANGED,
      },
      'markChanged back to where nothing was seen': {
        row: { status: 'detected', detected_block: '{}' },
        run: (db, { id }) => changes.markChanged(db, { id, status: 'detected' }, UNSEEN),
        to: { status: 'detected', detected_block: null, detected_at: null, amount_raw: null },
      },
      updatePresentation: {
        run: (db, row) => changes.updatePresentation(db, row.id, { ...toCheckout(row), title: 'Tea' }),
        to: { title: 'Tea' },
      },
      updateTerms: {
        run: (db, row) => changes.updateTerms(db, { ...toCheckout(row), address: 'nano_2', price: '2', lookHeight: 9 }),
        to: { address: 'nano_2', price: '2', look_height: 9 },
      },
      updateExpiry: { run: (db, { id }) => changes.updateExpiry(db, id, LATER), to: { expires_at: LATER } },
      markServed: {
        run: (db, { id }) => changes.markServed(db, id, NOW),
        to: { served_at: NOW },
        unless: [{ served_at: 1 }],
      },
      markHidden: {
        run: (db, { id }) => changes.markHidden(db, id, NOW),
        to: { hidden_at: NOW },
        unless: [{ hidden_at: 1 }],
      },
      markNotified: {
        run: (db, { id }) => changes.markNotified(db, id, NOW),
        to: { notified_at: NOW },
        unless: [{ notified_at: 1 }],
      },
    }),
    ...trialsOn('invoice_counters', {
      takeInvoiceNumber: {
        row: { last: 7 },
        run: (db, { owner }) => takeInvoiceNumber(db, { owner, invoice: INVOICE }),
        to: { last: 8 },
      },
    }),
    ...trialsOn('checkout_payments', {
      markAssigned: {
        row: { kind: 'unmatched' },
        run: (db, { owner, block_hash: blockHash }) => markAssigned(db, { owner, blockHash, checkoutId: 'chk_1' }),
        to: { kind: 'counted', checkout_id: 'chk_1' },
        unless: [{ kind: 'counted' }, { kind: 'late' }],
      },
    }),
    ...trialsOn('checkout_reservations', {
      markSuperseded: {
        run: (db, { checkout_id: id }) => markSuperseded(db, id),
        to: { superseded: 1 },
        means: ['checkout_id'],
      },
      deleteReleased: deletesOld('release_at', (db) => deleteReleased(db, NOW), NOW),
    }),
    ...trialsOn('checkout_sightings', {
      deleteSightings: { run: (db, { address }) => deleteSightings(db, [address]), to: null, means: ['address'] },
    }),
    ...trialsOn('watched_addresses', {
      holdAddress: { run: (db, { address }) => watch.holdAddress(db, address), locks: true },
      claimScans: {
        row: { next_scan_at: NOW },
        run: (db, _, { engine }) => scans.claimScans(db, engine, { now: NOW, leaseUntil: LATER, limit: 100 }),
        to: { next_scan_at: LATER },
        means: ['next_scan_at'],
        unless: [{ next_scan_at: NOW + 1 }],
      },
      markScanned: {
        row: { next_scan_at: LATER },
        run: (db, { address }) => scans.markScanned(db, [address], SCAN),
        to: { scanned_at: NOW, next_scan_at: 3 * LATER },
      },
      'markScanned of one that somebody wants looked at meanwhile': {
        row: { next_scan_at: LATER - 1, scanned_at: NOW + 1 },
        run: (db, { address }) => scans.markScanned(db, [address], { ...SCAN, scannedAt: NOW + 2 }),
        to: { scanned_at: NOW + 2, next_scan_at: LATER - 1 },
      },
      updateFrontier: { run: (db, { address }) => scans.updateFrontier(db, address, 'F'), to: { frontier: 'F' } },
      hastenScans: {
        row: { next_scan_at: NOW + 1 },
        run: (db, { address }) => scans.hastenScans(db, [address], NOW),
        to: { next_scan_at: NOW },
        unless: [{ next_scan_at: NOW }, { next_scan_at: 1 }],
      },
      // Of three addresses in order, a page of one after the first is the second.
      hastenPage: {
        row: { next_scan_at: NOW + 1, scanned_at: NOW },
        run: async (db, row, { others }) => {
          const last = await scans.hastenPage(db, { at: NOW, after: others[0]!.address, limit: 1 })
          assert.equal(last, row.address)
        },
        to: { next_scan_at: NOW },
        unless: [{ next_scan_at: NOW }, { next_scan_at: 1 }, { scanned_at: NOW + 1 }],
      },
      'hastenPage of the last page': {
        row: { next_scan_at: NOW + 1 },
        run: (db) => scans.hastenPage(db, { at: NOW, after: '', limit: 100 }),
        to: { next_scan_at: NOW },
        means: ['next_scan_at'],
      },
    }),
  ],
  // Tested in test/stores/retention.test.ts, with rows of other tables that keep a checkout; markReceipt in buyers.test.ts.
  ['deleteUnwatched', 'deleteUnpaid', 'markReceipt'],
)

forEachEngine((_, openFreshStore) => {
  test('an address and its amounts are free when their time is over, and never under an open checkout', async (t) => {
    for (const status of OPEN_STATUSES) {
      const { ctx } = await openFreshStore(t)
      await fill(ctx)
      const { db } = ctx
      const found = await db.selectFrom('watched_addresses').select('address').orderBy('address').execute()
      const [over, open, later] = found.map(({ address }) => address)
      for (const address of [over!, open!, later!]) {
        const end = address === later ? NOW + 1 : NOW
        await db.updateTable('watched_addresses').set({ watched_until: end }).where('address', '=', address).execute()
        await db.updateTable('checkout_watchers').set({ watched_until: end }).where('address', '=', address).execute()
        await db.updateTable('checkout_reservations').set({ release_at: end }).where('address', '=', address).execute()
      }
      await db.updateTable('checkouts').set({ status }).where('address', '=', open!).execute()
      const owner = 'whose checkout there is over'
      const guest = { address: open!, owner, since: 1, watched_until: NOW, look: 1, look_height: 7 }
      await db.insertInto('checkout_watchers').values(guest).execute()
      await deleteReleased(db, NOW)
      await watch.deleteUnwatched(db, NOW)
      const tables = ['watched_addresses', 'checkout_sightings', 'checkout_watchers', 'checkout_reservations'] as const
      for (const table of tables) {
        const left = await db.selectFrom(table).select('address').orderBy('address').execute()
        const addresses = left.map(({ address }) => address)
        assert.deepEqual(addresses, [open, later], `${table} under a checkout that is ${status}`)
      }
    }
  })
})

import type { Selectable } from 'kysely'
import type { UsernamesTable } from '../../src/modules/names/name.ts'
import type { X402PaymentsTable } from '../../src/modules/x402/store.ts'
import * as billing from '../../src/modules/billing/store.ts'
import * as recipients from '../../src/modules/email/recipients-store.ts'
import * as email from '../../src/modules/email/store.ts'
import * as names from '../../src/modules/names/store.ts'
import { deleteExpiredSwaps, findSwap, markSwap } from '../../src/modules/swap/store.ts'
import * as x402 from '../../src/modules/x402/store.ts'
import { ANOTHER, LATER, NOW, deletesOld, tryFunctions, trialsOn } from '../support/neighbours.ts'

const OVER = [{ status: 'completed' }, { status: 'expired' }] as const
const DECIDED = [{ status: 'claimed' }, { status: 'refunded' }] as const
const FREE = { state: 'pending', fence: 3, lease_until: NOW } as const
const TERM = { now: NOW, leaseUntil: LATER }
const NOT_OVER = [{ state: 'claimed' }, { state: 'pending' }, { state: 'settled' }, { state: 'action_failed' }] as const
const NO_UNTIL = { answersUntil: -1, rowsUntil: -1 }

/** The claim of a payment, or the payment as read earlier. */
const claimOf = ({ block_hash: hash, fence }: Selectable<X402PaymentsTable>) => ({ hash, fence })
const readBy = (row: Selectable<X402PaymentsTable>) =>
  ({ ...claimOf(row), state: row.state }) as unknown as x402.StoredPayment
const leaseOf = (row: Selectable<UsernamesTable>) => ({
  ...{ key: row.name, name: row.display, owner: row.owner, accountId: row.account_id, createdAt: row.created_at },
  ...{ address: 'nano_9', expiresAt: LATER, graceUntil: LATER, profile: { title: 'T' }, changedAt: NOW },
  indexed: false,
})

tryFunctions(
  ['billing', 'names', 'usernames', 'swap', 'faucet', 'email', 'x402'],
  [
    ...trialsOn('service_orders', {
      lockOrder: { run: (db, { checkout_id: id }) => billing.lockOrder(db, id), locks: true },
      updateDetail: {
        run: (db, { checkout_id: id }) => billing.updateDetail(db, id, { a: 1 }),
        to: { detail: '{"a":1}' },
      },
    }),
    ...trialsOn('service_payments', {
      updateSettled: {
        run: (db, { block_hash: hash }) =>
          billing.updateSettled(db, hash, { outcome: 'applied', reason: null, what: 'a name', accountId: null }),
        to: { outcome: 'applied', reason: null, what: 'a name', account_id: null },
      },
      markReleased: {
        run: (db, { block_hash: hash }) => billing.markReleased(db, hash),
        to: { outcome: 'refunded' },
        unless: [{ outcome: 'applied' }, { outcome: 'refunded' }, { outcome: 'unauthorized' }],
      },
    }),
    ...trialsOn('usernames', {
      lockLease: { run: (db, { name }) => names.lockLease(db, name), locks: true },
      updateLease: {
        row: { told: 2 },
        run: (db, row) => names.updateLease(db, leaseOf(row)),
        to: { address: 'nano_9', expires_at: LATER, told: 0 },
      },
      updateProfile: {
        row: { told: 2, expires_at: NOW },
        run: (db, row) => names.updateProfile(db, leaseOf(row)),
        to: { address: 'nano_9', profile: '{"title":"T"}', expires_at: NOW, told: 2 },
      },
      updateIndexed: {
        row: { indexed: 0 },
        run: (db, { name: key, account_id: accountId }) =>
          names.updateIndexed(db, { key, accountId: accountId!, indexed: true }),
        to: { indexed: 1 },
        unless: [{ account_id: ANOTHER }],
      },
      markReported: {
        row: { told: 1, expires_at: LATER },
        run: (db, { name: key }) => names.markReported(db, { key, expiresAt: LATER, told: 1 }, 2),
        to: { told: 2 },
        unless: [{ expires_at: LATER + 1 }, { told: 2 }, { told: 0 }],
      },
    }),
    ...trialsOn('swaps', {
      deleteExpiredSwaps: {
        row: { status: 'expired', looked_at: NOW - 1, account_id: null },
        run: (db) => deleteExpiredSwaps(db, NOW, 100),
        to: null,
        means: ['status'],
        unless: [{ status: 'waiting' }, { looked_at: NOW }, { account_id: 'acc_1' }],
      },
      markSwap: {
        // Compares with the swap as it was read, not as it is now.
        run: async (db, row) => markSwap(db, { ...(await findSwap(db, row.id))!, status: row.status }, 'finished', NOW),
        to: { status: 'finished', looked_at: NOW },
        unless: [{ status: 'failed' }, { status: 'refunded' }],
      },
    }),
    ...trialsOn('email_payments', {
      lockOpenPayment: {
        run: (db, { id }) => email.lockOpenPayment(db, id, LATER),
        to: { due_at: LATER },
        unless: [...OVER],
      },
      postponePayment: {
        run: (db, { id }) => email.postponePayment(db, id, LATER),
        to: { due_at: LATER },
        unless: [{ due_at: null }],
      },
      markCancelled: {
        run: (db, { id, account_id: accountId }) => email.markCancelled(db, { id, accountId, now: NOW }),
        to: { cancelled_at: NOW, due_at: NOW },
        unless: [{ account_id: ANOTHER }, ...OVER],
      },
      markFunded: {
        run: (db, { id }) => email.markFunded(db, id, { now: NOW, expiresAt: LATER }),
        to: { status: 'funded', expires_at: LATER },
        unless: [{ status: 'funded' }, ...OVER],
      },
      markExpired: {
        run: (db, { id }) => email.markExpired(db, id, NOW),
        to: { status: 'expired', ended_at: NOW },
        unless: [{ status: 'funded' }, ...OVER],
      },
      markCompleted: {
        row: { status: 'funded' },
        run: (db, { id }) => email.markCompleted(db, id, NOW),
        to: { status: 'completed', ended_at: NOW },
        unless: [{ status: 'waiting' }, ...OVER],
      },
      countReturn: { row: { returns: 2 }, run: (db, { id }) => email.countReturn(db, id), to: { returns: 3 } },
      markForgotten: {
        run: (db, { id }) => email.markForgotten(db, id, NOW),
        to: { sender: null, message: null, receipt: null, forgotten_at: NOW },
      },
    }),
    ...trialsOn('email_recipients', {
      markSent: {
        run: (db, { id }) => recipients.markSent(db, id, NOW),
        to: { status: 'sent', sent_at: NOW },
        unless: [{ status: 'sent' }, ...DECIDED],
      },
      markBounced: {
        run: (db, { id }) => recipients.markBounced(db, id, NOW),
        to: { status: 'queued', bounced_at: NOW },
        unless: [{ bounced_at: 1 }, { status: 'sent' }, ...DECIDED],
      },
      markClaimed: {
        row: { status: 'sent' },
        run: (db, { id }) => recipients.markClaimed(db, id, 'nano_9', NOW),
        to: { status: 'claimed', claim_address: 'nano_9', ended_at: NOW },
        unless: [...DECIDED],
      },
      markDeclined: {
        row: { status: 'sent' },
        run: (db, { id }) => recipients.markDeclined(db, id, NOW),
        to: { status: 'refunded', ended_at: NOW },
        unless: [...DECIDED],
      },
      refundOpen: {
        run: (db, { payment_id: id }) => recipients.refundOpen(db, id, NOW),
        to: { status: 'refunded', ended_at: NOW },
        means: ['payment_id'],
        unless: [...DECIDED],
      },
      forgetRecipients: {
        run: (db, { payment_id: id }) => recipients.forgetRecipients(db, id),
        to: { email: null, email_hash: null },
        means: ['payment_id'],
      },
    }),
    ...trialsOn('email_tokens', {
      forgetRecipients: {
        // A recipient of the fill has the same id as the payment.
        run: (db, { recipient_id: paymentId }) => recipients.forgetRecipients(db, paymentId),
        to: null,
        means: ['recipient_id'],
      },
    }),
    ...trialsOn('x402_payments', {
      takeOver: {
        row: FREE,
        run: (db, row) => x402.takeOver(db, readBy(row), TERM),
        to: { state: 'pending', fence: 4, lease_until: LATER },
        unless: [{ fence: 4 }, { state: 'settled' }, { state: 'rejected' }, { lease_until: NOW + 1 }],
      },
      'takeOver of a rejected one': {
        row: { ...FREE, state: 'rejected', lease_until: null },
        run: (db, row) => x402.takeOver(db, readBy(row), TERM),
        to: { state: 'claimed', fence: 4, lease_until: LATER },
        unless: [{ fence: 4 }, { state: 'claimed' }],
      },
      renewClaim: {
        row: FREE,
        run: (db, row) => x402.renewClaim(db, claimOf(row), LATER),
        to: { lease_until: LATER },
        unless: [{ fence: 4 }],
      },
      dropClaim: {
        row: FREE,
        run: (db, row) => x402.dropClaim(db, claimOf(row)),
        to: { lease_until: null, state: 'pending' },
        unless: [{ fence: 4 }],
      },
      markState: {
        row: FREE,
        run: (db, row) =>
          x402.markState(db, claimOf(row), { from: ['claimed', 'pending'], to: 'settled', answer: 'A', now: NOW }),
        to: { state: 'settled', answer: 'A', updated_at: NOW },
        unless: [{ fence: 4 }, { state: 'settled' }, { state: 'served' }, { state: 'rejected' }],
      },
      releaseAbandoned: {
        row: FREE,
        run: (db, row) => x402.releaseAbandoned(db, readBy(row), NOW),
        to: { state: 'rejected', fence: 4 },
        unless: [{ fence: 4 }, { state: 'settled' }, { state: 'served' }, { lease_until: NOW + 1 }],
      },
      'forgetPayments whose answers are old': {
        row: { state: 'served', updated_at: NOW, answer: 'A' },
        run: (db) => x402.forgetPayments(db, { ...NO_UNTIL, answersUntil: NOW }),
        to: { answer: null },
        means: ['updated_at'],
        unless: [...NOT_OVER, { state: 'rejected' }, { updated_at: NOW + 1 }, { answer: null }],
      },
      'forgetPayments that are old themselves': {
        row: { state: 'rejected', updated_at: NOW },
        run: (db) => x402.forgetPayments(db, { ...NO_UNTIL, rowsUntil: NOW }),
        to: null,
        means: ['updated_at'],
        unless: [...NOT_OVER, { updated_at: NOW + 1 }],
      },
      'forgetPayments that were served': {
        row: { state: 'served', updated_at: NOW, answer: null },
        run: (db) => x402.forgetPayments(db, { ...NO_UNTIL, rowsUntil: NOW }),
        to: null,
        means: ['updated_at'],
      },
    }),
    ...trialsOn('x402_offers', {
      deleteExpiredOffers: deletesOld('expires_at', (db) => x402.deleteExpiredOffers(db, NOW), NOW),
    }),
  ],
  // Tested in test/stores/retention.test.ts: a paid order stays.
  ['deleteOrders'],
)

import { toRaw } from '../../src/kernel/money.ts'
import { deleteFreeze } from '../../src/modules/wallets/freezes-store.ts'
import { markAdopted, markFrozen, markUnfrozen } from '../../src/modules/wallets/frozen-store.ts'
import { lockFunds } from '../../src/modules/wallets/funds-store.ts'
import { updateWrapping } from '../../src/modules/wallets/keys-store.ts'
import * as locks from '../../src/modules/wallets/lock-store.ts'
import * as moves from '../../src/modules/wallets/outbox-moves-store.ts'
import { lockPayer, markSucceeded } from '../../src/modules/wallets/old-keys-store.ts'
import * as seeds from '../../src/modules/wallets/seeds-store.ts'
import { cancelPlan, markPlanDone } from '../../src/modules/wallets/plans-store.ts'
import * as wallets from '../../src/modules/wallets/store.ts'
import * as ending from '../../src/modules/wallets/ending-store.ts'
import { toBlock } from '../../src/modules/wallets/outbox-store.ts'
import * as voids from '../../src/modules/wallets/void-store.ts'
import { ANOTHER, LATER, NOW, tryFunctions, trialsOn } from '../support/neighbours.ts'

const RAW = toRaw(5n)
const SIGNED = { hash: 'H', previous: 'P', balance: RAW, amount: RAW, block: '{}' }
const ENCRYPTED = { version: 1, encryptedKey: 'AA==' } as const
const NOT_USABLE = [{ status: 'expiring' }, { status: 'ended' }, { status: 'deleted' }] as const
const NOT_OPEN = [{ status: 'queued' }, { status: 'confirmed' }, { status: 'refused' }, { status: 'lost' }] as const
const NOT_QUEUED = [{ status: 'signed' }, { status: 'broadcast' }, { status: 'confirmed' }, { status: 'lost' }] as const
const NOT_LOST = [{ status: 'signed' }, { status: 'queued' }, { status: 'confirmed' }] as const

tryFunctions(
  ['wallets'],
  [
    ...trialsOn('wallets', {
      markFrozen: {
        run: (db, { id }) => markFrozen(db, id, 'foreign_block', NOW),
        to: { frozen_at: NOW },
        unless: [{ frozen_at: 1 }],
      },
      markUnfrozen: {
        row: { frozen_at: 1 },
        run: (db, { id }) => markUnfrozen(db, id, NOW),
        to: { frozen_at: null, thawed_at: NOW },
        unless: [{ frozen_at: null }],
      },
      markAdopted: { row: { thawed_at: 1 }, run: (db, { id }) => markAdopted(db, id), to: { thawed_at: null } },
      lockFunds: {
        run: (db, { id }) => lockFunds(db, id),
        unless: [{ status: 'held' }, ...NOT_USABLE, { frozen_at: 1 }],
        locks: true,
      },
      updateMetadata: {
        run: (db, { address, account_id: accountId }) =>
          wallets.updateMetadata(db, { address, accountId: accountId!, metadata: { a: 1 } }),
        to: { metadata: '{"a":1}' },
        unless: [{ account_id: ANOTHER }, { account_id: null }, ...NOT_USABLE],
      },
      lockUsableWallet: {
        row: { status: 'held' },
        run: (db, { id }) => wallets.lockUsableWallet(db, id),
        unless: [...NOT_USABLE, { frozen_at: 1 }],
        locks: true,
      },
      lockPayer: { run: (db, { id }) => lockPayer(db, id), unless: [{ purpose: 'former_treasury' }], locks: true },
      takeLock: {
        row: { lease_until: NOW, fence: 3 },
        run: (db, { id }) => locks.takeLock(db, id, { now: NOW, until: LATER }),
        to: { lease_until: LATER, fence: 4 },
        unless: [{ lease_until: NOW + 1 }],
      },
      holdLock: {
        row: { fence: 3 },
        run: (db, { id }) => locks.holdLock(db, { walletId: id, fence: 3 }, LATER),
        to: { lease_until: LATER },
        unless: [{ fence: 4 }],
      },
      releaseLock: {
        row: { lease_until: LATER, fence: 3 },
        run: (db, { id }) => locks.releaseLock(db, { walletId: id, fence: 3 }),
        to: { lease_until: 0, fence: 4 },
        unless: [{ fence: 4 }],
      },
      moveFrontier: {
        run: (db, row) => wallets.moveFrontier(db, row, { frontier: 'F', balance: RAW }),
        to: { frontier: 'F', balance_raw: '5' },
        unless: [{ frontier: 'E' }],
      },
      updateFrontier: {
        run: (db, { id }) => wallets.updateFrontier(db, id, 'F', RAW),
        to: { frontier: 'F', balance_raw: '5' },
      },
      updateFreeFrontier: {
        run: (db, { id }) => wallets.updateFreeFrontier(db, { id, frontier: 'F', balance: RAW, now: 5 }),
        to: { frontier: 'F', balance_raw: '5' },
        unless: [{ lease_until: 6 }],
      },
      markExpiring: {
        run: (db, { id }) => ending.markExpiring(db, id, 'deleted'),
        to: { status: 'expiring', ends_as: 'deleted' },
        unless: [...NOT_USABLE],
      },
      markHeld: {
        row: { status: 'expiring', ends_as: 'ended' },
        run: (db, { id }) => ending.markHeld(db, id),
        to: { status: 'held', ends_as: null },
        unless: [{ status: 'held' }],
      },
      markEnded: {
        row: { status: 'expiring', ends_as: 'ended' },
        run: (db, { id }) => ending.markEnded(db, id, 'ended', NOW),
        to: { status: 'ended', ended_at: NOW },
        unless: [{ status: 'active' }, { status: 'ended' }, { status: 'deleted' }],
      },
      markDenied: {
        row: { denied_hash: 'D', denied_at: 3, denied_rounds: 4 },
        run: (db, row) =>
          voids.markDenied(db, wallets.toWallet({ ...row, refund_address: null, metadata: null }), 'D', NOW),
        to: { denied_hash: 'D', denied_at: 3, denied_rounds: 5 },
      },
      'markDenied of another block': {
        row: { denied_hash: 'C', denied_at: 3, denied_rounds: 4 },
        run: (db, row) =>
          voids.markDenied(db, wallets.toWallet({ ...row, refund_address: null, metadata: null }), 'D', NOW),
        to: { denied_hash: 'D', denied_at: NOW, denied_rounds: 1 },
      },
      clearDenied: {
        row: { denied_hash: 'D', denied_at: 3, denied_rounds: 4 },
        run: (db, { id }) => voids.clearDenied(db, id),
        to: { denied_hash: null, denied_at: null, denied_rounds: 0 },
      },
      markReleased: {
        row: { denied_hash: 'D', denied_at: 3, denied_rounds: 4 },
        run: (db, { id }) => voids.markReleased(db, id, NOW),
        to: { denied_hash: null, denied_at: null, denied_rounds: 0, voided_at: NOW },
      },
      markSettled: {
        row: { voided_at: 5 },
        run: (db, { id }) => voids.markSettled(db, { id, voidedAt: 5 }),
        to: { voided_at: null },
        unless: [{ voided_at: 6 }],
      },
      markSucceeded: {
        run: (db, { id }) => markSucceeded(db, { id, purpose: 'cloud' }, 'nano_successor'),
        to: { status: 'expiring', ends_as: 'deleted', refund_address: '"nano_successor"' },
      },
      markRecovered: {
        run: (db, { id }) => seeds.markRecovered(db, id, NOW),
        to: { status: 'held', thawed_at: NOW },
      },
      markLooked: { run: (db, { id }) => wallets.markLooked(db, [id], NOW), to: { looked_at: NOW } },
    }),
    ...trialsOn('wallet_keys', {
      updateWrapping: {
        row: { wrapped_data_key: 'old' },
        run: (db, { wallet_id: id }) => {
          const was = { ...ENCRYPTED, masterKeyId: 'key-1', wrappedDataKey: 'old' }
          return updateWrapping(db, id, was, { ...was, masterKeyId: 'key-2', wrappedDataKey: 'new' })
        },
        to: { master_key_id: 'key-2', wrapped_data_key: 'new', sealed_key: 'AA==' },
        unless: [{ wrapped_data_key: 'newer' }],
      },
    }),
    ...trialsOn('send_freezes', {
      deleteFreeze: { run: (db, { scope }) => deleteFreeze(db, scope), to: null },
    }),
    ...trialsOn('wallet_plans', {
      cancelPlan: {
        run: (db, { id }) => cancelPlan(db, id, NOW),
        to: { status: 'done' },
        unless: [{ status: 'done' }],
      },
      markPlanDone: {
        run: (db, { id }) => markPlanDone(db, id, NOW),
        to: { status: 'done', finished_at: NOW },
        unless: [{ status: 'done' }],
      },
    }),
    ...trialsOn('wallet_blocks', {
      cancelPlan: {
        run: (db, { plan_id: planId }) => cancelPlan(db, planId!, NOW),
        to: { status: 'refused', reference: null },
        means: ['plan_id'],
        unless: [{ plan_id: null }, ...NOT_QUEUED],
      },
      refuseOverdue: {
        row: { deadline_at: NOW },
        run: (db, { wallet_id: id }) => moves.refuseOverdue(db, id, NOW),
        to: { status: 'refused', reference: null },
        means: ['wallet_id'],
        unless: [{ deadline_at: NOW + 1 }, { deadline_at: null }, ...NOT_QUEUED],
      },
      refuseWaiting: {
        row: { deadline_at: NOW },
        run: (db, { wallet_id: id }) => moves.refuseWaiting(db, id),
        to: { status: 'refused', reference: null },
        means: ['wallet_id'],
        unless: [{ deadline_at: null }, ...NOT_QUEUED],
      },
      markRefused: {
        row: { deadline_at: NOW },
        run: (db, { id }) => moves.markRefused(db, id, 'wallet_busy'),
        to: { status: 'refused', reference: null },
        unless: [{ deadline_at: null }, ...NOT_QUEUED],
      },
      deleteQueuedReceive: {
        row: { kind: 'receive' },
        run: (db, { id }) => moves.deleteQueuedReceive(db, id),
        to: null,
        unless: [{ kind: 'send' }, ...NOT_QUEUED],
      },
      markSigned: {
        row: { deadline_at: NOW + 1 },
        run: (db, { id }) => moves.markSigned(db, id, SIGNED, NOW),
        to: { status: 'signed', hash: 'H', signed_at: NOW },
        unless: [{ deadline_at: NOW }, ...NOT_QUEUED],
      },
      'markSigned of what must happen': {
        row: { deadline_at: null },
        run: (db, { id }) => moves.markSigned(db, id, SIGNED, NOW),
        to: { status: 'signed', hash: 'H', signed_at: NOW },
      },
      updateWork: {
        row: { status: 'broadcast', block: '{}' },
        run: (db, { id }) => moves.updateWork(db, id, '{"work":"1"}'),
        to: { block: '{"work":"1"}' },
        unless: [...NOT_OPEN],
      },
      markBroadcast: {
        row: { status: 'signed' },
        run: (db, { id }) => moves.markBroadcast(db, id, NOW),
        to: { status: 'broadcast', broadcast_at: NOW },
        unless: [...NOT_OPEN],
      },
      markConfirmed: {
        row: { status: 'broadcast' },
        run: (db, { id }) => moves.markConfirmed(db, id, NOW),
        to: { status: 'confirmed', confirmed_at: NOW },
        unless: [...NOT_OPEN],
      },
      markLost: {
        row: { status: 'broadcast' },
        run: (db, { id }) => moves.markLost(db, id),
        to: { status: 'lost' },
        unless: [{ status: 'queued' }, { status: 'confirmed' }, { status: 'refused' }],
      },
      markFound: {
        row: { status: 'lost' },
        run: (db, { id }) => moves.markFound(db, id, NOW),
        to: { status: 'confirmed', confirmed_at: NOW },
        unless: [...NOT_LOST],
      },
      markVoid: {
        row: { status: 'broadcast', kind: 'receive', source_hash: 'S' },
        run: (db, row) => voids.markVoid(db, { ...toBlock(row), status: 'broadcast' }, 'send_void'),
        to: { status: 'void', refusal: 'send_void', previous: null, source_hash: null },
        unless: [{ status: 'confirmed' }, { status: 'void' }, { status: 'lost' }],
      },
      restoreVoid: {
        row: { status: 'void', kind: 'receive', source_hash: null },
        run: (db, { id, wallet_id: walletId }) =>
          voids.restoreVoid(db, { id, walletId }, { previous: 'P', sourceHash: null }, NOW),
        to: { status: 'confirmed', previous: 'P', confirmed_at: NOW },
        unless: [...NOT_LOST, { status: 'lost' }],
      },
      settleVoid: {
        row: { status: 'void', refusal: null },
        run: (db, { wallet_id: id }) => voids.settleVoid(db, id, 'send_void'),
        to: { refusal: 'send_void' },
        means: ['wallet_id'],
        unless: [...NOT_LOST, { refusal: 'wallet_busy' }],
      },
      reopenLost: {
        row: { status: 'lost' },
        run: (db, { id }) => moves.reopenLost(db, id),
        to: { status: 'signed' },
        unless: [{ status: 'queued' }, { status: 'confirmed' }],
      },
      releaseSource: {
        row: { status: 'lost', kind: 'receive', source_hash: 'S' },
        run: (db, { id }) => moves.releaseSource(db, id),
        to: { source_hash: null },
        unless: [...NOT_LOST],
      },
    }),
  ],
  // About one seed and one restore at a time, and wallets without an owner: seeds.test.ts, recover.test.ts and restores.test.ts.
  [
    'retireSeed',
    'takeIndex',
    'giveIndexBack',
    'deleteSeal',
    'markShown',
    'markChecked',
    'skipPlaces',
    'markAssigned',
    'markRestoreSettled',
  ],
)

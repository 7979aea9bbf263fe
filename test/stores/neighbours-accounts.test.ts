import type { Selectable } from 'kysely'
import type { Tables } from '../../src/kernel/db.ts'
import * as credits from '../../src/modules/accounts/credits-store.ts'
import { deleteEndedUses, giveBackFree } from '../../src/modules/accounts/free-uses-store.ts'
import * as repeats from '../../src/modules/accounts/idempotency-store.ts'
import {
  deleteOldEndedSessions,
  deleteOldSecrets,
  replaceSessionSecret,
} from '../../src/modules/accounts/sessions-store.ts'
import { deleteOldRequests } from '../../src/modules/accounts/requests/store.ts'
import * as spends from '../../src/modules/accounts/spends-store.ts'
import { deleteLogo } from '../../src/modules/accounts/profile-store.ts'
import { updateAddress } from '../../src/modules/accounts/people/members.ts'
import * as challenges from '../../src/modules/accounts/passkeys/store.ts'
import * as codes from '../../src/modules/accounts/passkeys/store.ts'
import * as passkeys from '../../src/modules/accounts/passkeys/store.ts'
import * as members from '../../src/modules/accounts/people/members-store.ts'
import * as standing from '../../src/modules/accounts/standing.ts'
import * as accounts from '../../src/modules/accounts/store.ts'
import { markSuccession } from '../../src/modules/accounts/keys-store.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { ANOTHER, LATER, NOW, deletesOld, tryFunctions, trialsOn } from '../support/neighbours.ts'

type Repeat = Selectable<Tables['idempotency']>
const RUN = { fingerprint: 'g', claim: 'mine', now: NOW, leaseUntil: LATER, expiresAt: 2 * LATER }
const STARTED = { status: 'started', claim: 'his', lease_until: NOW, expires_at: LATER, made: null } as const
const NOT_HIS_RUN = [{ status: 'finished' }, { claim: 'mine' }, { claim: null }] as const

const keyOf = ({ account_id: accountId, action, key }: Repeat) => ({ accountId, action, key })
const seenOf = (row: Repeat) => ({ ...row, leaseUntil: row.lease_until ?? 0, expiresAt: row.expires_at })
const ownKey = ({ id: keyId, account_id: accountId }: { id: string; account_id: string }) => ({ keyId, accountId })

const ofAccount = ({ id, account_id: accountId }: { id: string; account_id: string }) => ({ id, accountId })

tryFunctions(
  ['accounts'],
  [
    ...trialsOn('accounts', {
      lockAccount: { run: (db, { id }) => accounts.lockAccount(db, id), locks: true },
      markSuspended: {
        row: { role: 'user' },
        run: (db, { id }) => standing.markSuspended(db, id, NOW),
        to: { suspended_at: NOW },
        unless: [{ suspended_at: 1 }, { role: 'admin' }],
      },
      markResumed: {
        row: { suspended_at: 1 },
        run: (db, { id }) => standing.markResumed(db, id),
        to: { suspended_at: null },
        unless: [{ suspended_at: null }],
      },
      updateAddress: {
        run: (db, { id }) => updateAddress(db, id, 'other@example.com'),
        to: { email: 'other@example.com' },
      },
      updateSignedOut: { run: (db, { id }) => standing.updateSignedOut(db, id, NOW), to: { signed_out_at: NOW } },
      updateMailLinks: { run: (db, { id }) => standing.updateMailLinks(db, id, true), to: { mail_links: 1 } },
      updatePlan: {
        run: (db, { id }) => standing.updatePlan(db, id, { perMinute: 7 }),
        to: { per_minute: 7, concurrency: null },
      },
      updateFeatures: {
        run: (db, { id }) => standing.updateFeatures(db, id, { wallet_sends: false }),
        to: { features: '{"wallet_sends":false}' },
      },
    }),
    ...trialsOn('members', {
      lockPerson: { run: (db, { email }) => members.lockPerson(db, email), means: ['email'], locks: true },
      signOutPerson: {
        run: (db, { email }) => members.signOutPerson(db, { email, keep: 'ses_kept', now: NOW }),
        to: { signed_out_at: NOW, kept_session: 'ses_kept' },
        means: ['email'],
      },
      markJoined: {
        row: { joined_at: null, ended_at: null, expires_at: NOW + 1 },
        run: (db, row) => members.markJoined(db, ofAccount(row), NOW),
        to: { joined_at: NOW, expires_at: null },
        unless: [{ account_id: ANOTHER }, { ended_at: 1 }, { joined_at: 1 }, { expires_at: NOW }, { expires_at: null }],
      },
      updateRole: {
        row: { role: 'developer' },
        run: (db, row) => members.updateRole(db, ofAccount(row), 'reader'),
        to: { role: 'reader' },
        unless: [{ account_id: ANOTHER }, { ended_at: 1 }],
      },
      'updateRole of one owner of two': {
        run: (db, row) => members.updateRole(db, ofAccount(row), 'reader'),
        to: { role: 'reader' },
      },
      'updateRole of an owner beside one who is only invited': {
        row: { joined_at: null, role: 'owner' },
        run: (db, row) => members.updateRole(db, ofAccount(row), 'reader'),
        to: { role: 'reader' },
        unless: [{ joined_at: 1 }],
      },
      endInvitationsBy: {
        row: { invited_by: 'mem_sender', joined_at: null, ended_at: null },
        run: (db, { account_id: accountId }) => members.endInvitationsBy(db, { accountId, id: 'mem_sender' }, NOW),
        to: { ended_at: NOW },
        means: ['account_id', 'invited_by'],
        unless: [{ joined_at: 1 }, { ended_at: 1 }],
      },
      markEnded: {
        row: { role: 'developer' },
        run: (db, row) => members.markEnded(db, ofAccount(row), NOW),
        to: { ended_at: NOW },
        unless: [{ account_id: ANOTHER }, { ended_at: 1 }, { role: 'owner' }],
      },
    }),
    ...trialsOn('passkeys', {
      markPasskeyUsed: {
        row: { counter: 5 },
        run: (db, { id }) => passkeys.markPasskeyUsed(db, { id, counter: 6, now: NOW }),
        to: { counter: 6, last_used_at: NOW },
        unless: [{ counter: 6 }, { counter: 7 }],
      },
      'markPasskeyUsed of one that does not count': {
        row: { counter: 0 },
        run: (db, { id }) => passkeys.markPasskeyUsed(db, { id, counter: 0, now: NOW }),
        to: { last_used_at: NOW },
        unless: [{ counter: 1 }],
      },
      updatePasskeyName: {
        run: (db, { id, email }) => passkeys.updatePasskeyName(db, { id, email }, 'Other'),
        to: { name: 'Other' },
        unless: [{ email: ANOTHER }],
      },
      deletePasskey: {
        run: (db, { id, email }) => passkeys.deletePasskey(db, { id, email }),
        to: null,
        unless: [{ email: ANOTHER }],
      },
      deleteAllPasskeys: {
        run: (db, { email }) => passkeys.deleteAllPasskeys(db, email),
        to: null,
        means: ['email'],
      },
    }),
    ...trialsOn('recovery_codes', {
      markCodeUsed: {
        run: (db, { code_hash: hash, email }) => codes.markCodeUsed(db, { hash, email, now: NOW }),
        to: { used_at: NOW },
        unless: [{ email: ANOTHER }, { used_at: 1 }],
      },
      deleteCodes: { run: (db, { email }) => codes.deleteCodes(db, email), to: null, means: ['email'] },
    }),
    ...trialsOn('passkey_challenges', {
      takeChallenge: {
        row: { expires_at: NOW + 1 },
        run: (db, { challenge_hash: hash, bound_to: boundTo }) =>
          challenges.takeChallenge(db, { hash, boundTo, purpose: 'prove', now: NOW }),
        to: null,
        unless: [{ bound_to: ANOTHER }, { purpose: 'enrol' }, { expires_at: NOW }],
      },
      deleteChallengesOf: {
        run: (db, { bound_to: boundTo }) => challenges.deleteChallengesOf(db, { boundTo, purpose: 'prove' }),
        to: null,
        means: ['bound_to'],
        unless: [{ purpose: 'enrol' }],
      },
      deleteOldChallenges: deletesOld('expires_at', (db) => challenges.deleteOldChallenges(db, NOW)),
    }),
    ...trialsOn('api_keys', {
      markAllRevoked: {
        run: (db, { account_id: accountId }) => accounts.markAllRevoked(db, accountId, NOW),
        to: { revoked_at: NOW },
        means: ['account_id'],
        unless: [{ revoked_at: 1 }],
      },
      markRevoked: {
        run: (db, row) => accounts.markRevoked(db, { ...ownKey(row), now: NOW }),
        to: { revoked_at: NOW },
        unless: [{ account_id: ANOTHER }, { revoked_at: 1 }],
      },
      markRevokedOf: {
        row: { made_by: 'mem_1' },
        run: (db, { account_id: accountId }) => accounts.markRevokedOf(db, { accountId, id: 'mem_1' }, NOW),
        to: { revoked_at: NOW },
        means: ['account_id', 'made_by'],
        unless: [{ account_id: ANOTHER }, { made_by: 'mem_2' }, { made_by: null }, { revoked_at: 1 }],
      },
      markEnding: {
        run: (db, row) => accounts.markEnding(db, { ...ownKey(row), expiresAt: LATER }),
        to: { expires_at: LATER },
        unless: [{ account_id: ANOTHER }, { revoked_at: 1 }, { expires_at: LATER }, { expires_at: NOW }],
      },
      'markEnding of one that would end later': {
        row: { expires_at: LATER + 1 },
        run: (db, row) => accounts.markEnding(db, { ...ownKey(row), expiresAt: LATER }),
        to: { expires_at: LATER },
      },
      updateLastUsed: {
        run: (db, { hash }) => accounts.updateLastUsed(db, hash, NOW),
        to: { last_used_at: NOW },
        unless: [{ last_used_at: NOW }, { last_used_at: LATER }],
      },
      'updateLastUsed of one used before': {
        row: { last_used_at: NOW - 1 },
        run: (db, { hash }) => accounts.updateLastUsed(db, hash, NOW),
        to: { last_used_at: NOW },
      },
      markSuccession: {
        run: (db, { id: keyId }) => markSuccession(db, { keyId, predecessor: 'key_old' }),
        to: { predecessor: 'key_old' },
      },
    }),
    ...trialsOn('account_logos', {
      deleteLogo: { run: (db, { account_id: accountId }) => deleteLogo(db, accountId), to: null },
    }),
    ...trialsOn('sign_in_links', {
      markLinkUsed: {
        row: { expires_at: NOW + 1 },
        run: (db, { token_hash: hash }) => accounts.markLinkUsed(db, hash, NOW),
        to: { used_at: NOW },
        unless: [{ used_at: 1 }, { expires_at: NOW }],
      },
      deleteOldLinks: deletesOld('expires_at', (db) => accounts.deleteOldLinks(db, NOW)),
    }),
    ...trialsOn('session_secrets', {
      replaceSessionSecret: {
        run: (db, { id, secret }) => replaceSessionSecret(db, { id, unreadable: secret, secret: 'CD', now: NOW }),
        to: { secret: 'CD', created_at: NOW },
        unless: [{ secret: 'EF' }],
      },
      deleteOldSecrets: deletesOld('created_at', (db) => deleteOldSecrets(db, NOW)),
    }),
    ...trialsOn('ended_sessions', {
      deleteOldEndedSessions: deletesOld('expires_at', (db) => deleteOldEndedSessions(db, NOW)),
    }),
    ...trialsOn('free_uses', {
      giveBackFree: {
        row: { ends_at: NOW, taken: 1 },
        run: (db, { caller, meter }) => giveBackFree(db, { caller, meter, endsAt: NOW }),
        to: { taken: 0 },
        unless: [{ ends_at: LATER }, { taken: 0 }],
      },
      deleteEndedUses: deletesOld('ends_at', (db) => deleteEndedUses(db, NOW)),
    }),
    ...trialsOn('key_spends', {
      deleteSpend: {
        run: (db, { limit_id: limitId, reference }) => spends.deleteSpend(db, { limitId, reference }),
        to: null,
      },
      deleteSpends: {
        run: (db, { limit_id: limitId, day, reference }) => spends.deleteSpends(db, { limitId, day }, [reference]),
        to: null,
        means: ['limit_id', 'day', 'reference'],
      },
      'deleteOldSpends of what was set aside': {
        row: { day: '2026-11-01' },
        run: (db) => spends.deleteOldSpends(db, '2026-11-02'),
        to: null,
        means: ['day'],
        unless: [{ day: '2026-11-02' }],
      },
    }),
    ...trialsOn('key_spend_days', {
      lockSpendDay: { run: (db, { limit_id: limitId, day }) => spends.lockSpendDay(db, { limitId, day }), locks: true },
      moveSpent: {
        row: { spent_raw: '5' },
        run: (db, { limit_id: limitId, day }) =>
          spends.moveSpent(db, { limitId, day }, { from: toRaw(5n), to: toRaw(9n) }),
        to: { spent_raw: '9' },
        unless: [{ spent_raw: '4' }],
      },
      deleteOldSpends: {
        row: { day: '2026-11-01' },
        run: (db) => spends.deleteOldSpends(db, '2026-11-01+'),
        to: null,
        means: ['day'],
        unless: [{ day: '2026-11-02' }],
      },
    }),
    ...trialsOn('credit_balances', {
      takeAvailable: {
        row: { available: 5 },
        run: (db, { account_id: id }) => credits.takeAvailable(db, id, 5),
        to: { available: 0 },
        unless: [{ available: 4 }],
      },
    }),
    ...trialsOn('credit_reservations', {
      markReservation: {
        row: { status: 'open' },
        run: (db, { id }) => credits.markReservation(db, id, 'released'),
        to: { status: 'released' },
        unless: [{ status: 'committed' }, { status: 'released' }],
      },
      deleteEndedReservations: {
        row: { status: 'committed', created_at: NOW - 1 },
        run: (db) => credits.deleteEndedReservations(db, NOW),
        to: null,
        means: ['created_at'],
        unless: [{ status: 'open' }, { created_at: NOW }],
      },
    }),
    ...trialsOn('account_requests', {
      deleteOldRequests: deletesOld('at', (db) => deleteOldRequests(db, NOW, 100)),
    }),
    ...trialsOn('usage_batches', {
      deleteOldBatches: deletesOld('created_at', (db) => credits.deleteOldBatches(db, NOW)),
    }),
    ...trialsOn('idempotency', {
      markTakenOver: {
        row: { ...STARTED, made: 'sealed' },
        run: (db, row) => repeats.markTakenOver(db, keyOf(row), seenOf(row), { ...RUN, isNew: false }),
        to: { claim: 'mine', lease_until: LATER, made: 'sealed' },
        unless: [...NOT_HIS_RUN, { expires_at: LATER + 1 }, { lease_until: NOW + 1 }],
      },
      'markTakenOver of an answer past its time': {
        row: { status: 'finished', answer: '{}', claim: null, lease_until: null, expires_at: NOW, made: 'sealed' },
        run: (db, row) => repeats.markTakenOver(db, keyOf(row), seenOf(row), { ...RUN, isNew: true }),
        to: { status: 'started', answer: null, claim: 'mine', made: null },
        unless: [{ status: 'started' }, { claim: 'his' }, { expires_at: LATER }, { lease_until: LATER }],
      },
      markFinished: {
        row: STARTED,
        run: (db, row) => repeats.markFinished(db, keyOf(row), 'his', '{}', 2 * LATER),
        to: { status: 'finished', answer: '{}', expires_at: 2 * LATER },
        unless: [...NOT_HIS_RUN],
      },
      renewLease: {
        row: STARTED,
        run: (db, row) => repeats.renewLease(db, keyOf(row), 'his', LATER),
        to: { lease_until: LATER },
        unless: [...NOT_HIS_RUN],
      },
      recordMade: {
        row: STARTED,
        run: (db, row) => repeats.recordMade(db, keyOf(row), 'his', 'sealed'),
        to: { made: 'sealed' },
        unless: [...NOT_HIS_RUN],
      },
      markFailed: {
        row: STARTED,
        run: (db, row) => repeats.markFailed(db, keyOf(row), 'his'),
        to: null,
        unless: [...NOT_HIS_RUN],
      },
      'markFailed of a run that has made something': {
        row: { ...STARTED, made: 'sealed' },
        run: (db, row) => repeats.markFailed(db, keyOf(row), 'his'),
        to: { lease_until: 0, made: 'sealed' },
        unless: [...NOT_HIS_RUN],
      },
      deleteExpiredAnswers: deletesOld('expires_at', (db) => repeats.deleteExpiredAnswers(db, NOW), NOW),
    }),
  ],
  // It inserts a missing profile: part4-payout.test.ts.
  ['savePayout'],
)

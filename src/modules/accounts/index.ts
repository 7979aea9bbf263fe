export { closeAccount } from './domain/close-account.ts'
export { createAccount, createAccountIn } from './domain/create-account.ts'
export { createFirstAdministrator } from './domain/first-administrator.ts'
export { adjustCredits, commitCredits, grantCreditsIn, releaseCredits, reserveCredits } from './domain/credits.ts'
export { setStanding } from './domain/set-standing.ts'
export { signOutPeople } from './domain/sign-out-people.ts'
export { resumeAccount, suspendAccount } from './domain/suspend.ts'
export { FEATURES, STANDING_NOTICE } from './standing.ts'
export { hasFeature } from './standing-store.ts'
export { identify, identifyNow } from './domain/identify.ts'
export { issueKey } from './domain/issue-key.ts'
export { endOfDay, hasSpendingLimit, pledgeTo, releaseSpends, reserveSpend } from './domain/spending.ts'
export { type Merchant, findMerchant } from './domain/merchant.ts'
export { insufficientCredits } from './errors.ts'
export { revokeKey } from './domain/revoke-key.ts'
export { readCredits, toUsage } from './domain/read-credits.ts'
export { SESSION_SECONDS, type Session, Sessions, listSealedSessions } from './domain/sessions.ts'
export {
  type RepeatKey,
  findSeenRequest,
  insertStarted,
  markFailed,
  markFinished,
  markTakenOver,
  recordMade,
  renewLease,
} from './idempotency-store.ts'
export { forgetPasskeys } from './passkeys/passkeys.ts'
export { relyingPartyOf } from './passkeys/ceremony.ts'
export { listDevelopers } from './people/members-store.ts'
export { listPredecessors } from './succession-store.ts'
export { listEntries } from './credits-store.ts'
export { findAccount, findAccountByEmail, insertAudit, listAccounts, listKeys, lockAccount } from './store.ts'
export { listDeeds } from './activity/store.ts'
export { showKey, showKnown } from './shape-account.ts'
export { EMAIL_PATTERN, readWanted } from './wire-fields.ts'
export { readAdjustment, readReason, readStanding } from './standing-fields.ts'
export { type Allowance, type FreeUse, findFreeUse, giveBackFree, takeFree } from './free-uses-store.ts'
export { hasCredits } from './domain/has-credits.ts'
export type { RequestLog } from './requests/log.ts'
export { UsageMeter } from './usage.ts'
export type { AccountsModule } from './open.ts'
export { ACCOUNT, KEY } from './answers.ts'

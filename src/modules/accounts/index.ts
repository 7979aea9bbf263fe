export {
  closeAccount,
  readAdjustment,
  readReason,
  readStanding,
  resumeAccount,
  setStanding,
  signOutPeople,
  suspendAccount,
} from './domain/change-standing.ts'
export { createAccount, createAccountIn, createFirstAdministrator } from './domain/create-account.ts'
export {
  adjustCredits,
  commitCredits,
  grantCreditsIn,
  hasCredits,
  readCredits,
  releaseCredits,
  reserveCredits,
  toUsage,
} from './domain/credits.ts'
export { FEATURES, STANDING_NOTICE, hasFeature } from './standing.ts'
export { SESSION_SECONDS, type Session, Sessions, identify, identifyNow } from './domain/sessions.ts'
export { issueKey, revokeKey } from './domain/keys.ts'
export { endOfDay, hasSpendingLimit, pledgeTo, releaseSpends, reserveSpend } from './domain/spending.ts'
export { type PictureUploads, findUploadedPicture } from './domain/pictures.ts'
export { type Merchant, findMerchant } from './domain/profile.ts'
export { setPayout } from './domain/payout.ts'
export { findPayout, findShop } from './profile-store.ts'
export { insufficientCredits } from './errors.ts'
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
export { listPredecessors } from './keys-store.ts'
export { listEntries } from './credits-store.ts'
export { findAccount, findAccountByEmail, insertAudit, listAccounts, listKeys, lockAccount } from './store.ts'
export { listActivities } from './activity/store.ts'
export { readWanted } from './wire-fields.ts'
export { type Allowance, type FreeUse, findFreeUse, giveBackFree, takeFree } from './free-uses-store.ts'
export type { RequestLog } from './requests/log.ts'
export { UsageMeter } from './usage.ts'
export type { AccountsModule } from './open.ts'
export { account, key as accountKey, knownAccount } from './answers.ts'
export { accountProfile } from './account-profile.ts'
export { EMAIL_PATTERN, email } from './email-field.ts'
export { member } from './people/member.ts'

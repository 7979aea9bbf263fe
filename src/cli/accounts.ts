import { type Actor, OPERATOR } from '../kernel/actor.ts'
import {
  STANDING_NOTICE,
  adjustCredits,
  findAccount,
  forgetPasskeys,
  listDeeds,
  listKeys,
  readAdjustment,
  readCredits,
  readReason,
  readStanding,
  resumeAccount,
  setStanding,
  showKey,
  showKnown,
  signOutPeople,
  suspendAccount,
} from '../modules/accounts/index.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import { type Flags, print, withStore } from './store.ts'

const LISTED_MAX = 200
const LATEST = 10

interface ReasonFlags extends Flags {
  reason: string
}

/** One account: how it stands, what it has, and what was done last. */
export function showOne(accountId: string, { json }: Flags): Promise<void> {
  return withStore(async (ctx) => {
    const account = await findAccount(ctx.db, accountId)
    if (!account) throw new Error('Account not found.')
    const shown = showKnown(account)
    const { credits, plan } = await readCredits(ctx, accountId)
    const keys = (await listKeys(ctx.db, accountId, LISTED_MAX)).map((key) => showKey(key, ctx.clock.now()))
    const activity = await listDeeds(ctx.db, { accountId }, { before: undefined, limit: LATEST })
    const facts = { ...shown, features: JSON.stringify(shown.features), credits, plan, keys: keys.length }
    const lines = [
      ...Object.entries(facts).map(([name, value]) => `${name.padEnd(14)}${String(value ?? '-')}`),
      'last changes',
      ...activity.map(({ at, what, actor }) => `  ${new Date(at).toISOString()}  ${what}  by ${actor}`),
    ]
    print(json, { ...shown, credits, plan, keys, activity }, lines)
  })
}

/** A change of an account, in force in running gateways when the command returns. */
function change(
  { json }: Flags,
  accountId: string,
  done: string,
  run: (ctx: StoreCtx, who: { accountId: string; actor: Actor }) => Promise<unknown>,
): Promise<void> {
  return withStore(async (ctx, _store, gateways) => {
    await run(ctx, { accountId, actor: OPERATOR })
    gateways.publish(STANDING_NOTICE, accountId)
    const { text, facts } = await gateways.announced()
    print(json, { account: accountId, done, ...facts }, [`${accountId}: ${done}. ${text}`])
  })
}

export const suspend = (accountId: string, flags: ReasonFlags) =>
  change(flags, accountId, 'suspended', (ctx, who) => suspendAccount(ctx, { ...who, reason: readReason({ ...flags }) }))

export const resume = (accountId: string, flags: ReasonFlags) =>
  change(flags, accountId, 'resumed', (ctx, who) => resumeAccount(ctx, { ...who, reason: readReason({ ...flags }) }))

export const signOut = (accountId: string, flags: Flags) => change(flags, accountId, 'signed out', signOutPeople)

/** Of a person, whatever accounts they belong to. */
export function forgetAll(email: string, { json }: Flags & { yes: true }): Promise<void> {
  return withStore(async (ctx) => {
    await forgetPasskeys(ctx, { email, actor: OPERATOR })
    print(json, { email, done: 'passkeys forgotten' }, [`${email}: passkeys and recovery codes are gone; mail opens.`])
  })
}

export function giveCredits(accountId: string, amount: string, flags: ReasonFlags): Promise<void> {
  const adjustment = readAdjustment({ amount: Number(amount), reason: flags.reason })
  const done = adjustment.amount > 0 ? 'credits given' : 'credits taken'
  return change(flags, accountId, done, (ctx, who) => adjustCredits(ctx, { ...adjustment, ...who }))
}

interface StandingFlags extends Flags {
  perMinute?: string
  concurrency?: string
  on?: string[]
  off?: string[]
  unset?: string[]
}

export function setOne(accountId: string, flags: StandingFlags): Promise<void> {
  const { perMinute, concurrency, on = [], off = [], unset = [] } = flags
  // An empty text would be 0, which is no limit.
  const toLimit = (text: string) => (text === 'usual' ? null : text.trim() === '' ? Number.NaN : Number(text))
  const wanted = readStanding({
    ...(perMinute !== undefined && { per_minute: toLimit(perMinute) }),
    ...(concurrency !== undefined && { concurrency: toLimit(concurrency) }),
    features: Object.fromEntries([
      ...on.map((name) => [name, true]),
      ...off.map((name) => [name, false]),
      ...unset.map((name) => [name, null]),
    ]),
  })
  return change(flags, accountId, 'changed', (ctx, who) => setStanding(ctx, { ...who, wanted }))
}

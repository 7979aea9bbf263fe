import { once } from 'node:events'
import { createWriteStream, writeFileSync } from 'node:fs'
import { loadConfig } from '../config/config.ts'
import { type Actor, OPERATOR } from '../kernel/actor.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import {
  STANDING_NOTICE,
  adjustCredits,
  findAccount,
  findAccountByEmail,
  forgetPasskeys,
  insertAudit,
  listActivities,
  listKeys,
  readAdjustment,
  readCredits,
  readReason,
  readStanding,
  resumeAccount,
  setStanding,
  accountKey,
  knownAccount,
  signOutPeople,
  suspendAccount,
} from '../modules/accounts/index.ts'
import { fingerprintOf } from '../modules/email/index.ts'
import { type Person, eraseAccount, erasePerson, exportAccount, exportPerson } from '../store/privacy.ts'
import { openSecrets } from '../store/secrets.ts'
import { type Flags, print, withStore } from './store.ts'

const LISTED_MAX = 200
const LATEST = 10

interface ReasonFlags extends Flags {
  reason: string
}

export function showOne(accountId: string, { json }: Flags): Promise<void> {
  return withStore(async (ctx) => {
    const account = await findAccount(ctx.db, accountId)
    if (!account) throw new Error('Account not found.')
    const shown = knownAccount.show(account)
    const { credits, plan } = await readCredits(ctx, accountId)
    const keys = (await listKeys(ctx.db, accountId, LISTED_MAX)).map((key) => accountKey.show(key, ctx.clock.now()))
    const activity = await listActivities(ctx.db, { accountId }, { before: undefined, limit: LATEST })
    const facts = { ...shown, features: JSON.stringify(shown.features), credits, plan, keys: keys.length }
    const lines = [
      ...Object.entries(facts).map(([name, value]) => `${name.padEnd(14)}${String(value ?? '-')}`),
      'last changes',
      ...activity.map(({ at, what, actor }) => `  ${new Date(at).toISOString()}  ${what}  by ${actor}`),
    ]
    print(json, { ...shown, credits, plan, keys, activity }, lines)
  })
}

/** Changes an account. When the command returns, running gateways use the change. */
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

/** Deletes the passkeys and recovery codes of a person, whatever accounts they belong to. */
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
  // An empty text would become 0, which means no limit.
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

/** Finds an account by its id, or a person by an email address, with or without an account. */
async function find(ctx: StoreCtx, who: string) {
  if (!who.includes('@')) {
    const account = await findAccount(ctx.db, who)
    if (!account) throw new Error('Account not found.')
    return { account, person: undefined }
  }
  const secrets = await openSecrets(loadConfig(), ctx)
  const person: Person = { email: who.toLowerCase(), emailHash: fingerprintOf({ ports: { secrets } }, who) }
  return { account: await findAccountByEmail(ctx.db, who), person }
}

/** Writes what is known about an account or a person, a line of JSON for each row, to a file that only its owner can read. */
export function exportData(who: string, { json, file }: Flags & { file: string }): Promise<void> {
  return withStore(async (ctx) => {
    const { account, person } = await find(ctx, who)
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' })
    const out = createWriteStream(file, { flags: 'a' })
    let rows = 0
    async function* all() {
      if (account) yield* exportAccount(ctx.db, { accountId: account.id, email: account.email?.toLowerCase() })
      if (person) yield* exportPerson(ctx.db, person)
    }
    for await (const line of all()) {
      rows++
      if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain')
    }
    out.end()
    await once(out, 'close')
    const accountId = account?.id ?? null
    const what = account ? 'account.exported' : 'person.exported'
    await insertAudit(ctx, { actor: OPERATOR, accountId, what, detail: {} })
    print(json, { file, rows }, [`Wrote ${rows} rows to ${file}.`])
  })
}

/** Erases an account, and what others have recorded about its person unless it is still needed. */
export function eraseData(who: string, { json }: Flags): Promise<void> {
  return withStore(async (ctx, _store, gateways) => {
    const { signal } = new AbortController()
    const { account, person } = await find(ctx, who)
    if (account) {
      const onClosed = () => gateways.publish(STANDING_NOTICE, account.id)
      await eraseAccount(ctx, { accountId: account.id, actor: OPERATOR, signal, onClosed })
    }
    const needed = person ? await erasePerson(ctx.db, person, signal) : []
    if (!account) await insertAudit(ctx, { actor: OPERATOR, accountId: null, what: 'person.erased', detail: {} })
    print(json, { erased: true, account: account?.id ?? null, needed }, [
      'Erased. Backups that were made before still have it.',
      ...(needed.length > 0
        ? [`Not over, so the address stays there: ${needed.join(', ')}. Erase it again later.`]
        : []),
    ])
  })
}

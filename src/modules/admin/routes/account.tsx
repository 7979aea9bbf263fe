import { type Actor } from '../../../kernel/actor.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { AppError } from '../../../kernel/errors.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import {
  FEATURES,
  adjustCredits,
  findAccount,
  listActivities,
  listEntries,
  listKeys,
  readAdjustment,
  readCredits,
  readReason,
  readStanding,
  resumeAccount,
  setStanding,
  signOutPeople,
  suspendAccount,
  toUsage,
} from '../../accounts/index.ts'
import { gatherStats } from '../../checkout/index.ts'
import { listWallets } from '../../wallets/index.ts'
import { countFailing } from '../../webhooks/index.ts'
import { AccountPage } from '../pages/account-page.tsx'
import type { AdminPorts } from '../ports.ts'

const LISTED_MAX = 20
const WALLETS_MAX = 10_000
const PATH = '/admin/accounts/:id'

const DONE = {
  suspended: 'Account suspended. Its keys and sessions no longer work.',
  resumed: 'Account resumed.',
  credits: 'Credits changed.',
  standing: 'Limits and features saved.',
  'signed-out': 'Everyone is signed out.',
  erased: 'Account closed and personal data erased.',
}

/** The operator's page of one account, with its actions. */
export function accountPages(ports: AdminPorts): readonly (Page | Form)[] {
  const { store, checkouts, wallets, announceStanding, erase } = ports
  const { db } = store
  const show = async ({ frame, params }: PageRequest, filled: FormState) => {
    const id = params.id!
    const account = await findAccount(db, id)
    if (!account) throw new AppError('not_found', 'Account not found.')
    const { credits, plan, usage } = await readCredits(store, id)
    const everything = { limit: WALLETS_MAX, start: 0, search: undefined, metadata: undefined }
    const [keys, entries, activity, stats, owned, failing] = await Promise.all([
      listKeys(db, id, LISTED_MAX),
      listEntries(db, id, LISTED_MAX),
      listActivities(db, { accountId: id }, { before: undefined, limit: LISTED_MAX }),
      gatherStats(checkouts, id),
      listWallets(wallets, id, everything),
      countFailing(db, id),
    ])
    return (
      <AccountPage
        frame={frame}
        filled={filled}
        account={account}
        credits={credits}
        plan={plan}
        keys={keys}
        entries={entries}
        activity={activity}
        counts={stats.counts}
        requests={Object.values(usage).reduce((sum, day) => sum + toUsage(day).requests, 0)}
        wallets={{ count: owned.length, raw: owned.reduce((sum, { balance }) => sum + balance, 0n) }}
        failing={failing}
      />
    )
  }
  const change = (
    word: keyof typeof DONE,
    path: string,
    run: (
      who: { accountId: string; actor: Actor },
      fields: FormFields,
      idempotency: Parameters<Form['run']>[2],
    ) => unknown,
  ): Form => ({
    path: `${PATH}/${path}`,
    section: '/admin',
    access: 'administrator',
    permission: 'administration',
    proof: true,
    again: show,
    async run({ params, caller: { actor } }, fields, idempotency) {
      const accountId = params.id!
      await run({ accountId, actor }, fields, idempotency)
      announceStanding(accountId)
      return { to: `/dashboard/admin/accounts/${accountId}?done=${word}` }
    },
  })
  const reason = (fields: FormFields) => readReason({ reason: fields.get('reason') })
  return [
    {
      path: PATH,
      section: '/admin',
      access: 'administrator',
      permission: 'administration',
      done: DONE,
      render: (request) => show(request, EMPTY),
    },
    change('suspended', 'suspend', (who, fields) => suspendAccount(store, { ...who, reason: reason(fields) })),
    change('resumed', 'resume', (who, fields) => resumeAccount(store, { ...who, reason: reason(fields) })),
    change('signed-out', 'sign-out', (who) => signOutPeople(store, who)),
    change('erased', 'erase', (who) => erase({ ...who, onClosed: () => announceStanding(who.accountId) })),
    change('standing', 'standing', (who, fields) =>
      setStanding(store, { ...who, wanted: readStanding(toBody(fields)) }),
    ),
    change('credits', 'credits', (who, fields, idempotency) => {
      const adjustment = readAdjustment({ amount: Number(fields.get('amount')), reason: fields.get('credit_reason') })
      return adjustCredits(store, { ...adjustment, ...who, idempotency })
    }),
  ]
}

const SWITCHES: Readonly<Record<string, boolean>> = { on: true, off: false }

/** An empty limit, and a feature set to default, become null. */
function toBody(fields: FormFields): Record<string, unknown> {
  const limit = (name: string) => (fields.get(name) === '' ? null : Number(fields.get(name)))
  const features = Object.keys(FEATURES).map((name) => [name, SWITCHES[fields.get(name)] ?? null])
  return {
    per_minute: limit('per_minute'),
    concurrency: limit('concurrency'),
    features: Object.fromEntries(features),
  }
}

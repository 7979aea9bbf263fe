import { answer } from '../../../kernel/answers.ts'
import { isDate } from '../../../kernel/calendar.ts'
import { badField } from '../../../kernel/errors.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Page } from '../../../kernel/page.ts'
import { type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { exportActivities, namesOf } from '../activity/export.ts'
import { KINDS, describeActor, describeActivity, describeKey } from '../activity/sentences.ts'
import { type ActivityFilter, listActivities } from '../activity/store.ts'
import { ActivityPage } from '../pages/activity-page.tsx'
import { listKeys } from '../store.ts'

const { text, words } = answer
const PAGE_ROWS = 50
const KEYS_LISTED = 100

/** The page of an account's activity. */
export const activityPages = ({ store }: { store: StoreCtx }): readonly Page[] => [
  {
    path: '/activity',
    permission: 'activity',
    menu: { title: 'Activity', group: 'settings', order: 90, guide: 'people#what-each-role-may-do' },
    async render({ frame, accountId, query }) {
      const values = Object.fromEntries(FILTERS.map((name) => [name, query[name] ?? '']))
      const asked = { before: readCursor(query.before), limit: PAGE_ROWS + 1 }
      const found = await listActivities(store.db, readFilter(accountId, values), asked)
      const names = await namesOf(store.db, accountId)
      const known = { names, accountId }
      const activities = found.slice(0, PAGE_ROWS)
      const last = found.length > PAGE_ROWS ? activities.at(-1) : undefined
      const address = (path: string, before?: string) => {
        const given = Object.entries({ ...values, before: before ?? '' }).filter(([, value]) => value !== '')
        return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
      }
      return (
        <ActivityPage
          frame={frame}
          values={values}
          people={[...names]}
          keys={(await listKeys(store.db, accountId, KEYS_LISTED)).map((key) => [key.id, describeKey(key)] as const)}
          rows={activities.map((activity) => ({
            ...activity,
            who: describeActor(activity, known),
            sentence: describeActivity(activity, known),
          }))}
          csv={address('/api/activity.csv')}
          first={query.before === undefined ? undefined : address('/dashboard/activity')}
          next={last && address('/dashboard/activity', `${last.at}-${last.id}`)}
        />
      )
    },
  },
]

/** The same as JSON and CSV. */
const routes: readonly ApiRoute<{ store: StoreCtx }>[] = [
  {
    tag: 'accounts',
    who: 'account',
    method: 'get',
    path: '/api/activity.csv',
    id: 'exportActivity',
    summary: 'Who did what in the account, newest first, as a table.',
    query: [
      {
        name: 'person',
        schema: text,
        description: 'The id of a member, or of the account for what was done with a key.',
      },
      { name: 'kind', schema: words(...Object.keys(KINDS)), description: 'The subject.' },
      { name: 'from', schema: text, description: 'The first day, such as 2027-01-31.' },
      { name: 'to', schema: text, description: 'The last day.' },
    ],
    type: 'text/csv',
    answer: text,
    scope: 'keys',
    permission: 'activity',
    run: ({ store }, { caller, query }) => ({
      rows: exportActivities(store, readFilter(caller.accountId, query)),
      type: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': 'attachment; filename="activity.csv"' },
    }),
  },
]

export const activityRoutes = (ports: { store: StoreCtx }) => routesOf(routes, ports)
export const describedActivityRoutes = describedOf(routes)

function readCursor(text = ''): { at: number; id: string } | undefined {
  const [, at, id] = /^(\d{1,15})-(\w{1,60})$/.exec(text) ?? []
  return at === undefined ? undefined : { at: Number(at), id: id! }
}

const DAY = 86_400_000

/** The query parameters that filter the activity. */
const FILTERS = ['person', 'kind', 'from', 'to'] as const

/** Reads the filter and refuses the first invalid parameter by its name. */
function readFilter(accountId: string, asked: Readonly<Record<string, unknown>>): ActivityFilter {
  const kind = textOf('kind', asked.kind)
  if (kind !== undefined && !Object.hasOwn(KINDS, kind))
    throw badField('kind', `kind must be one of ${Object.keys(KINDS).join(', ')}.`)
  const person = textOf('person', asked.person)
  if (person !== undefined && !/^\w{1,60}$/.test(person))
    throw badField('person', 'person must be the id of a person or a key.')
  const end = readDay('to', asked.to)
  return {
    accountId,
    actor: person,
    kind,
    from: readDay('from', asked.from),
    // The last day is included whole.
    to: end === undefined ? undefined : end + DAY,
  }
}

function textOf(name: string, value: unknown): string | undefined {
  const text = given(value)
  if (text !== undefined && typeof text !== 'string') throw badField(name, `${name} must be a text.`)
  return text
}

function readDay(name: string, value: unknown): number | undefined {
  const text = textOf(name, value)
  if (text === undefined) return undefined
  if (!isDate(text)) throw badField(name, `${name} must be a date such as 2027-01-31.`)
  return Date.parse(text)
}

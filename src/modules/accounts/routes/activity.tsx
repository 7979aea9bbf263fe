import { isDate } from '../../../kernel/calendar.ts'
import { badField } from '../../../kernel/errors.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Page } from '../../../kernel/page.ts'
import type { Route } from '../../../kernel/route.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { exportDeeds, namesOf } from '../activity/export.ts'
import { KINDS, tellActor, tellDeed, tellKey } from '../activity/sentences.ts'
import { type DeedFilter, listDeeds } from '../activity/store.ts'
import { ActivityPage } from '../pages/activity-page.tsx'
import { listKeys } from '../store.ts'

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
      const found = await listDeeds(store.db, readFilter(accountId, values), asked)
      const names = await namesOf(store.db, accountId)
      const known = { names, accountId }
      const deeds = found.slice(0, PAGE_ROWS)
      const last = found.length > PAGE_ROWS ? deeds.at(-1) : undefined
      const address = (path: string, before?: string) => {
        const given = Object.entries({ ...values, before: before ?? '' }).filter(([, value]) => value !== '')
        return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
      }
      return (
        <ActivityPage
          frame={frame}
          values={values}
          people={[...names]}
          keys={(await listKeys(store.db, accountId, KEYS_LISTED)).map((key) => [key.id, tellKey(key)] as const)}
          rows={deeds.map((deed) => ({ ...deed, who: tellActor(deed, known), told: tellDeed(deed, known) }))}
          csv={address('/api/activity.csv')}
          first={query.before === undefined ? undefined : address('/dashboard/activity')}
          next={last && address('/dashboard/activity', `${last.at}-${last.id}`)}
        />
      )
    },
  },
]

/** The same as JSON and CSV. */
export const activityRoutes = ({ store }: { store: StoreCtx }): readonly Route[] => [
  {
    method: 'GET',
    path: '/api/activity.csv',
    door: 'account',
    scope: 'keys',
    permission: 'activity',
    run: ({ caller, query }) => ({
      rows: exportDeeds(store, readFilter(caller.accountId, query)),
      type: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': 'attachment; filename="activity.csv"' },
    }),
  },
]

function readCursor(text = ''): { at: number; id: string } | undefined {
  const [, at, id] = /^(\d{1,15})-(\w{1,60})$/.exec(text) ?? []
  return at === undefined ? undefined : { at: Number(at), id: id! }
}

const DAY = 86_400_000

/** The query parameters that filter the activity. */
const FILTERS = ['person', 'kind', 'from', 'to'] as const

/** Reads the filter and refuses the first invalid parameter by its name. */
function readFilter(accountId: string, asked: Readonly<Record<string, unknown>>): DeedFilter {
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

import { quote, safeText, toCsvHeader } from '../../../kernel/csv.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { listNames } from '../people/members-store.ts'
import { describeActor, describeActivity } from './sentences.ts'
import { type Activity, type ActivityFilter, listActivities } from './store.ts'

const PAGE = 500
const ROWS_MAX = 50_000

/** The activity of an account as CSV, newest first, read page by page so that memory does not grow with the table. */
export async function* exportActivities({ db }: Pick<StoreCtx, 'db'>, filter: ActivityFilter): AsyncGenerator<string> {
  yield toCsvHeader(['date_utc', 'who', 'what', 'kind', 'actor', 'detail_json', 'id'])
  const known = { names: await namesOf(db, filter.accountId), accountId: filter.accountId }
  let before: Activity | undefined
  for (let rows = 0; rows < ROWS_MAX; rows += PAGE) {
    const page = await listActivities(db, filter, { before, limit: PAGE })
    const lines = page.map((activity) => {
      const parts = describeActivity(activity, known).map((part) => (typeof part === 'string' ? part : part.text))
      const cells = [
        describeActor(activity, known),
        parts.join(''),
        activity.what,
        activity.actor,
        JSON.stringify(activity.detail),
        activity.id,
      ]
      return `${[new Date(activity.at).toISOString(), ...cells].map((cell) => quote(safeText(cell))).join(',')}\r\n`
    })
    if (lines.length > 0) yield lines.join('')
    if (page.length < PAGE) return
    before = page.at(-1)
  }
}

export const namesOf = async (db: StoreCtx['db'], accountId: string): Promise<Map<string, string>> =>
  new Map((await listNames(db, accountId)).map(({ id, email }) => [id, email]))

import { quote, safeText, toCsvHeader } from '../../../kernel/csv.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { listNames } from '../people/members-store.ts'
import { tellActor, tellDeed } from './sentences.ts'
import { type Deed, type DeedFilter, listDeeds } from './store.ts'

const PAGE = 500
const ROWS_MAX = 50_000

/** The activity of an account as CSV, newest first, read page by page so that memory does not grow with the table. */
export async function* exportDeeds({ db }: Pick<StoreCtx, 'db'>, filter: DeedFilter): AsyncGenerator<string> {
  yield toCsvHeader(['date_utc', 'who', 'what', 'kind', 'actor', 'detail_json', 'id'])
  const known = { names: await namesOf(db, filter.accountId), accountId: filter.accountId }
  let before: Deed | undefined
  for (let rows = 0; rows < ROWS_MAX; rows += PAGE) {
    const page = await listDeeds(db, filter, { before, limit: PAGE })
    const lines = page.map((deed) => {
      const told = tellDeed(deed, known).map((part) => (typeof part === 'string' ? part : part.text))
      const cells = [tellActor(deed, known), told.join(''), deed.what, deed.actor, JSON.stringify(deed.detail), deed.id]
      return `${[new Date(deed.at).toISOString(), ...cells].map((cell) => quote(safeText(cell))).join(',')}\r\n`
    })
    if (lines.length > 0) yield lines.join('')
    if (page.length < PAGE) return
    before = page.at(-1)
  }
}

export const namesOf = async (db: StoreCtx['db'], accountId: string): Promise<Map<string, string>> =>
  new Map((await listNames(db, accountId)).map(({ id, email }) => [id, email]))

import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Page } from '../../../kernel/page.ts'
import { ActivityPage } from '../pages/activity-page.tsx'
import { listAudit } from '../store.ts'

const PAGE_ROWS = 50

/** Who changed what in this account. */
export const activityPages = ({ store }: { store: StoreCtx }): readonly Page[] => [
  {
    path: '/activity',
    menu: { title: 'Activity', order: 90 },
    async render({ frame, accountId, query }) {
      const found = await listAudit(store.db, { accountId, before: readCursor(query.before), limit: PAGE_ROWS + 1 })
      const entries = found.slice(0, PAGE_ROWS)
      const last = found.length > PAGE_ROWS ? entries.at(-1) : undefined
      return (
        <ActivityPage
          frame={frame}
          entries={entries}
          first={query.before === undefined ? undefined : '/dashboard/activity'}
          next={last && `/dashboard/activity?before=${last.at}-${last.id}`}
        />
      )
    },
  },
]

function readCursor(text = ''): { at: number; id: string } | undefined {
  const [, at, id] = /^(\d{1,15})-(\w{1,60})$/.exec(text) ?? []
  return at === undefined ? undefined : { at: Number(at), id: id! }
}

import type { StoreCtx } from '../../kernel/in-tx.ts'
import { listEntries, readCredits } from '../../modules/accounts/index.ts'
import { CreditsPage } from '../../web/dashboard/credits-page.tsx'
import type { Door } from './door.tsx'
import { toUsage } from './overview.tsx'

const DAYS = 30
const DAY = 86_400_000
const ENTRIES_MAX = 50

/** Credits left, and what they went for. */
export function mountCredits(door: Door, { store }: { store: StoreCtx }): void {
  door.page({ path: '/credits' }, async ({ frame, accountId }) => {
    const { credits, plan, usage } = await readCredits(store, accountId)
    const today = store.clock.now()
    const dates = Array.from({ length: DAYS }, (_, at) =>
      new Date(today - (DAYS - 1 - at) * DAY).toISOString().slice(0, 10),
    )
    const byAction = new Map<string, number>()
    for (const day of Object.values(usage)) {
      for (const [action, count] of Object.entries(day)) {
        byAction.set(action, (byAction.get(action) ?? 0) + Number(count))
      }
    }
    return (
      <CreditsPage
        frame={frame}
        credits={credits}
        plan={plan}
        days={dates.map((date) => ({ date, ...toUsage(usage[date]) }))}
        actions={[...byAction].map(([action, count]) => ({ action, count })).sort((a, b) => b.count - a.count)}
        entries={await listEntries(store.db, accountId, ENTRIES_MAX)}
      />
    )
  })
}

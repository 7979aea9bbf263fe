import { listEntries, readCredits } from '../../accounts/index.ts'
import { offerCredits } from '../index.ts'
import type { CheckoutCtx } from '../../checkout/index.ts'
import { CreditsPage } from '../pages/credits-page.tsx'
import type { Door, Visit } from '../../../http/dashboard.tsx'
import { toUsage } from '../../admin/routes/overview.tsx'
import { toSaleCtx } from '../../../http/dashboard/sale-ctx.ts'

const DAYS = 30
const DAY = 86_400_000
const ENTRIES_MAX = 50

/** Credits left, what they went for, and the way to more. */
export function mountCredits(door: Door, { checkouts: store }: { checkouts: CheckoutCtx }): void {
  const render = async ({ frame, accountId }: Visit) => {
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
  }
  door.page({ path: '/credits' }, render)
  door.form({
    path: '/credits/buy',
    section: '/credits',
    async run({ accountId }, _fields, deed) {
      const { id } = await offerCredits(toSaleCtx(store, accountId), { accountId }, deed)
      return { to: `/pay/${id}` }
    },
    again: (visit, { error }) =>
      render({ ...visit, frame: { ...visit.frame, notice: { kind: 'failed', text: error?.text ?? '' } } }),
  })
}

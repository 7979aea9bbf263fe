import type { Form, Page, PageRequest } from '../../../kernel/page.ts'
import { listEntries, readCredits, toUsage } from '../../accounts/index.ts'
import { offerCredits } from '../domain/sell-credits.ts'
import { CreditsPage } from '../pages/credits-page.tsx'
import { withBought } from '../domain/order.ts'
import type { BillingContext } from '../context.ts'

const DAYS = 30
const DAY = 86_400_000
const ENTRIES_MAX = 50

/** Pages that show credits and their use, and sell more. */
export function creditPages(context: BillingContext): readonly (Page | Form)[] {
  const store = context.checkouts
  const render = async ({ frame, accountId, query }: PageRequest) => {
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
        frame={await withBought(store.db, frame, { accountId, checkoutId: query.bought })}
        credits={credits}
        plan={plan}
        days={dates.map((date) => ({ date, ...toUsage(usage[date]) }))}
        actions={[...byAction].map(([action, count]) => ({ action, count })).sort((a, b) => b.count - a.count)}
        entries={await listEntries(store.db, accountId, ENTRIES_MAX)}
      />
    )
  }
  return [
    {
      path: '/credits',
      permission: 'reports',
      menu: { title: 'Usage', group: 'developers', order: 40, guide: 'operating#limits-and-credits' },
      render,
    },
    {
      path: '/credits/buy',
      permission: 'reports',
      section: '/credits',
      async run({ accountId }, _fields, idempotency) {
        // Offers count against the account, as at the RPC endpoint.
        const back = '/dashboard/credits?bought={{id}}'
        const { id } = await offerCredits(context, `acc:${accountId}`, { buyer: { accountId }, back, idempotency })
        return { to: `/pay/${id}` }
      },
      again: (request, { error }) =>
        render({ ...request, frame: { ...request.frame, notice: { kind: 'failed', text: error?.text ?? '' } } }),
    },
  ]
}

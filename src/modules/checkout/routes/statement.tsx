import { AppError } from '../../../kernel/errors.ts'
import type { FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { Reply, RouteRequest } from '../../../kernel/route.ts'
import { findMerchant, findShop } from '../../accounts/index.ts'
import { StatementPage } from '../pages/statement-page.tsx'
import type { CheckoutContext } from '../context.ts'
import { LINES_MAX, type Statement, exportStatement, readMonth, readStatement } from '../statement/statement.ts'

/** The statement of a month, for screen and print. */
export const statementPages = (ctx: CheckoutContext): readonly Page[] => [
  {
    path: '/statement',
    permission: 'reports',
    menu: { title: 'Statement', group: 'money', order: 28, guide: 'merchants#keep-books' },
    render: (request) => show(ctx, request),
  },
]

async function show(ctx: CheckoutContext, { frame, query, accountId }: PageRequest) {
  const page = async (filled: FormState, statement?: Statement) => (
    <StatementPage
      frame={frame}
      filled={filled}
      statement={statement}
      merchant={(await findMerchant(ctx.db, accountId))?.name ?? frame.account.email ?? accountId}
      linesMax={LINES_MAX}
    />
  )
  try {
    const asked = readMonth(query, ctx.clock.now(), frame.shop.timeZone)
    const { month, zone } = asked
    return await page({ values: { month, time_zone: zone } }, await readStatement(ctx, accountId, asked))
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error
    return page({ values: query, error: { field: String(error.body.field), text: error.message } })
  }
}

/** The same as CSV. An administrator gets their own account's statement here, too. */
export async function exportMonth(
  ctx: CheckoutContext,
  accountId: string,
  query: RouteRequest['query'],
): Promise<Reply> {
  const { timeZone } = await findShop(ctx.db, accountId)
  const month = readMonth(query, ctx.clock.now(), timeZone)
  return {
    rows: exportStatement(ctx, accountId, month),
    type: 'text/csv; charset=utf-8',
    headers: { 'content-disposition': `attachment; filename="statement-${month.month}.csv"` },
  }
}

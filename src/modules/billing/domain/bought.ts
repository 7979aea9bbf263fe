import type { Db } from '../../../kernel/db.ts'
import type { FrameProps } from '../../../kernel/page.ts'
import { findOrder, listSettledOf } from '../store.ts'

type Ways = NonNullable<FrameProps['notice']>['ways']

interface Bought {
  /** In words. */
  what: string
  subject: string
}

/** What an account has bought by a checkout; undefined when that is not its own, or was not paid. */
async function findBought(
  db: Db,
  { checkoutId, accountId }: { checkoutId: string; accountId: string },
): Promise<Bought | undefined> {
  const order = await findOrder(db, checkoutId)
  if (order?.accountId !== accountId) return undefined
  const given = (await listSettledOf(db, checkoutId)).find(({ outcome }) => outcome === 'applied')
  return given?.what ? { what: given.what, subject: order.subject } : undefined
}

/** A page to which a buyer comes back says what was bought, and where to find it. */
export async function withBought(
  db: Db,
  frame: FrameProps,
  {
    accountId,
    checkoutId,
    waysTo = () => [],
  }: { accountId: string; checkoutId: string | undefined; waysTo?(subject: string): Ways },
): Promise<FrameProps> {
  const bought = checkoutId === undefined ? undefined : await findBought(db, { checkoutId, accountId })
  if (!bought) return frame
  const { what, subject } = bought
  return { ...frame, notice: { kind: 'done', text: `Paid: ${what}.`, ways: waysTo(subject) ?? [] } }
}

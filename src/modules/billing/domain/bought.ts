import type { Db } from '../../../kernel/db.ts'
import type { FrameProps } from '../../../kernel/page.ts'
import { findOrder, listSettledOf } from '../store.ts'

/** What an account has bought by a checkout, in words; undefined when that is not its own, or was not paid. */
async function findBought(
  db: Db,
  { checkoutId, accountId }: { checkoutId: string; accountId: string },
): Promise<string | undefined> {
  const order = await findOrder(db, checkoutId)
  if (order?.accountId !== accountId) return undefined
  const given = (await listSettledOf(db, checkoutId)).find(({ outcome }) => outcome === 'applied')
  return given?.what ?? undefined
}

/** A page to which a buyer comes back says what was bought. */
export async function withBought(
  db: Db,
  frame: FrameProps,
  { accountId, checkoutId }: { accountId: string; checkoutId: string | undefined },
): Promise<FrameProps> {
  const bought = checkoutId === undefined ? undefined : await findBought(db, { checkoutId, accountId })
  return bought === undefined ? frame : { ...frame, notice: { kind: 'done', text: `Paid: ${bought}.` } }
}

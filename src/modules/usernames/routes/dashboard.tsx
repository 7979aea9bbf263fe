import { createParser } from '../../../kernel/parse-fields.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { CheckoutCtx } from '../../checkout/index.ts'
import { listLeasesOf, statusAt } from '../../names/index.ts'
import { getName, offerName } from '../index.ts'
import { EMPTY, type Filled } from '../../../web/dashboard/form.tsx'
import { NamesPage } from '../pages/names-page.tsx'
import type { Door, Visit } from '../../../http/dashboard.tsx'
import { toSaleCtx } from '../../../http/dashboard/sale-ctx.ts'

const PAGE_ROWS = 50

/** Usernames of an account, and offers of further ones. */
export function mountNames(door: Door, { checkouts: ctx }: { checkouts: CheckoutCtx }): void {
  const parse = createParser(getName)
  const list = async ({ frame, accountId, query }: Visit, filled: Filled) => {
    const after = readCursor(query.after)
    const found = await listLeasesOf(ctx.db, { accountId, limit: PAGE_ROWS + 1, ...(after && { after }) })
    const leases = found.slice(0, PAGE_ROWS)
    const last = found.length > PAGE_ROWS ? leases.at(-1) : undefined
    const now = ctx.clock.now()
    return (
      <NamesPage
        frame={frame}
        filled={filled}
        names={leases.map((lease) => ({ ...lease, state: statusAt(lease, now) }))}
        next={last && `/dashboard/names?after=${last.createdAt}-${last.key}`}
      />
    )
  }
  door.page({ path: '/names' }, (visit) => list(visit, EMPTY))
  door.form({
    path: '/names',
    again: list,
    async run({ accountId }, fields, deed) {
      const { name } = parse({ name: fields.get('name') }) as { name: string }
      const { checkout } = await offerName(toSaleCtx(ctx, accountId), { name, accountId, deed })
      if (!checkout) throw new AppError('invalid_username', 'This name is reserved.', { body: { field: 'name' } })
      return { to: `/pay/${checkout.id}` }
    },
  })
}

function readCursor(text = ''): { createdAt: number; key: string } | undefined {
  const [, createdAt, key] = /^(\d{1,15})-([a-z0-9]{1,30})$/.exec(text) ?? []
  return createdAt === undefined ? undefined : { createdAt: Number(createdAt), key: key! }
}

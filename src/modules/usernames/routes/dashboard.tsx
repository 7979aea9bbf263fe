import { AppError } from '../../../kernel/errors.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { createParser } from '../../../kernel/parse-fields.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { withBought } from '../../billing/index.ts'
import { listLeasesOf, statusAt } from '../../names/index.ts'
import { getName } from '../actions/get-name.ts'
import { offerName } from '../domain/offer-name.ts'
import { NamesPage } from '../pages/names-page.tsx'
import { setIndexed } from '../domain/set-indexed.ts'
import type { UsernameRoom } from '../room.ts'
import { readCursor, toCursor } from './cursor.ts'
import { oneNamePages } from './one-name.tsx'

const PAGE_ROWS = 50

/** Where the buyer of a name goes on: what everybody sees of it, and what it tells them. */
const waysTo = (key: string) => [
  { href: `/@${key}`, title: 'Open its public page' },
  { href: `/dashboard/names/${key}`, title: 'Say what it tells' },
]

/** Usernames of an account, and offers of further ones. */
export function namePages(room: UsernameRoom): readonly (Page | Form)[] {
  const { db, clock } = room.checkouts
  const parse = createParser(getName)
  const list = async ({ frame, accountId, query }: PageRequest, filled: FormState) => {
    const after = readCursor(query.after)
    const found = await listLeasesOf(db, { accountId, limit: PAGE_ROWS + 1, ...(after && { after }) })
    const leases = found.slice(0, PAGE_ROWS)
    const last = found.length > PAGE_ROWS ? leases.at(-1) : undefined
    const now = clock.now()
    return (
      <NamesPage
        frame={await withBought(db, frame, { accountId, checkoutId: query.bought, waysTo })}
        filled={filled}
        names={leases.map((lease) => ({ ...lease, state: statusAt(lease, now) }))}
        next={last && `/dashboard/names?after=${toCursor(last)}`}
      />
    )
  }
  return [
    ...oneNamePages(room),
    {
      path: '/names',
      permission: 'names',
      menu: { title: 'Usernames', order: 50, guide: 'usernames' },
      done: {
        listed: 'Search engines can now list this page.',
        unlisted: 'Search engines are asked not to list this page.',
      },
      render: (request) => list(request, EMPTY),
    },
    {
      path: '/names',
      permission: 'names',
      again: list,
      async run({ accountId }, fields, idempotency) {
        const { name } = parse({ name: fields.get('name') }) as { name: string }
        const back = '/dashboard/names?bought={{id}}'
        // Offers count against the account, as at the RPC endpoint.
        const { checkout } = await offerName(room, `acc:${accountId}`, { name, accountId, back, idempotency })
        if (!checkout) throw new AppError('invalid_username', 'This name is reserved.', { body: { field: 'name' } })
        return { to: `/pay/${checkout.id}` }
      },
    },
    {
      path: '/names/:name/indexing',
      section: '/names',
      permission: 'names',
      again: list,
      async run({ accountId, caller: { actor }, params }, fields) {
        const indexed = fields.get('indexed') === 'true'
        await setIndexed(room, { name: params.name!, accountId, actor, indexed })
        return { to: `/dashboard/names?done=${indexed ? 'listed' : 'unlisted'}` }
      },
    },
  ]
}

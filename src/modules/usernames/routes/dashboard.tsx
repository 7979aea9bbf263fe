import { AppError } from '../../../kernel/errors.ts'
import { isFresh } from '../../../kernel/route.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { createParser } from '../../../kernel/parse-fields.ts'
import { readChange } from '../../../kernel/resource/read.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { formBody, formState } from '../../../web/dashboard/resource-form.tsx'
import { withBought } from '../../billing/index.ts'
import { type NameLease, findLease, listLeasesOf, statusAt } from '../../names/index.ts'
import { getName } from '../actions/get-name.ts'
import { type NameChanges, offerChange } from '../domain/change-name.ts'
import { setIndexed } from '../domain/find-name.ts'
import { offerName } from '../domain/lease-name.ts'
import { nothingToChange } from '../errors.ts'
import { nameForm, toFormRecord } from '../name-form.ts'
import { NamePage } from '../pages/name-page.tsx'
import { NamesPage } from '../pages/names-page.tsx'
import type { UsernameContext } from '../context.ts'
import { readChanges } from '../wire-fields.ts'
import { readCursor, toCursor } from './api.ts'

const PAGE_ROWS = 50

/** The links for the buyer of a name: its public page, and its settings. */
const waysTo = (key: string) => [
  { href: `/@${key}`, title: 'Open its public page' },
  { href: `/dashboard/names/${key}`, title: 'Edit its page' },
]

/** Dashboard pages of an account's usernames, with offers of further ones. */
export function namePages(context: UsernameContext): readonly (Page | Form)[] {
  const { db, clock } = context.checkouts
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
    ...oneNamePages(context),
    {
      path: '/names',
      permission: 'names',
      menu: { title: 'Names', group: 'developers', order: 50, guide: 'usernames' },
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
        const { checkout } = await offerName(context, `acc:${accountId}`, { name, accountId, back, idempotency })
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
        await setIndexed(context, { name: params.name!, accountId, actor, indexed })
        return { to: `/dashboard/names?done=${indexed ? 'listed' : 'unlisted'}` }
      },
    },
  ]
}

const waysToName = (key: string) => [{ href: `/@${key}`, title: 'Open its public page' }]

/** The page of one name, with paid changes. */
function oneNamePages(context: UsernameContext): readonly (Page | Form)[] {
  const { db, clock } = context.checkouts
  const getOwn = async ({ accountId, params }: PageRequest): Promise<NameLease> => {
    const lease = await findLease(db, params.name!.toLowerCase())
    if (lease?.accountId !== accountId) throw new AppError('not_found', 'Username not found.')
    return lease
  }
  const page = async (request: PageRequest, filled: FormState) => {
    const { caller, accountId, query } = request
    const frame = await withBought(db, request.frame, { accountId, checkoutId: query.bought, waysTo: waysToName })
    const lease = await getOwn(request)
    const now = clock.now()
    return (
      <NamePage
        {...lease}
        frame={frame}
        filled={formState(nameForm, undefined, toFormRecord(lease), filled)}
        state={statusAt(lease, now)}
        fee={context.nameUpdatePrice}
        isFresh={isFresh(caller, { now, devnet: frame.devnet })}
      />
    )
  }
  const placed = { path: '/names/:name', section: '/names', permission: 'names' } as const
  return [
    { ...placed, render: (request) => page(request, EMPTY) },
    {
      ...placed,
      // The payment address can be changed here, so the user must have confirmed their identity.
      proof: true,
      pictures: ['image'],
      again: page,
      async run(request, fields, idempotency) {
        const { accountId } = request
        const lease = await getOwn(request)
        const changes = changesOf(lease, fields)
        const back = `/dashboard/names/${lease.key}?bought={{id}}`
        const offer = { name: lease.name, changes, accountId, idempotency, back }
        const { checkout } = await offerChange(context, `acc:${accountId}`, offer)
        return { to: `/pay/${checkout.id}` }
      },
    },
  ]
}

/** Only the changed fields; emptied ones are removed. */
function changesOf(lease: NameLease, fields: FormFields): NameChanges {
  const held = toFormRecord(lease)
  const typed = Object.entries(formBody(nameForm, undefined, 'change', fields))
  const changed = typed.filter(([name, value]) => value !== (held[name as keyof typeof held] ?? ''))
  const read = readChange(nameForm, undefined, Object.fromEntries(changed), held)
  const remove = Object.keys(read).filter((name) => read[name as keyof typeof read] === null)
  const changes = readChanges({ ...read, ...(remove.length > 0 && { remove }) })
  if (!changes) throw nothingToChange()
  return changes
}

import { AppError } from '../../../kernel/errors.ts'
import { isFresh } from '../../../kernel/fresh-proof.ts'
import { fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { withBought } from '../../billing/index.ts'
import { type NameLease, findLease, statusAt } from '../../names/index.ts'
import type { NameChanges } from '../domain/change-name.ts'
import { offerChange } from '../domain/offer-change.ts'
import { badChange, nothingToChange } from '../errors.ts'
import { NAME_FIELDS, NamePage } from '../pages/name-page.tsx'
import type { UsernameRoom } from '../room.ts'
import { readChanges } from '../wire-fields.ts'

const waysTo = (key: string) => [{ href: `/@${key}`, title: 'Open its public page' }]

/** One name of an account: what it stands for and tells, and changes of it, which are paid. */
export function oneNamePages(room: UsernameRoom): readonly (Page | Form)[] {
  const { db, clock } = room.checkouts
  const getOwn = async ({ accountId, params }: PageRequest): Promise<NameLease> => {
    const lease = await findLease(db, params.name!.toLowerCase())
    if (lease?.accountId !== accountId) throw new AppError('not_found', 'Username not found.')
    return lease
  }
  const page = async (request: PageRequest, filled: FormState) => {
    const { caller, accountId, query } = request
    const frame = await withBought(db, request.frame, { accountId, checkoutId: query.bought, waysTo })
    const lease = await getOwn(request)
    const now = clock.now()
    return (
      <NamePage
        {...lease}
        frame={frame}
        filled={{ ...filled, values: { ...valuesOf(lease), ...filled.values } }}
        state={statusAt(lease, now)}
        fee={room.nameUpdatePrice}
        isFresh={isFresh(caller, { now, devnet: frame.devnet })}
      />
    )
  }
  const placed = { path: '/names/:name', section: '/names', permission: 'names' } as const
  return [
    { ...placed, render: (request) => page(request, EMPTY) },
    {
      ...placed,
      // Also changes where the money goes.
      proof: true,
      again: page,
      async run(request, fields, idempotency) {
        const { accountId } = request
        const lease = await getOwn(request)
        const changes = changesOf(lease, fields)
        const back = `/dashboard/names/${lease.key}?bought={{id}}`
        const offer = { name: lease.name, changes, accountId, idempotency, back }
        const { checkout } = await offerChange(room, `acc:${accountId}`, offer)
        return { to: `/pay/${checkout.id}` }
      },
    },
  ]
}

const valuesOf = ({ address, profile }: NameLease): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(profile).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  ),
  address,
})

/** Only what is not as it was; what was emptied is taken away. */
function changesOf(lease: NameLease, fields: FormFields): NameChanges {
  const before = valuesOf(lease)
  const changed = NAME_FIELDS.filter((name) => fields.get(name) !== (before[name] ?? ''))
  const given = Object.fromEntries(changed.map((name) => [name, fields.get(name)]))
  const remove = changed.filter((name) => name !== 'address' && given[name] === '')
  if (given.address !== undefined) given.address = readAddress(given.address)
  const changes = readChanges({ ...given, ...(remove.length > 0 && { remove }) })
  if (!changes) throw nothingToChange()
  return changes
}

function readAddress(text: string): string {
  const key = fromAddress(text)
  if (!key) throw badChange('address', 'Bad account number', 'invalid_account')
  return toAddress(key)
}

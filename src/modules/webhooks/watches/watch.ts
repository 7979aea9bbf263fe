import { answer } from '../../../kernel/answers.ts'
import { badField, missingField } from '../../../kernel/errors.ts'
import { fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import { asked, count, field, id, isoTime, isoTimeOrNone, kept } from '../../../kernel/resource/fields.ts'
import { rowsOf } from '../../../kernel/resource/records.ts'
import { type RecordOf, type RowOf, entity } from '../../../kernel/resource/resource.ts'
import { readEach } from '../../../kernel/resource/wrong-fields.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { toTime } from '../../../kernel/view.ts'

const ADDRESSES_MAX = 1_000
/** In the form. */
const ROWS_MAX = 100
const ONE = 'Address'
const { text, list, orNull, words } = answer

/** Internal times, never shown. */
const moment = () => kept<number>({ schema: answer.integer, column: 'number', isHidden: true })

/** An address about which an endpoint gets events. */
export const watch = entity({
  table: 'address_watches',
  owner: 'accountId',
  key: ['accountId', 'endpointId', 'address'],
  fields: {
    accountId: id({ isHidden: true }),
    /** Several can be added or removed at once. */
    addresses: asked<string[]>({
      isRequired: true,
      takes: list(text),
      example: ['nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'],
      control: {
        as: 'list',
        label: 'Addresses to watch',
        hint: `Up to ${ROWS_MAX} at a time, or up to 1,000 by the API.`,
        placeholder: 'nano_3…',
        one: ONE,
        add: 'Add an address',
        max: ROWS_MAX,
      },
      read: (value, { path }) => readAddresses(path, value),
    }),
    address: id(),
    endpointId: field<string>({
      wire: 'endpoint',
      set: 'once',
      isRequired: true,
      schema: text,
      takes: text,
      personal: 'no: an id of ours',
      example: 'we_2b3c4d5e6f7g8h9i1j2k3m',
      read: (value, { path }) => readEndpointId(path, value),
    }),
    createdAt: isoTime(),
    /** How many events were recorded; the wire name is `events`. */
    told: { ...count(), wire: 'events' },
    /** When the last event was recorded. */
    activeAt: moment(),
    lookedAt: moment(),
    nextLookAt: moment(),
    /** End of the lease: until then only one instance looks. The exact value also identifies that look. */
    leasedUntil: moment(),
    /** The newest block of its chain up to which everything is final and recorded; null before the first block. */
    frontier: kept<string | null>({ schema: orNull(text), column: 'string | null', isHidden: true }),
    height: moment(),
    /** Concatenated first digits of hashes that cause no event: receivable before the watch, or recorded and still receivable. */
    known: kept<string>({ schema: text, column: 'string', isHidden: true, isSecret: true }),
    /** Why looks fail: no node knows the block to continue from, or too many sends are receivable to recognise new ones. */
    trouble: kept<'unknown_floor' | 'too_much_waits' | null>({
      schema: orNull(words('unknown_floor', 'too_much_waits')),
      column: 'string | null',
    }),
    troubleSince: isoTimeOrNone(),
  },
  derived: {
    last_event_at: { as: orNull(text), from: ({ told, activeAt }) => toTime(told === 0 ? null : activeAt) },
  },
})

export type Watch = RecordOf<typeof watch.fields>
export type WatchColumns = RowOf<typeof watch.fields>
export type WatchKey = Pick<Watch, 'accountId' | 'endpointId' | 'address'>
/** Up to where an address is processed. */
export type Floor = Pick<Watch, 'frontier' | 'height' | 'known'>
export type Trouble = NonNullable<Watch['trouble']>

export const { toRecord: toWatch, toRow: fromWatch } = rowsOf(watch)

/** Without duplicates, in the usual form. */
function readAddresses(path: string, value: unknown): string[] {
  if (given(value) === undefined) throw missingField(path)
  if (!Array.isArray(value)) throw badField(path, `${path} must be a list of addresses.`)
  if (value.length === 0 || value.length > ADDRESSES_MAX) {
    throw badField(path, `${path} takes 1 to ${ADDRESSES_MAX} addresses at a time.`)
  }
  const read = readEach(path, { sent: value, one: ONE }, (address, at) => {
    const key = typeof address === 'string' ? fromAddress(address) : undefined
    if (key === undefined) throw badField(path, `${path}[${at}] is no address.`)
    return toAddress(key)
  })
  return [...new Set(read)]
}

export function readEndpointId(path: string, value: unknown): string {
  if (given(value) === undefined) throw missingField(path)
  if (typeof value !== 'string') throw badField(path, `${path} must be the id of one of your webhook endpoints.`)
  return value
}

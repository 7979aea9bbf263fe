import { answer } from '../../kernel/answers.ts'
import { badField } from '../../kernel/errors.ts'
import type { Labelled, Reading } from '../../kernel/resource/field.ts'
import { field, id, kept, picture, text, unixTime, url } from '../../kernel/resource/fields.ts'
import { type RecordOf, type RowOf, type ValuesOf, entity } from '../../kernel/resource/resource.ts'
import { isTimeZone } from '../../kernel/calendar.ts'
import type { Prices } from '../../kernel/ports.ts'
import { given, readUrl } from '../../kernel/shown-fields.ts'
import { toAccent } from './domain/accent.ts'
import { email } from './email-field.ts'

const { orNull } = answer
const ZONE_MAX = 64

interface ProfileContext {
  /** The base URL of links to this gateway. */
  baseUrl(): string
  /** On the development ledger, URLs may be plain http. */
  isPlay: boolean
  prices: Pick<Prices, 'currencies'>
}

/** The public profile of an account. */
export const accountProfile = entity({
  table: 'account_profiles',
  owner: 'accountId',
  key: ['accountId'],
  rules: ({ isPlay, prices }: ProfileContext) => ({ plainHttpAllowed: isPlay, currencies: prices.currencies }),
  fields: {
    accountId: id({ isHidden: true }),
    name: text({
      label: 'Name',
      hint: 'Without a name, payers only see your address.',
      max: 80,
      personal: true,
      example: 'Blue Mug Coffee',
    }),
    currency: shopCurrency({ label: 'Currency', hint: 'Your amounts are shown in it first.' }),
    timeZone: zone({
      label: 'Time zone',
      hint: 'Your days end at its midnight.',
      placeholder: 'Europe/Berlin',
      isBeside: true,
    }),
    logoUrl: {
      ...picture({ label: 'Logo', hint: 'PNG, JPEG or WebP.' }),
      wire: 'logo',
      // The module that fetches the picture decides which URLs are allowed, with every scheme and port.
      read: (value: unknown, { path }: Reading) => readUrl(path, value, { plainHttpAllowed: true }),
    },
    /** Our copy. */
    logoId: kept<string | null>({ schema: orNull(answer.text), column: 'string | null', isHidden: true }),
    website: { ...url({ label: 'Website' }), example: 'https://shop.example' },
    supportEmail: email({ label: 'Support email' }),
    supportUrl: url({ label: 'Support page' }),
    termsUrl: url({ label: 'Terms of service' }),
    accent: colour({
      label: 'Colour',
      hint: 'Such as #1a5fc7. Text is adjusted to stay readable.',
      placeholder: '#1a5fc7',
    }),
    /** The address that is paid if a checkout, link or till names none. */
    payoutAddress: kept<string | null>({ schema: orNull(answer.text), column: 'string | null', isHidden: true }),
    /** Zero if the profile is empty. */
    updatedAt: {
      ...unixTime('updated_unix'),
      schema: orNull(answer.unix),
      show: (value: number) => (value === 0 ? null : Math.floor(value / 1000)),
    },
  },
  derived: {
    logo_url: {
      as: orNull(answer.url),
      from: ({ logoId }, { baseUrl }) => (logoId === null ? null : `${baseUrl()}/logos/${logoId}`),
    },
  },
})

export type Profile = RecordOf<typeof accountProfile.fields>
export type ProfileChange = Partial<ValuesOf<typeof accountProfile.fields>>
export type ProfileColumns = RowOf<typeof accountProfile.fields>

function colour(labelled: Labelled) {
  return field<string | null>({
    column: 'string | null',
    personal: true,
    erased: null,
    schema: orNull(answer.text),
    takes: orNull(answer.text),
    example: '#1a5fc7',
    control: { as: 'colour', ...labelled },
    read(value, { path }) {
      const accent = typeof value === 'string' ? toAccent(value) : undefined
      if (given(value) === undefined) return null
      if (accent === undefined) throw badField(path, `${path} must be a colour such as #1a5fc7.`)
      return accent
    },
  })
}

/** The currency in which amounts are shown first; null for nano. */
function shopCurrency(labelled: Labelled) {
  return field<string | null>({
    column: 'string | null',
    personal: 'no: a code of a currency',
    schema: orNull(answer.text),
    takes: orNull(answer.text),
    control: {
      as: 'choice',
      options: ({ currencies = [] }) => [['NANO', 'Nano'], ...currencies.map((code) => [code, code] as const)],
      ...labelled,
    },
    read(value, { path, rules: { currencies = [] } }) {
      const code = given(value)
      if (code === undefined || code === 'NANO') return null
      const known = currencies.find((one) => one === code)
      if (known === undefined) throw badField(path, 'Unsupported currency.', 'invalid_currency')
      return known
    },
  })
}

/** The time zone whose midnight ends a day; null for UTC. */
function zone(labelled: Labelled) {
  return field<string | null>({
    column: 'string | null',
    personal: 'no: one of some hundred names',
    schema: orNull(answer.text),
    takes: orNull(answer.text),
    control: { as: 'text', max: ZONE_MAX, ...labelled },
    read(value, { path }) {
      if (given(value) === undefined) return null
      if (typeof value === 'string' && value.length <= ZONE_MAX && isTimeZone(value)) return value
      throw badField(path, `${path} must be a time zone such as Europe/Berlin.`)
    },
  })
}

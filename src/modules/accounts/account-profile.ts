import { answer } from '../../kernel/answers.ts'
import { badField } from '../../kernel/errors.ts'
import type { Labelled, Reading } from '../../kernel/resource/field.ts'
import { field, id, kept, text, unixTime, url } from '../../kernel/resource/fields.ts'
import { type RecordOf, type RowOf, type ValuesOf, noun } from '../../kernel/resource/resource.ts'
import { given, readUrl } from '../../kernel/shown-fields.ts'
import { toAccent } from './domain/accent.ts'
import { email } from './email-field.ts'

const { orNull } = answer

interface ProfileRoom {
  /** The base URL of links to this gateway. */
  baseUrl(): string
  /** On the development ledger, URLs may be plain http. */
  isPlay: boolean
}

const LOGO = {
  label: 'Logo',
  hint: 'An https URL of a PNG, JPEG or WebP up to 512 KB and 2048 pixels. We store a copy.',
}

/** The public profile of an account. */
export const accountProfile = noun({
  table: 'account_profiles',
  owner: 'accountId',
  key: ['accountId'],
  rules: ({ isPlay }: ProfileRoom) => ({ plainHttpAllowed: isPlay }),
  fields: {
    accountId: id({ isHidden: true }),
    name: text({
      label: 'Name',
      hint: 'Without a name, payers only see your address.',
      max: 80,
      personal: true,
      example: 'Blue Mug Coffee',
    }),
    logoUrl: {
      ...url(LOGO),
      wire: 'logo',
      // The module that fetches decides which URLs are allowed, for every scheme and port.
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
    /** Zero while the profile is empty. */
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
    control: { as: 'text', max: 7, ...labelled },
    read(value, { path }) {
      const accent = typeof value === 'string' ? toAccent(value) : undefined
      if (given(value) === undefined) return null
      if (accent === undefined) throw badField(path, `${path} must be a colour such as #1a5fc7.`)
      return accent
    },
  })
}

import { answer } from '../../kernel/answers.ts'
import { dayOf, isDate } from '../../kernel/calendar.ts'
import { badField } from '../../kernel/errors.ts'
import type { KeyKind } from '../../kernel/api-key.ts'
import type { Labelled } from '../../kernel/resource/field.ts'
import { asked, list, text, whole } from '../../kernel/resource/fields.ts'
import { entity } from '../../kernel/resource/resource.ts'
import { SCOPES, type Scope } from '../../kernel/rights.ts'
import { textOf } from '../../kernel/shape.ts'
import { given } from '../../kernel/shown-fields.ts'
import {
  BINDINGS_MAX,
  NAME_LENGTH_MAX,
  ORIGINS_MAX,
  PER_MINUTE_MAX,
  isOrigin,
  readAddress,
  readCheckoutId,
  readSpend,
} from './wire-fields.ts'

/** The description of each scope. */
const MEANINGS: Record<Scope, string> = {
  read: 'Read the ledger, prices and names; publish blocks',
  work: 'Proof of work',
  checkout: 'Checkouts',
  'wallets:read': 'See wallets',
  'wallets:send': 'Send from wallets, create and close them',
  names: 'Usernames',
  email: 'Email payments',
  reports: 'Reports, exports, credits',
  webhooks: 'Events and webhooks',
  refunds: 'Refunds',
  keys: 'Create, rotate and revoke keys',
}

declare module '../../kernel/resource/field.ts' {
  interface Rules {
    /** The scopes that the maker of a key can grant to it. */
    give: readonly Scope[]
    now: number
  }
}

const ONLY_SECRET = 'Only a secret key can have this limit.'

/** The form of a new key. Requests of programs are read by `readNewKey`, which reads the form as well. */
export const keyForm = entity({
  table: 'api_keys',
  owner: 'accountId',
  key: ['id'],
  rules: (context: { give: readonly Scope[]; now: number }) => context,
  fields: {
    name: text({ label: 'Name', hint: 'What will use it, such as Web shop.', max: NAME_LENGTH_MAX, required: true }),
    kind: asked<KeyKind>({
      takes: answer.text,
      control: {
        as: 'choice',
        label: 'Kind',
        options: () => [
          ['secret', 'Secret: full or restricted access, for your server'],
          ['public', 'Public: creates checkouts from your web pages'],
        ],
      },
      read: (value) => (value === 'public' ? 'public' : 'secret'),
    }),
    origins: several((text) => (isOrigin(text) ? text : undefined), {
      label: 'Origins (public keys)',
      hint: 'Only these sites can use the key.',
      placeholder: 'https://shop.example',
      what: 'an origin such as https://shop.example',
      one: 'Origin',
      add: 'Add an origin',
      max: ORIGINS_MAX,
    }),
    addresses: several(readAddress, {
      label: 'Addresses (public keys)',
      hint: 'Checkouts made with the key can only pay these. If empty, anyone who reads the key can make checkouts to any address.',
      placeholder: 'nano_3…',
      what: 'a Nano address',
      one: 'Address',
      add: 'Add an address',
      max: BINDINGS_MAX,
    }),
    templates: several(readCheckoutId, {
      label: 'Templates (public keys)',
      hint: 'Ids of your checkouts. The key can also make orders from these.',
      placeholder: '5c363461a1b2c3d4',
      what: 'the id of a checkout such as 5c363461a1b2c3d4',
      one: 'Template',
      add: 'Add a template',
      max: BINDINGS_MAX,
    }),
    scopes: asked<Scope[] | undefined>({
      takes: answer.list(answer.text),
      control: {
        as: 'choices',
        label: 'Permissions of a secret key',
        hint: 'Calls that need a scope the key does not have are refused. A key never does more than the person who made it.',
        options: ({ give = SCOPES }) => give.map((scope) => [scope, MEANINGS[scope]] as const),
      },
      read(value, { path, rules: { give = SCOPES } }) {
        const scopes = value as Scope[] | undefined
        // If all boxes are ticked, or the form had none, the key gets all scopes, including future ones.
        if (scopes === undefined || scopes.length === give.length) return undefined
        if (scopes.length === 0) throw badField(path, 'Tick at least one.')
        return scopes
      },
    }),
    expiresUnix: asked<number | undefined>({
      takes: answer.unix,
      control: {
        as: 'text',
        type: 'date',
        label: 'Expires on',
        hint: 'At the start of this day.',
        fromInput: (typed, zone) => (isDate(typed) ? Math.floor(dayOf(zone, typed).from / 1000) : typed),
      },
      read(value, { path, rules: { now = 0 } }) {
        if (given(value) === undefined) return undefined
        if (typeof value === 'number' && value * 1000 > now) return value
        throw badField(path, `${path} must be a day in the future.`)
      },
    }),
    perMinute: whole({
      label: 'Requests per minute',
      hint: 'For a secret key, in addition to the account’s limits.',
      max: PER_MINUTE_MAX,
    }),
    spendDailyNano: asked<string | undefined>({
      takes: answer.text,
      control: {
        as: 'text',
        decimal: true,
        max: 40,
        label: 'Nano per day',
        hint: 'How much a secret key can send from wallets or by email in a day, which ends at midnight UTC.',
      },
      read(value) {
        if (given(value) === undefined) return undefined
        readSpend(value)
        return textOf(value)
      },
    }),
  },
  refuse: {
    origins({ kind, origins = [] }) {
      if (kind === 'public' && origins.length === 0) return 'A public key needs at least one origin.'
      return kind === 'secret' && origins.length > 0 ? 'Only a public key can have origins.' : undefined
    },
    scopes: ({ kind, scopes }) => (kind === 'public' && scopes ? 'Only a secret key can have permissions.' : undefined),
    perMinute: ({ kind, perMinute }) => (kind === 'public' && perMinute ? ONLY_SECRET : undefined),
    spendDailyNano: ({ kind, spendDailyNano }) => (kind === 'public' && spendDailyNano ? ONLY_SECRET : undefined),
  },
})

/** Texts in rows, each read on its own. */
function several(
  readOne: (text: string) => string | undefined,
  { what, ...rows }: Labelled & { what: string; one: string; add: string; max: number },
) {
  const read = (value: unknown, path: string) => {
    const found = readOne(textOf(value))
    if (found === undefined) throw badField(path, `${path} must be ${what}.`)
    return found
  }
  return list<string>({ schema: answer.text, read }, { of: 'values', ...rows })
}

import { type ValuesOf, record, setting, text } from '../../kernel/setting.ts'

export const NAME_SETTINGS = {
  knownFile: setting(
    'KNOWN_FILE',
    '',
    text,
    'JSON file of built-in usernames, aliases and reserved words; defaults to the one that comes with the gateway.',
  ),
  knownNames: setting('KNOWN_NAMES', '{}', record, 'Additional built-in usernames, as JSON: name → address.'),
} as const

export type NameSettings = ValuesOf<typeof NAME_SETTINGS>

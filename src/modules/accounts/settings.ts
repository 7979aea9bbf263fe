import { type ValuesOf, oneOf, setting } from '../../kernel/setting.ts'

export const ACCOUNT_SETTINGS = {
  passkeysRequired: setting(
    'PASSKEYS_REQUIRED',
    'none',
    oneOf('none', 'administrators', 'members'),
    'Who must have a passkey, and signs in by mail only to add one: `none`, the people of `administrators`, or all `members` of accounts. Keys are left alone.',
  ),
} as const

export type AccountSettings = ValuesOf<typeof ACCOUNT_SETTINGS>

import { type ValuesOf, oneOf, setting } from '../../kernel/setting.ts'

export const ACCOUNT_SETTINGS = {
  passkeysRequired: setting(
    'PASSKEYS_REQUIRED',
    'none',
    oneOf('none', 'administrators', 'members'),
    'Who must have a passkey, and can sign in by email only to add one: `none`, the people of `administrators`, or all `members` of accounts. API keys are not affected.',
  ),
} as const

export type AccountSettings = ValuesOf<typeof ACCOUNT_SETTINGS>

import { type ValuesOf, nano, setting, whole } from '../../kernel/setting.ts'

export const EMAIL_SETTINGS = {
  emailFee: setting('EMAIL_FEE_NANO', '0.1', nano, 'What each recipient of an e-mail payment after the first costs.'),
  emailRecipientsPerDayMax: setting(
    'EMAIL_RECIPIENTS_PER_DAY_MAX',
    '200',
    whole(0),
    'Recipients of e-mail payments that an account names in 24 hours; 0 is no limit.',
  ),
  emailMailsPerAddressMax: setting(
    'EMAIL_MAILS_PER_ADDRESS_MAX',
    '5',
    whole(0),
    'Mails with e-mail payments to one address in 24 hours, whoever pays; 0 is no limit.',
  ),
} as const

export type EmailSettings = ValuesOf<typeof EMAIL_SETTINGS>

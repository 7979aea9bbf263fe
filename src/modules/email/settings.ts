import { type ValuesOf, nano, setting, whole } from '../../kernel/setting.ts'

export const EMAIL_SETTINGS = {
  emailFee: setting('EMAIL_FEE_NANO', '0.1', nano, 'Fee for each recipient of an email payment after the first.'),
  emailRecipientsPerDayMax: setting(
    'EMAIL_RECIPIENTS_PER_DAY_MAX',
    '200',
    whole(0),
    'Most recipients of email payments per account in 24 hours; 0 means no limit.',
  ),
  emailMailsPerAddressMax: setting(
    'EMAIL_MAILS_PER_ADDRESS_MAX',
    '5',
    whole(0),
    'Most emails about email payments to one address in 24 hours, from all payers together; 0 means no limit.',
  ),
} as const

export type EmailSettings = ValuesOf<typeof EMAIL_SETTINGS>

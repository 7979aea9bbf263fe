import type { Migrations } from '../../../kernel/db.ts'
import { up as emailPayments } from './0015-email-payments.ts'
import { up as claimLinks } from './0028-claim-links.ts'

export const EMAIL_MIGRATIONS: Migrations = {
  '0015-email-payments': emailPayments,
  '0028-claim-links': claimLinks,
}

import type { Migrations } from '../../../kernel/migration.ts'
import { up as emailPayments } from './0015-email-payments.ts'

export const EMAIL_MIGRATIONS: Migrations = {
  '0015-email-payments': emailPayments,
}

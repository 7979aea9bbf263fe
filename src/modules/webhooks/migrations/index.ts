import type { Migrations } from '../../../kernel/migration.ts'
import { up as webhooks } from './0007-webhooks.ts'

export const WEBHOOK_MIGRATIONS: Migrations = {
  '0007-webhooks': webhooks,
}

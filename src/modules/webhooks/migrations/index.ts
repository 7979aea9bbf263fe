import type { Migrations } from '../../../kernel/db.ts'
import { up as webhooks } from './0007-webhooks.ts'
import { up as endpoints } from './0032-webhook-endpoints.ts'
import { up as addressWatches } from './0034-address-watches.ts'

export const WEBHOOK_MIGRATIONS: Migrations = {
  '0007-webhooks': webhooks,
  '0032-webhook-endpoints': endpoints,
  '0034-address-watches': addressWatches,
}

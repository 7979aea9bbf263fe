import type { Migrations } from '../../../kernel/db.ts'
import { up as status } from './0041-status.ts'

export const STATUS_MIGRATIONS: Migrations = {
  '0041-status': status,
}

import type { Migrations } from '../../../kernel/migration.ts'
import { up as names } from './0014-names.ts'

export const NAME_MIGRATIONS: Migrations = {
  '0014-names': names,
}

import type { Migrations } from '../../../kernel/db.ts'
import { up as names } from './0014-names.ts'
import { up as namePages } from './0038-name-pages.ts'

export const NAME_MIGRATIONS: Migrations = {
  '0014-names': names,
  '0038-name-pages': namePages,
}

import type { Migrations } from '../../../kernel/db.ts'
import { up as works } from './0005-works.ts'
import { up as preparedWorks } from './0022-prepared-works.ts'

export const WORK_MIGRATIONS: Migrations = {
  '0005-works': works,
  '0022-prepared-works': preparedWorks,
}

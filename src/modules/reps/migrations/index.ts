import type { Migrations } from '../../../kernel/db.ts'
import { up as reps } from './0010-reps.ts'

export const REPRESENTATIVE_MIGRATIONS: Migrations = {
  '0010-reps': reps,
}

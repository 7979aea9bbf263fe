import type { Migrations } from '../../../kernel/migration.ts'
import { up as swaps } from './0011-swaps.ts'

export const SWAP_MIGRATIONS: Migrations = {
  '0011-swaps': swaps,
}

import type { Migrations } from '../../../kernel/db.ts'
import { up as swaps } from './0011-swaps.ts'

export const SWAP_MIGRATIONS: Migrations = {
  '0011-swaps': swaps,
}

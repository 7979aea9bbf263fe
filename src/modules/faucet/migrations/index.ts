import type { Migrations } from '../../../kernel/db.ts'
import { up as faucet } from './0016-faucet.ts'

export const FAUCET_MIGRATIONS: Migrations = {
  '0016-faucet': faucet,
}

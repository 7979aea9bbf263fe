import type { Migrations } from '../../../kernel/db.ts'
import { up as x402 } from './0009-x402.ts'

export const X402_MIGRATIONS: Migrations = {
  '0009-x402': x402,
}

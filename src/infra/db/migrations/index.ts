import type { Kysely } from 'kysely'
import type { Engine } from '../../../kernel/dialect.ts'
import { up as accounts } from './0001-accounts.ts'
import { up as credits } from './0002-credits.ts'
import { up as jobs } from './0003-jobs.ts'
import { up as freeUses } from './0004-free-uses.ts'
import { up as works } from './0005-works.ts'
import { up as x402 } from './0009-x402.ts'

/** The one list of migrations, for both engines, in order. Names are for ever. */
export const MIGRATIONS: Record<string, (db: Kysely<unknown>, engine: Engine) => Promise<void>> = {
  '0001-accounts': accounts,
  '0002-credits': credits,
  '0003-jobs': jobs,
  '0004-free-uses': freeUses,
  '0005-works': works,
  '0009-x402': x402,
}

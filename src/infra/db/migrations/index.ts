import type { Migrations } from '../../../kernel/db.ts'
import { up as jobs } from './0003-jobs.ts'
import { up as storeFacts } from './0018-store-facts.ts'
import { up as activities } from './0019-deeds.ts'
import { up as retention } from './0030-retention.ts'
import { up as levelQuestions } from './0042-level-questions.ts'
import { up as listsAndTroubles } from './0043-lists-and-troubles.ts'

export const INFRA_MIGRATIONS: Migrations = {
  '0003-jobs': jobs,
  '0018-store-facts': storeFacts,
  '0019-deeds': activities,
  '0030-retention': retention,
  '0042-level-questions': levelQuestions,
  '0043-lists-and-troubles': listsAndTroubles,
}

import type { WorkThresholds } from '../../kernel/nano/work.ts'
import type { WorkPort } from '../../kernel/ports.ts'

/** What proof of work is found with, and how much of it the ledger wants. */
export interface WorkRoom {
  work: WorkPort
  thresholds: WorkThresholds
}

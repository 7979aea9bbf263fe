import { LedgerRefusal } from '../../kernel/errors.ts'
import { CONTROL_IS_DISABLED } from '../../kernel/nano/control-actions.ts'
import type { WorkThresholds } from '../../kernel/nano/work.ts'
import type { WorkPort } from '../../kernel/ports.ts'

/** What proof of work is found with, and how much of it the ledger wants. */
export interface WorkRoom {
  work: WorkPort
  thresholds: WorkThresholds
}

/** A gateway without a source of work is, at the node's door, a node that does not do it for strangers. */
export function requireWork({ offered }: Pick<WorkPort, 'offered'>): void {
  if (!offered) throw new LedgerRefusal(CONTROL_IS_DISABLED)
}

import { LedgerRefusal } from '../../kernel/errors.ts'
import { CONTROL_IS_DISABLED } from '../../kernel/nano/control-actions.ts'
import type { WorkThresholds } from '../../kernel/nano/work.ts'
import { type WorkPort } from '../../kernel/work-port.ts'

/** The context of proof of work: its source and the network's thresholds. */
export interface WorkContext {
  work: WorkPort
  thresholds: WorkThresholds
}

/** Without a source of work, the gateway answers like a node that generates none. */
export function requireWork({ offered }: Pick<WorkPort, 'offered'>): void {
  if (!offered) throw new LedgerRefusal(CONTROL_IS_DISABLED)
}

import type { ControlName } from '../devnet/rpc/controls.ts'
import type { Ledger } from './ledger.ts'

/** Every control of the ledger with its function here: a missing one does not compile. */
export const CONTROL_CALLS = {
  devnet_confirm: ['confirm'],
  devnet_drop: ['drop'],
  devnet_dump: ['dump'],
  devnet_fault: ['fault', 'endFault'],
  devnet_fork_block: ['forkBlock'],
  devnet_fund: ['fund'],
  devnet_hold: ['hold'],
  devnet_impersonate: ['impersonate', 'stopImpersonating'],
  devnet_load: ['load'],
  devnet_release: ['release'],
  devnet_reset: ['reset'],
  devnet_resync: ['resync'],
  devnet_revert: ['revert'],
  devnet_rollback: ['rollback'],
  devnet_set_time: ['setTime'],
  devnet_snapshot: ['snapshot'],
} as const satisfies Record<ControlName, readonly (keyof Ledger)[]>

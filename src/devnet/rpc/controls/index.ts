import { devnetConfirm } from './confirm.ts'
import { devnetDrop } from './drop.ts'
import { devnetDump } from './dump.ts'
import { devnetFault } from './fault.ts'
import { devnetForkBlock } from './fork-block.ts'
import { devnetFund } from './fund.ts'
import { devnetHold } from './hold.ts'
import { devnetImpersonate } from './impersonate.ts'
import { devnetLoad } from './load.ts'
import { devnetRelease } from './release.ts'
import { devnetReset } from './reset.ts'
import { devnetResync } from './resync.ts'
import { devnetRevert } from './revert.ts'
import { devnetRollback } from './rollback.ts'
import { devnetSetTime } from './set-time.ts'
import { devnetSnapshot } from './snapshot.ts'
import type { Handler } from '../handler.ts'

/**
 * The one list of what no node has: every one of these is an action here, a command and a call of the package for tests.
 * `isAction` says what can be made to fail.
 */
export const openControls = (isAction: (name: string) => boolean) =>
  ({
    devnet_confirm: devnetConfirm,
    devnet_drop: devnetDrop,
    devnet_dump: devnetDump,
    devnet_fault: devnetFault(isAction),
    devnet_fork_block: devnetForkBlock,
    devnet_fund: devnetFund,
    devnet_hold: devnetHold,
    devnet_impersonate: devnetImpersonate,
    devnet_load: devnetLoad,
    devnet_release: devnetRelease,
    devnet_reset: devnetReset,
    devnet_resync: devnetResync,
    devnet_revert: devnetRevert,
    devnet_rollback: devnetRollback,
    devnet_set_time: devnetSetTime,
    devnet_snapshot: devnetSnapshot,
  }) satisfies Record<string, Handler>

export type ControlName = keyof ReturnType<typeof openControls>

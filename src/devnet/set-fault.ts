import type { Fault } from './faults.ts'
import type { LedgerNode } from './node.ts'

/** Lets something go wrong from now on, or ends it. A ledger that lags needs to know what was, so it is kept from here on. */
export async function setFault(node: LedgerNode, target: string, fault: Fault | undefined): Promise<void> {
  const { faults, snapshots } = node
  const { undo } = node.ledger.store
  await node.writeAlone(
    () => fault?.kind === 'lag' && undo.start(() => faults.time()),
    () => (fault ? faults.set(target, fault) : faults.end(target)),
  )
  await snapshots.stopIfUnneeded()
}

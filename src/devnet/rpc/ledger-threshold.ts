import { type Block, ZERO_HASH, previousOf } from '../../kernel/nano/block.ts'
import { type Epoch, thresholdFor } from '../../kernel/nano/network.ts'
import type { LedgerNode } from '../node.ts'

/** The threshold a block would meet on the ledger as it stands; the base when nothing is known about it. */
export function ledgerThreshold({ ledger }: LedgerNode, block: Block): bigint {
  const { store, thresholds } = ledger
  const previous = previousOf(block) === ZERO_HASH ? undefined : store.findBlock(previousOf(block))
  let epoch: Epoch = previous?.epoch ?? 0
  if (block.type !== 'state') return previous ? thresholdFor(thresholds, epoch, false) : thresholds.send
  const sends = previous !== undefined && previous.balance > block.balance
  const source = sends || block.link === ZERO_HASH ? undefined : store.findBlock(block.link)
  if (source && store.findReceivable(block.account, block.link)) {
    epoch = source.epoch > epoch ? source.epoch : epoch
    return thresholdFor(thresholds, epoch, true)
  }
  return previous ? thresholdFor(thresholds, epoch, false) : thresholds.send
}

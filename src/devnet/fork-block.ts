import { ZERO_KEY } from '../kernel/nano/address.ts'
import { type StateBlock, hashBlock } from '../kernel/nano/block.ts'
import { refusal } from '../kernel/nano/node-refusal.ts'
import type { LedgerNode } from './node.ts'
import type { StoredBlock } from './records.ts'

/**
 * Gives an unconfirmed block a rival on the same root, which wins the election after a while: then the block is gone with
 * everything built on it, and the rival confirmed. A client that confirms the block before that has decided otherwise.
 */
export async function forkBlock(node: LedgerNode, hash: string, winsAfterMilliseconds: number): Promise<string> {
  const { ledger } = node
  const findOpen = () => {
    const stored = ledger.store.findBlock(hash)
    return stored && !ledger.isConfirmed(stored) ? stored : undefined
  }
  const rival = await node.write(() => {
    const stored = ledger.store.findBlock(hash)
    if (!stored) throw refusal('hash: Block not found')
    if (ledger.isConfirmed(stored)) throw refusal('hash: Block is confirmed')
    return rivalOf(node, stored)
  })
  const rivalHash = hashBlock(rival)
  const win = (isStill: () => boolean) =>
    node.writeAlone((events) => {
      if (!isStill() || !findOpen()) return
      node.takeBack(hash)
      const applied = ledger.replay(rival)
      if ('refused' in applied) throw new Error(`The rival of ${hash} does not fit: ${applied.refused}`)
      node.follow(rival, applied, events)
      node.confirmNow(rivalHash, events)
    })
  if (winsAfterMilliseconds === 0) await win(() => true)
  else {
    node.endAfter(hash, winsAfterMilliseconds, win)
    node.elections.contested.add(hash)
  }
  return rivalHash
}

/** A send goes elsewhere, first of all back to its sender; anything else names another representative. It is not signed. */
function rivalOf({ ledger }: LedgerNode, { block, subtype }: StoredBlock): StateBlock {
  if (block.type !== 'state' || subtype === 'epoch') throw refusal('hash: An epoch block has no rival')
  const others = [block.account, ledger.genesis.account, ZERO_KEY]
  const signature = '0'.repeat(128)
  // The same root needs the same work.
  if (subtype === 'send') return { ...block, signature, link: others.find((key) => key !== block.link)! }
  return { ...block, signature, representative: others.find((key) => key !== block.representative)! }
}

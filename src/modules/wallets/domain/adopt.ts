import { fromAddress } from '../../../kernel/nano/address.ts'
import { isEpoch } from '../../../kernel/nano/ledger-send.ts'
import type { WalletContext } from '../context.ts'
import { markFound, releaseSource, reopenLost } from '../outbox-moves-store.ts'
import { type OutboxBlock, listLost } from '../outbox-store.ts'
import { cancelPlan, findOpenPlan } from '../plans-store.ts'
import { markAdopted } from '../frozen-store.ts'
import type { WalletLock } from '../lock-store.ts'
import { type Wallet, moveFrontier } from '../store.ts'
import { restoreVoid } from '../void-store.ts'
import { type Chain, readChain } from './chain.ts'
import { findForeign } from './compare.ts'
import { underLock } from './lock.ts'
import type { Step } from './step.ts'
import { readStored, sourceOf } from './stored-block.ts'

/**
 * The first step of an unfrozen wallet, once none of its blocks is open: the state that the ledger has confirmed becomes our record, even
 * where another signer made it. A lost block releases its deposit, but its frontier stays used.
 */
export async function adoptLedger(ctx: WalletContext, lock: WalletLock, wallet: Wallet): Promise<Step> {
  const { store, node } = ctx
  const chain = await readChain(node, wallet.address)
  if (!(await isSettled(ctx, wallet, chain))) return 'waiting'
  const lost = await listLost(store.db, wallet.id)
  const found = new Set<OutboxBlock>()
  const known = await node.readBlocks(lost.map(({ hash }) => hash!))
  for (const block of lost) if (known.get(block.hash!)?.isFinal) found.add(block)
  const moved = await underLock(ctx, lock, async (db, now) => {
    if (!(await moveFrontier(db, wallet, chain))) return false
    for (const block of lost) {
      if (found.has(block) && block.status === 'void') {
        await restoreVoid(db, block, { previous: readStored(block).previous, sourceHash: sourceOf(block) }, now)
      } else if (found.has(block)) await markFound(db, block.id, now)
      else if (block.status === 'void') continue
      else if (block.previous === chain.frontier) await reopenLost(db, block.id)
      else await releaseSource(db, block.id)
    }
    const plan = await findOpenPlan(db, wallet.id)
    if (plan !== undefined) await cancelPlan(db, plan, now)
    await markAdopted(db, wallet.id)
    return true
  })
  return moved ? 'moved' : 'waiting'
}

/** Whether the ledger's state is final, and not the answer of a node that is behind our record. */
async function isSettled(ctx: WalletContext, wallet: Wallet, chain: Chain): Promise<boolean> {
  if (chain.frontier === wallet.frontier) return true
  if ((await findForeign(ctx, wallet, chain)) === 'behind') return false
  const found = (await ctx.node.readBlocks([chain.frontier])).get(chain.frontier)
  if (!found?.isFinal || found.block.type !== 'state' || found.block.balance !== chain.balance) return false
  return found.signer === fromAddress(wallet.address) || isEpoch(found.block)
}

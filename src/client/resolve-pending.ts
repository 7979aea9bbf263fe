import type { AccountChain, Head } from './account-chain.ts'
import type { Budget } from './budget.ts'
import { isOnLedger } from './publish.ts'

/**
 * Finds out what became of payments whose outcome is unknown, before another is signed. The ledger decides, and not
 * the one who was paid: once another block has its place, it is there or will never be.
 */
export async function resolvePending(chain: AccountChain, budget: Budget, head: Head): Promise<void> {
  for (const entry of budget.pendingOf(chain.key)) {
    if (entry.block.previous === head.previous) continue
    const isThere = entry.hash === head.previous || (await isOnLedger(chain.rpc, entry.hash))
    entry.state = isThere ? 'settled' : 'refused'
  }
}

import { refusal } from '../../kernel/nano/node-refusal.ts'
import type { Answer } from '../answer.ts'
import { type Fault, LostAnswer } from '../faults.ts'
import type { LedgerNode } from '../node.ts'

/** Answers as a test that has ordered a fault wants it. `looks` says whether the action only reads. */
export async function suffer(
  node: LedgerNode,
  { kind, milliseconds }: Fault,
  { looks, answer }: { looks: boolean; answer: () => Answer | Promise<Answer> },
): Promise<Answer> {
  switch (kind) {
    case 'error':
      throw refusal('Internal server error in RPC')
    case 'delay':
      await node.faults.wait(milliseconds)
      return answer()
    case 'drop':
      // It is done, and the client does not hear of it: the case that those who send money have to be ready for.
      await answer()
      throw new LostAnswer()
    case 'lag':
      return looks ? lookBack(node, milliseconds, answer) : answer()
  }
}

function lookBack<T>(node: LedgerNode, milliseconds: number, look: () => T): T {
  const { undo } = node.ledger.store
  const moment = node.faults.time() - milliseconds
  if (node.snapshots.isEmpty) undo.prune(moment)
  return undo.lookBack(moment, look)
}

import { answer } from '../../../kernel/answers.ts'
import { networkFact } from '../network-fact.ts'

export const frontierCount = networkFact(
  'frontier_count',
  'How many accounts the ledger has.',
  { count: '1' },
  answer.record({ count: answer.whole }),
)

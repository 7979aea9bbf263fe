import { answer } from '../../../kernel/answers.ts'
import { accountFact } from '../account-fact.ts'

export const delegatorsCount = accountFact(
  'delegators_count',
  'How many accounts delegate to a representative.',
  { count: '1' },
  answer.record({ count: answer.whole }),
)

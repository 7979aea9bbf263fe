import { answer } from '../../../kernel/answers.ts'
import { accountFact } from '../account-fact.ts'

export const accountBlockCount = accountFact(
  'account_block_count',
  'How many blocks an account has.',
  { block_count: '3' },
  answer.record({ block_count: answer.whole }),
  { refusals: ['Account not found'] },
)

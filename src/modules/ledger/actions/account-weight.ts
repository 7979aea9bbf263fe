import { answer } from '../../../kernel/answers.ts'
import { accountFact } from '../account-fact.ts'

export const accountWeight = accountFact(
  'account_weight',
  'The voting weight delegated to an account.',
  { weight: '1000000000000000000000000000000', weight_nano: '1' },
  answer.record({ weight: answer.raw, weight_nano: answer.nano }),
  { amounts: ['weight'] },
)

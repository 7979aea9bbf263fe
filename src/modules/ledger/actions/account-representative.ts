import { answer } from '../../../kernel/answers.ts'
import { ACCOUNT, accountFact } from '../account-fact.ts'

export const accountRepresentative = accountFact(
  'account_representative',
  'The representative of an account.',
  { representative: ACCOUNT },
  answer.record({ representative: answer.address }),
  { refusals: ['Account not found'] },
)

import { answer } from '../../../kernel/answers.ts'
import { networkFact } from '../network-fact.ts'

export const availableSupply = networkFact(
  'available_supply',
  'Everything outside the genesis and burn accounts.',
  { available: '0', available_nano: '0' },
  answer.record({ available: answer.raw, available_nano: answer.nano }),
  ['available'],
)

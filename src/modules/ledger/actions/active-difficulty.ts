import { answer } from '../../../kernel/answers.ts'
import { networkFact } from '../network-fact.ts'

export const activeDifficulty = networkFact(
  'active_difficulty',
  'Work thresholds of the network.',
  {
    network_minimum: 'ffc0000000000000',
    network_receive_minimum: 'f000000000000000',
    multiplier: '1',
  },
  answer.record({ network_minimum: answer.work, network_receive_minimum: answer.work, multiplier: answer.decimal }),
)

import { answer } from '../../../kernel/answers.ts'
import { networkFact } from '../network-fact.ts'

export const uptime = networkFact(
  'uptime',
  'Seconds since the node behind the gateway started.',
  { seconds: '86400' },
  answer.record({ seconds: answer.whole }),
)

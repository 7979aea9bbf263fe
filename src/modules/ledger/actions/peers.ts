import { answer } from '../../../kernel/answers.ts'
import { networkFact } from '../network-fact.ts'

export const peers = networkFact(
  'peers',
  'Peers of the node behind the gateway.',
  { peers: '' },
  answer.record({ peers: answer.orNothing(answer.oneOf(answer.object, answer.list(answer.text))) }),
)

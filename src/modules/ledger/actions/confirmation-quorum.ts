import { answer } from '../../../kernel/answers.ts'
import { networkFact } from '../network-fact.ts'

export const confirmationQuorum = networkFact(
  'confirmation_quorum',
  'How much voting weight confirms a block.',
  { quorum_delta: '1000000000000000000000000000000', quorum_delta_nano: '1' },
  answer.record({ quorum_delta: answer.raw, quorum_delta_nano: answer.nano }),
  ['quorum_delta', 'online_weight_minimum', 'online_stake_total', 'trended_stake_total', 'peers_stake_total'],
)

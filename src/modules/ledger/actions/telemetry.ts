import { answer } from '../../../kernel/answers.ts'
import { networkFact } from '../network-fact.ts'

export const telemetry = networkFact(
  'telemetry',
  'Telemetry of the network.',
  { block_count: '3', cemented_count: '3' },
  answer.record({
    block_count: answer.optional(answer.whole),
    cemented_count: answer.optional(answer.whole),
    metrics: answer.optional(answer.orNothing(answer.list(answer.object))),
  }),
)

import { answer } from '../../../kernel/answers.ts'
import { networkFact } from '../network-fact.ts'

export const version = networkFact(
  'version',
  'Version and network of the node behind the gateway.',
  {
    rpc_version: '1',
    store_version: '24',
    protocol_version: '21',
    node_vendor: 'Nano V27.1',
    store_vendor: 'LMDB 0.9.70',
    network: 'dev',
  },
  answer.record({
    rpc_version: answer.whole,
    store_version: answer.whole,
    protocol_version: answer.whole,
    node_vendor: answer.text,
    store_vendor: answer.text,
    network: answer.text,
  }),
)

import type { TObject } from 'typebox'
import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type Json, type JsonObject, withNano } from '../../../kernel/shape.ts'

/** Actions that return one node answer about the node or its network. */
function networkFact(name: string, summary: string, response: Json, output: TObject, amounts: readonly string[] = []) {
  return nodeRead({
    name,
    summary,
    input: input({
      peer_details: optional(field.flag('Include details of peers, if there are any.')),
      include_trend: optional(field.flag('Include the trend of the difficulty.')),
      raw: optional(field.flag('Values of each peer instead of one summary.')),
    }),
    example: { request: {}, response },
    output,
    asNode: { names: name === 'frontier_count' ? ['account_count'] : [], fields: ['address', 'port'] },
    async run({ node }, params) {
      return withNano((await node.read(name, params)) as JsonObject, amounts)
    },
  })
}

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

export const availableSupply = networkFact(
  'available_supply',
  'Everything outside the genesis and burn accounts.',
  { available: '0', available_nano: '0' },
  answer.record({ available: answer.raw, available_nano: answer.nano }),
  ['available'],
)

export const confirmationQuorum = networkFact(
  'confirmation_quorum',
  'How much voting weight confirms a block.',
  { quorum_delta: '1000000000000000000000000000000', quorum_delta_nano: '1' },
  answer.record({ quorum_delta: answer.raw, quorum_delta_nano: answer.nano }),
  ['quorum_delta', 'online_weight_minimum', 'online_stake_total', 'trended_stake_total', 'peers_stake_total'],
)

export const frontierCount = networkFact(
  'frontier_count',
  'How many accounts the ledger has.',
  { count: '1' },
  answer.record({ count: answer.whole }),
)

export const peers = networkFact(
  'peers',
  'Peers of the node behind the gateway.',
  { peers: '' },
  answer.record({ peers: answer.orNothing(answer.oneOf(answer.object, answer.list(answer.text))) }),
)

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

export const uptime = networkFact(
  'uptime',
  'Seconds since the node behind the gateway started.',
  { seconds: '86400' },
  answer.record({ seconds: answer.whole }),
)

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

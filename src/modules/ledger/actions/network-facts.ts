import { action } from '../../../kernel/action.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type Json, type JsonObject, withNano } from '../../../kernel/shape.ts'

/** Actions that ask the node about itself or its network and pass the answer on. */
function fact(name: string, summary: string, response: Json, amounts: readonly string[] = []) {
  return action({
    name,
    summary,
    input: input({
      peer_details: optional(field.flag('Include details of peers, where there are any.')),
      include_trend: optional(field.flag('Include the trend of the difficulty.')),
      raw: optional(field.flag('Values of each peer instead of one summary.')),
    }),
    example: { request: {}, response },
    auth: 'none',
    caching: 'short',
    async run({ node }, params) {
      return withNano((await node.read(name, params)) as JsonObject, amounts)
    },
  })
}

export const version = fact('version', 'Version and network of the node behind the gateway.', {
  rpc_version: '1',
  store_version: '24',
  protocol_version: '21',
  node_vendor: 'Nano V27.1',
  store_vendor: 'LMDB 0.9.70',
  network: 'dev',
})
export const uptime = fact('uptime', 'Seconds since the node behind the gateway started.', { seconds: '86400' })
export const frontierCount = fact('frontier_count', 'How many accounts the ledger has.', { count: '1' })
export const availableSupply = fact(
  'available_supply',
  'Everything outside the genesis and burn accounts.',
  { available: '0', available_nano: '0' },
  ['available'],
)
export const activeDifficulty = fact('active_difficulty', 'Work thresholds of the network.', {
  network_minimum: 'ffc0000000000000',
  network_receive_minimum: 'f000000000000000',
  multiplier: '1',
})
export const peers = fact('peers', 'Peers of the node behind the gateway.', { peers: '' })
export const telemetry = fact('telemetry', 'Telemetry of the network.', { block_count: '3', cemented_count: '3' })
export const confirmationQuorum = fact(
  'confirmation_quorum',
  'How much voting weight confirms a block.',
  { quorum_delta: '1000000000000000000000000000000', quorum_delta_nano: '1' },
  ['quorum_delta', 'online_weight_minimum', 'online_stake_total', 'trended_stake_total', 'peers_stake_total'],
)

import { isIP } from 'node:net'
import { RAW_MAX } from '../../kernel/money.ts'
import { ZERO_KEY } from '../../kernel/nano/address.ts'
import { formatWork } from '../../kernel/nano/work.ts'
import { refusal } from '../../kernel/nano/node-request.ts'
import type { LedgerNode } from '../node.ts'
import type { Handler } from './handler.ts'

const PROTOCOL_VERSION = '21'

/** Reports the version of the node that this ledger imitates; `build_info` names this ledger. */
export const version: Handler = (node) => ({
  rpc_version: '1',
  store_version: '24',
  protocol_version: PROTOCOL_VERSION,
  node_vendor: `Nano V${node.version.major}.${node.version.minor}`,
  store_vendor: 'LMDB 0.9.70',
  network: node.identity.network,
  network_identifier: node.identity.genesis,
  build_info: 'nano-gateway development ledger',
})

export const uptime: Handler = (node) => ({ seconds: uptimeSeconds(node) })

export const blockCount: Handler = (node) => {
  const { blocks, cemented } = node.ledger.store.totals()
  return { count: `${blocks}`, unchecked: `${node.unchecked.count}`, cemented: `${cemented}` }
}

export const frontierCount: Handler = (node) => ({ count: `${node.ledger.store.totals().accounts}` })

export const availableSupply: Handler = (node) => {
  const genesis = node.ledger.store.findAccount(node.ledger.genesis.account)!
  const burned = node.ledger.receivableSum(ZERO_KEY, false)
  return { available: (RAW_MAX - genesis.balance - burned).toString() }
}

/** There are no other nodes on this network. */
export const peers: Handler = () => ({ peers: '' })

export const telemetry: Handler = (node, request) => {
  const address = request.find('address')
  const port = request.find('port')
  if (address !== undefined || port !== undefined) {
    if (address === undefined || port === undefined) throw refusal('Both port and address required')
    if (!/^[0-9]+$/.test(port) || Number(port) === 0 || Number(port) > 65_535) throw refusal('Invalid port')
    if (isIP(address) === 0) throw refusal('Invalid IP address')
    throw refusal('Peer not found')
  }
  if (request.flag('raw')) return { metrics: '' }
  const { blocks, cemented, accounts } = node.ledger.store.totals()
  return {
    block_count: `${blocks}`,
    cemented_count: `${cemented}`,
    unchecked_count: `${node.unchecked.count}`,
    account_count: `${accounts}`,
    bandwidth_cap: '10485760',
    peer_count: '0',
    protocol_version: PROTOCOL_VERSION,
    uptime: uptimeSeconds(node),
    genesis_block: node.identity.genesis,
    major_version: node.version.major,
    minor_version: node.version.minor,
    patch_version: '0',
    pre_release_version: '0',
    maker: '0',
    timestamp: `${node.clock.now()}`,
    active_difficulty: formatWork(node.ledger.thresholds.send),
    node_id: 'node_1111111111111111111111111111111111111111111111111111hifc8npp',
    signature: '0'.repeat(128),
  }
}

export const uncheckedClear: Handler = (node) => {
  node.unchecked.clear()
  return { success: '' }
}

function uptimeSeconds(node: LedgerNode): string {
  return `${node.uptime()}`
}

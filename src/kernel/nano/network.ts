import { type PublicKey, fromAddress } from './address.ts'
import type { Block } from './block.ts'
import { WORK_THRESHOLDS, type WorkThresholds } from './work.ts'

/** The networks that a gateway can use (`NODE_NETWORK`), with the names in a node's `version.network`. */
export type NetworkName = 'live' | 'beta' | 'dev'

/** The ledger that a gateway's money is on. Two ledgers with the same first block are the same. */
export interface LedgerIdentity {
  network: NetworkName
  /** Hash of the first block. For a network without a fixed one, it is undefined until a node has reported it. */
  genesis: string | undefined
}

/**
 * Hashes of first blocks: `network_identifier` in a node's `version`, `genesis_block` in its `telemetry`. The beta
 * network is restarted at times, so its first block is learned from the first node and kept in the store.
 */
export const GENESIS_HASHES = {
  live: '991CF190094C00F0B68E2E5F75F6BEE95A2E0BD93CEAA4A6734DB9F19B728948',
  beta: undefined,
  /** The public dev network; the development ledger has the same first block. */
  dev: '04270D7F11C4B2B472F2854C5A59F2A7E84226CE9ED799DE75744BD7D85FC9D9',
} as const satisfies Record<NetworkName, string | undefined>

/** The first block that a node reports, in upper case; undefined if that is not a hash. */
export function readGenesis(reported: unknown): string | undefined {
  return typeof reported === 'string' && /^[0-9a-f]{64}$/i.test(reported) ? reported.toUpperCase() : undefined
}

/** `epoch v1 block` and `epoch v2 block` in ASCII, padded to 32 bytes: the links of blocks that upgrade an account. */
const EPOCH_LINKS = new Map<string, 1 | 2>([
  ['65706F636820763120626C6F636B000000000000000000000000000000000000', 1],
  ['65706F636820763220626C6F636B000000000000000000000000000000000000', 2],
])

export function epochOfLink(link: string): 1 | 2 | undefined {
  return EPOCH_LINKS.get(link)
}

export type Epoch = 0 | 1 | 2

/** The least work of a block. It depends on the account's epoch after the block, and on whether the block receives. */
export function thresholdFor(thresholds: WorkThresholds, epoch: Epoch, receives: boolean): bigint {
  if (epoch < 2) return thresholds.epoch1
  return receives ? thresholds.receive : thresholds.send
}

/** A block with less work than this is refused without further checks. */
export function entryThreshold(thresholds: WorkThresholds, type: Block['type']): bigint {
  return type === 'state' ? thresholds.receive : thresholds.epoch1
}

function knownKey(address: string): PublicKey {
  const key = fromAddress(address)
  if (key === undefined) throw new Error(`Bad built-in address ${address}`)
  return key
}

/** The public dev network, whose genesis key is public. */
export const DEV_NETWORK = {
  name: 'dev',
  thresholds: WORK_THRESHOLDS.dev,
  genesisAccount: knownKey('nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'),
  genesisPrivateKey: '34F0A37AAD20F4A260F0A5B3CB3D7FB50673212263E58A380BC10474BB039CE4',
  genesisHash: GENESIS_HASHES.dev,
} as const

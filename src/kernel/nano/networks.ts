/** The networks a gateway can be set to (`NODE_NETWORK`), by the names that nodes give them in `version.network`. */
export type NetworkName = 'live' | 'beta' | 'dev'

/** The one ledger that a gateway's money is in. Two ledgers with one first block are the same ledger. */
export interface LedgerIdentity {
  network: NetworkName
  /** Hash of its first block; undefined until a node has named it, for a network that has no fixed one. */
  genesis: string | undefined
}

/**
 * Hashes of first blocks: `network_identifier` in a node's `version`, `genesis_block` in its `telemetry`. The beta network
 * is begun anew now and then, so its first block is learned from the first node and remembered by the store.
 */
export const GENESIS_HASHES = {
  live: '991CF190094C00F0B68E2E5F75F6BEE95A2E0BD93CEAA4A6734DB9F19B728948',
  beta: undefined,
  /** The public development network, which the development ledger is one of. */
  dev: '04270D7F11C4B2B472F2854C5A59F2A7E84226CE9ED799DE75744BD7D85FC9D9',
} as const satisfies Record<NetworkName, string | undefined>

/** What a node says is the first block, in capitals; undefined when it is no hash. */
export function readGenesis(told: unknown): string | undefined {
  return typeof told === 'string' && /^[0-9a-f]{64}$/i.test(told) ? told.toUpperCase() : undefined
}

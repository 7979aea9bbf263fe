import { type PublicKey, fromAddress } from './address.ts'
import type { Block } from './block.ts'
import { GENESIS_HASHES } from './networks.ts'
import { WORK_THRESHOLDS, type WorkThresholds } from './work.ts'

/** `epoch v1 block` and `epoch v2 block` in ASCII, padded to 32 bytes: links that upgrade an account. */
const EPOCH_LINKS = new Map<string, 1 | 2>([
  ['65706F636820763120626C6F636B000000000000000000000000000000000000', 1],
  ['65706F636820763220626C6F636B000000000000000000000000000000000000', 2],
])

export function epochOfLink(link: string): 1 | 2 | undefined {
  return EPOCH_LINKS.get(link)
}

export type Epoch = 0 | 1 | 2

/** The smallest work value for a block, given the account's epoch after it and what the block does. */
export function thresholdFor(thresholds: WorkThresholds, epoch: Epoch, receives: boolean): bigint {
  if (epoch < 2) return thresholds.epoch1
  return receives ? thresholds.receive : thresholds.send
}

/** The value below which a block is refused unseen. */
export function entryThreshold(thresholds: WorkThresholds, type: Block['type']): bigint {
  return type === 'state' ? thresholds.receive : thresholds.epoch1
}

function knownKey(address: string): PublicKey {
  const key = fromAddress(address)
  if (key === undefined) throw new Error(`Bad built-in address ${address}`)
  return key
}

/** The public development network: everybody knows the key of its genesis account. */
export const DEV_NETWORK = {
  name: 'dev',
  thresholds: WORK_THRESHOLDS.dev,
  genesisAccount: knownKey('nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'),
  genesisPrivateKey: '34F0A37AAD20F4A260F0A5B3CB3D7FB50673212263E58A380BC10474BB039CE4',
  genesisHash: GENESIS_HASHES.dev,
} as const

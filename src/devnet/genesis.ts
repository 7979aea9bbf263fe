import { blake2b } from '@noble/hashes/blake2.js'
import { RAW_MAX } from '../kernel/money.ts'
import type { PublicKey } from '../kernel/nano/address.ts'
import { type LegacyBlock, type StateBlock, hashBlock } from '../kernel/nano/block.ts'
import { bytesToHex } from '../kernel/nano/hex.ts'
import { deriveKey, publicKeyOf, signHash } from '../kernel/nano/keys.ts'
import { DEV_NETWORK } from '../kernel/nano/network.ts'

/** The first blocks of a ledger; no other ledger has the same. */
export interface Genesis {
  account: PublicKey
  /** Public on purpose: this is test nano. */
  privateKey: string
  hash: string
  block: LegacyBlock & { type: 'open' }
  /**
   * The two upgrades of the genesis account. Without them the thresholds of the first epochs would apply to every
   * account.
   */
  epochs: StateBlock[]
}

const EPOCH_LINKS = [
  '65706F636820763120626C6F636B000000000000000000000000000000000000',
  '65706F636820763220626C6F636B000000000000000000000000000000000000',
] as const

/** The genesis of the node whose answers were recorded, with its original work values. */
export const DEV_GENESIS = makeGenesis(DEV_NETWORK.genesisPrivateKey, {
  open: '7b42a00ee91d5810',
  epochs: ['00e6ddc8a9e995b2', '00d65ebd21839e17'],
})

/** The genesis of another ledger, derived from a word: the same word always gives the same ledger. */
export function genesisOf(word: string): Genesis {
  const key = bytesToHex(blake2b(new TextEncoder().encode(`nano-gateway genesis ${word}`), { dkLen: 32 }))
  // These blocks need no work, because the ledger does not check its own.
  return makeGenesis(key, { open: '0'.repeat(16), epochs: ['0'.repeat(16), '0'.repeat(16)] })
}

/** The account that test nano comes from on a fork; no other network has it. */
export const FORK_BANK = genesisOf('fork')

function makeGenesis(privateKey: string, work: { open: string; epochs: readonly [string, string] }): Genesis {
  const account = publicKeyOf(privateKey)
  const draft = { type: 'open' as const, source: account, representative: account, account, work: work.open }
  const hash = hashBlock({ ...draft, signature: '' })
  const block = { ...draft, signature: signHash(privateKey, hash) }
  const epochs: StateBlock[] = []
  for (const [index, link] of EPOCH_LINKS.entries()) {
    const upgrade: StateBlock = {
      type: 'state',
      account,
      previous: epochs[0] === undefined ? hash : hashBlock(epochs[0]),
      representative: account,
      balance: RAW_MAX,
      link,
      signature: '',
      work: work.epochs[index]!,
    }
    epochs.push({ ...upgrade, signature: signHash(privateKey, hashBlock(upgrade)) })
  }
  return { account, privateKey, hash, block, epochs }
}

/** A representative for which this ledger votes. */
export interface Voter {
  key: PublicKey
  privateKey: string
}

/** The genesis account, and others whose keys are derived from its own. */
export const votersOf = ({ account, privateKey }: Genesis, count: number): readonly Voter[] => [
  { key: account, privateKey },
  ...Array.from({ length: count - 1 }, (_, index) => {
    const derived = deriveKey(privateKey, index)
    return { key: publicKeyOf(derived), privateKey: derived }
  }),
]

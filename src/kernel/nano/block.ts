import { type Raw, parseRaw } from '../money.ts'
import { type PublicKey, ZERO_KEY, fromAddress, toAddress } from './address.ts'
import { blake2b256 } from './signatures.ts'
import { bytesToHex, hexToBytes } from './hex.ts'

/** Hashes, keys and signatures are in upper-case hexadecimal, work is in lower case, accounts are public keys. */
export interface StateBlock {
  type: 'state'
  account: PublicKey
  previous: string
  representative: PublicKey
  balance: Raw
  link: string
  signature: string
  work: string
}

/**
 * The four types of blocks from before epoch 1. The genesis block is one of them; new ones are parsed and then refused.
 */
export type LegacyBlock =
  | { type: 'send'; previous: string; destination: PublicKey; balance: Raw; signature: string; work: string }
  | { type: 'receive'; previous: string; source: string; signature: string; work: string }
  | {
      type: 'open'
      source: string
      representative: PublicKey
      account: PublicKey
      signature: string
      work: string
    }
  | { type: 'change'; previous: string; representative: PublicKey; signature: string; work: string }

export type Block = StateBlock | LegacyBlock

export const ZERO_HASH = ZERO_KEY
const STATE_PREAMBLE = '6'.padStart(64, '0')

function hex128(value: bigint): string {
  return value.toString(16).padStart(32, '0')
}

function hashables(block: Block): string[] {
  switch (block.type) {
    case 'state':
      return [STATE_PREAMBLE, block.account, block.previous, block.representative, hex128(block.balance), block.link]
    case 'send':
      return [block.previous, block.destination, hex128(block.balance)]
    case 'receive':
      return [block.previous, block.source]
    case 'open':
      return [block.source, block.representative, block.account]
    case 'change':
      return [block.previous, block.representative]
  }
}

/** The hash of a block; it does not cover signature and work. */
export function hashBlock(block: Block): string {
  return bytesToHex(blake2b256(hexToBytes(hashables(block).join(''))))
}

export function previousOf(block: Block): string {
  return block.type === 'open' ? ZERO_HASH : block.previous
}

/** What a block's work is computed for: its predecessor's hash or, for a first block, the account. */
export function rootOf(block: Block): string {
  if (block.type === 'open') return block.account
  if (block.type === 'state' && block.previous === ZERO_HASH) return block.account
  return block.previous
}

/** A block in the node's JSON: members in the node's order, all values strings. */
export function toBlockJson(block: Block): Record<string, string> {
  const { signature, work } = block
  switch (block.type) {
    case 'state':
      return {
        type: 'state',
        account: toAddress(block.account),
        previous: block.previous,
        representative: toAddress(block.representative),
        balance: block.balance.toString(),
        link: block.link,
        link_as_account: toAddress(block.link),
        signature,
        work,
      }
    case 'send':
      return {
        type: 'send',
        previous: block.previous,
        destination: toAddress(block.destination),
        balance: hex128(block.balance).toUpperCase(),
        work,
        signature,
      }
    case 'receive':
      return { type: 'receive', previous: block.previous, source: block.source, work, signature }
    case 'open':
      return {
        type: 'open',
        source: block.source,
        representative: toAddress(block.representative),
        account: toAddress(block.account),
        work,
        signature,
      }
    case 'change':
      return {
        type: 'change',
        previous: block.previous,
        representative: toAddress(block.representative),
        work,
        signature,
      }
  }
}

/** Reads up to `digits` hexadecimal digits. As in a node, shorter text is a smaller number. */
export function parseHex(text: string, digits: number): string | undefined {
  if (text.length > digits) return undefined
  const match = /^(?:0x)?([0-9a-fA-F]+)$/.exec(text)
  return match?.[1]?.padStart(digits, '0').toUpperCase()
}

/** As in a node, empty text is zero in every amount. */
function parseAmount(text: string): Raw | undefined {
  return text === '' ? (0n as Raw) : parseRaw(text)
}

/**
 * Reads a block from its JSON members; undefined if one is missing or malformed, for which a node answers `Block is
 * invalid`. `link_as_account` and an inner `subtype` are ignored.
 */
export function fromBlockJson(field: (name: string) => string | undefined): Block | undefined {
  const account = (name: string) => decoded(field(name), fromAddress)
  const hash = (name: string) => decoded(field(name), (text) => parseHex(text, 64))
  const link = (name: string) => decoded(field(name), (text) => fromAddress(text) ?? parseHex(text, 64))
  const type = field('type')
  const signature = decoded(field('signature'), (text) => parseHex(text, 128))
  const work = decoded(field('work'), (text) => parseHex(text, 16)?.toLowerCase())
  if (signature === undefined || work === undefined) return undefined
  const signatureAndWork = { signature, work }
  switch (type) {
    case 'state':
      return complete({
        type,
        account: account('account'),
        previous: hash('previous'),
        representative: account('representative'),
        balance: decoded(field('balance'), parseAmount),
        link: link('link'),
        ...signatureAndWork,
      })
    case 'send': {
      const balance = decoded(field('balance'), (text) => parseHex(text, 32))
      return complete({
        type,
        previous: hash('previous'),
        destination: account('destination'),
        balance: balance === undefined ? undefined : (BigInt(`0x${balance}`) as Raw),
        ...signatureAndWork,
      })
    }
    case 'receive':
      return complete({ type, previous: hash('previous'), source: hash('source'), ...signatureAndWork })
    case 'open':
      return complete({
        type,
        source: hash('source'),
        representative: account('representative'),
        account: account('account'),
        ...signatureAndWork,
      })
    case 'change':
      return complete({
        type,
        previous: hash('previous'),
        representative: account('representative'),
        ...signatureAndWork,
      })
    default:
      return undefined
  }
}

function decoded<T>(text: string | undefined, decode: (text: string) => T | undefined): T | undefined {
  return text === undefined ? undefined : decode(text)
}

type Partially<B> = B extends Block
  ? { type: B['type'] } & { [K in Exclude<keyof B, 'type'>]: B[K] | undefined }
  : never

/** The cast is safe because every member was checked. */
function complete(candidate: Partially<Block>): Block | undefined {
  return Object.values(candidate).every((member) => member !== undefined) ? (candidate as Block) : undefined
}

import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { type Block, hashBlock, parseHex, previousOf } from '../../kernel/nano/block.ts'
import type { Confirmation, NodeParams } from '../../kernel/ports.ts'
import { textOf } from '../../kernel/shape.ts'

/** The request in one form: members in a fixed order, values as text, absent fields left out. */
export function toBody(action: string, params: NodeParams): string {
  const body: Record<string, unknown> = { action }
  for (const name of Object.keys(params).sort()) {
    const value = params[name]
    if (value !== undefined) body[name] = typeof value === 'object' ? value : textOf(value)
  }
  return JSON.stringify(body)
}

/** The accounts and hashes that a read is about. */
export function touchedByRead({ account, accounts, hash, hashes, block, head }: NodeParams): string[] {
  const single = [account, hash, block, head].filter((key) => typeof key === 'string')
  const lists = [accounts, hashes].filter((list): list is string[] => Array.isArray(list))
  return (lists.length === 0 ? single : single.concat(...lists)).map(toKey)
}

const USUAL = /^(nano_|[0-9A-F]{64}$)/

/** One key for each thing, however a client writes it: with the old prefix, in lower case, without leading zeros. */
function toKey(text: string): string {
  if (USUAL.test(text)) return text
  const key = fromAddress(text)
  return key === undefined ? (parseHex(text, 64) ?? text) : toAddress(key)
}

/** Both accounts of a block, the block itself, its predecessor, and the send that it receives. */
export function touchedByBlock(block: Block): string[] {
  if (block.type !== 'state') return [hashBlock(block), previousOf(block)]
  return [toAddress(block.account), hashBlock(block), block.previous, block.link, toAddress(block.link)]
}

export function touchedBy({ account, hash, block }: Confirmation): string[] {
  const keys = [account, hash]
  if (block.previous) keys.push(block.previous)
  if (block.link) keys.push(block.link.toUpperCase())
  // Not verified, because that would cost more than everything else here, and a wrong key does no harm.
  if (block.link_as_account) keys.push(block.link_as_account)
  return keys
}

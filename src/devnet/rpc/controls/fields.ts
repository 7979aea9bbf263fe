import { type PublicKey, fromAddress } from '../../../kernel/nano/address.ts'
import { parseHex } from '../../../kernel/nano/block.ts'
import { refusal } from '../../../kernel/nano/node-refusal.ts'
import type { NodeRequest } from '../../../kernel/nano/node-request.ts'

/* Fields of the controls. No node has these actions, so a wrong field is named instead of answered in the node's words. */

export function requireText(request: NodeRequest, name: string): string {
  const text = request.find(name)
  if (text === undefined || text === '') throw refusal(`${name} is missing`)
  return text
}

export function requireHash(request: NodeRequest): string {
  const hash = parseHex(requireText(request, 'hash'), 64)
  if (hash === undefined) throw refusal('hash must be a block hash')
  return hash
}

export function requireAccount(request: NodeRequest): PublicKey {
  const account = fromAddress(requireText(request, 'account'))
  if (account === undefined) throw refusal('account must be a Nano address')
  return account
}

export function findWhole(request: NodeRequest, name: string, most: number): number | undefined {
  const text = request.find(name)
  if (text === undefined) return undefined
  if (!/^[0-9]{1,15}$/.test(text) || Number(text) > most) throw refusal(`${name} must be a whole number up to ${most}`)
  return Number(text)
}

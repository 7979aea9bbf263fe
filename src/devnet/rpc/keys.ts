import { toAddress } from '../../kernel/nano/address.ts'
import { type Block, ZERO_HASH, hashBlock, parseHex } from '../../kernel/nano/block.ts'
import { bytesToHex } from '../../kernel/nano/hex.ts'
import { deriveKey, publicKeyOf, signHash } from '../../kernel/nano/keys.ts'
import { invalidBlock, refusal } from '../../kernel/nano/node-request.ts'
import { toUnsigned } from '../../kernel/nano/request-tree.ts'
import { blockContents } from './blocks.ts'
import type { Handler } from './handler.ts'

export const keyCreate: Handler = (node) => expand(bytesToHex(node.random.bytes(32)))

export const keyExpand: Handler = (_node, request) => {
  const key = parseHex(request.text('key'), 64)
  if (key === undefined) throw refusal('Bad private key')
  return expand(key)
}

export const deterministicKey: Handler = (_node, request) => {
  const seedText = request.text('seed')
  const indexText = request.text('index')
  const seed = parseHex(seedText, 64)
  if (seed === undefined) throw refusal('Bad seed')
  // Like the node, reads the digits at the beginning and keeps the low 32 bits.
  const index = toUnsigned(/^\s*[+-]?[0-9]+/.exec(indexText)?.[0] ?? '')
  if (index === undefined) throw refusal('Invalid index')
  return expand(deriveKey(seed, Number(BigInt.asUintN(32, index))))
}

export const sign: Handler = (_node, request) => {
  let hash = request.has('hash') ? request.hash() : ZERO_HASH
  let block: Block | undefined
  if (request.has('block')) {
    block = request.block()
    hash = hashBlock(block)
  }
  if (hash === ZERO_HASH) throw invalidBlock()
  const keyText = request.find('key')
  const key = keyText === undefined ? ZERO_HASH : parseHex(keyText, 64)
  if (key === undefined) throw refusal('Bad private key')
  if (key === ZERO_HASH) throw refusal('Private key or local wallet and account required')
  const signature = signHash(key, hash)
  if (!block) return { signature }
  return { signature, block: blockContents({ ...block, signature }, request.flag('json_block')) }
}

function expand(privateKey: string) {
  const key = publicKeyOf(privateKey)
  return { private: privateKey, public: key, account: toAddress(key) }
}

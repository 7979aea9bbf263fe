import type { Raw } from '../../kernel/money.ts'
import { parseRaw } from '../../kernel/money.ts'
import { type PublicKey, ZERO_KEY, fromAddress } from '../../kernel/nano/address.ts'
import { type Block, ZERO_HASH, hashBlock, parseHex, rootOf } from '../../kernel/nano/block.ts'
import { publicKeyOf, signHash } from '../../kernel/nano/keys.ts'
import { formatWork, workValue } from '../../kernel/nano/work.ts'
import { type NodeRequest, refusal } from '../../kernel/nano/node-request.ts'
import type { LedgerNode } from '../node.ts'
import { blockContents } from './blocks.ts'
import type { Handler } from './handler.ts'
import { ledgerThreshold } from './work.ts'
import { checkReachable, checkVersion, readDifficulty, readWork } from '../../kernel/nano/node-work.ts'

const NO_WORK = '0'.repeat(16)

/**
 * Builds and signs a block, with work. Reads its parameters in the node's order, so that several wrong ones give the
 * same error as in the node.
 */
export const blockCreate: Handler = async (node, request) => {
  const parts = readParts(node, request)
  const { work, difficulty, privateKey } = parts
  const draft = draftBlock(node, request, parts)
  const signed = { ...draft, signature: signHash(privateKey, hashBlock(draft)) }
  const wanted = request.has('difficulty') ? difficulty : ledgerThreshold(node, signed)
  if (work === NO_WORK) checkReachable(request, wanted, node.ledger.thresholds)
  const found = work === NO_WORK ? await node.work.find(rootOf(signed), wanted) : work
  if (found === undefined) throw refusal('Work generation cancellation or failure')
  const block = { ...signed, work: found }
  return {
    hash: hashBlock(block),
    difficulty: formatWork(workValue(rootOf(block), block.work)),
    block: blockContents(block, request.flag('json_block')),
  }
}

interface Parts {
  type: string
  privateKey: string
  work: string
  difficulty: bigint
  previous: string
  balance: Raw
  link: string
  representative: PublicKey
  destination: PublicKey
  source: string
  amount: Raw
}

function readParts(node: LedgerNode, request: NodeRequest): Parts {
  const type = request.text('type')
  checkVersion(request)
  const difficulty = readDifficulty(request, node.ledger.thresholds.send)
  const wallet = optional(request, 'wallet', (text) => parseHex(text, 64), 'Bad wallet number')
  const account = optionalAccount(request, 'account', 'Bad account number')
  const representative = optionalAccount(request, 'representative', 'Bad representative number') ?? ZERO_KEY
  const destination = optionalAccount(request, 'destination', 'Bad destination account') ?? ZERO_KEY
  const source = optional(request, 'source', (text) => parseHex(text, 64), 'Bad source') ?? ZERO_HASH
  const amount = optional(request, 'amount', parseRaw, 'Invalid amount number') ?? (0n as Raw)
  const work = readWork(request)
  // This ledger has no wallets.
  if (wallet !== undefined && wallet !== ZERO_HASH && account !== undefined) throw refusal('Wallet not found')
  const privateKey = optional(request, 'key', (text) => parseHex(text, 64), 'Bad private key') ?? ZERO_KEY
  let previous = optional(request, 'previous', (text) => parseHex(text, 64), 'Bad previous') ?? ZERO_HASH
  let balance = optional(request, 'balance', parseRaw, 'Invalid balance number') ?? (0n as Raw)
  const link =
    optional(request, 'link', (text) => fromAddress(text) ?? parseHex(text, 64), 'Bad link number') ??
    (source === ZERO_HASH ? destination : source)
  if (privateKey === ZERO_KEY) throw refusal('Private key or local wallet and account required')
  const publicKey = publicKeyOf(privateKey)
  if (!request.has('previous') && !request.has('balance')) {
    const record = node.ledger.store.findAccount(publicKey)
    previous = record?.head ?? ZERO_HASH
    balance = record?.balance ?? (0n as Raw)
  } else if (request.has('previous') && request.has('balance') && type === 'send') {
    const stored = node.ledger.store.findBlock(previous)
    if (stored && stored.balance !== balance) throw refusal('Balance mismatch for previous block')
  }
  if (account !== undefined && account !== publicKey) throw refusal('Incorrect key for given account')
  return {
    type,
    privateKey,
    work,
    difficulty,
    previous,
    balance,
    link,
    representative,
    destination,
    source,
    amount,
  }
}

function draftBlock(node: LedgerNode, request: NodeRequest, parts: Parts): Block {
  const { type, previous, balance, link, representative, destination, source, amount } = parts
  const account = publicKeyOf(parts.privateKey)
  const unsealed = { signature: '', work: NO_WORK }
  switch (type) {
    case 'state':
      if (!request.has('previous') || representative === ZERO_KEY || (link === ZERO_HASH && !request.has('link'))) {
        throw refusal('Previous, representative, final balance and link (source or destination) are required')
      }
      return { type, account, previous, representative, balance, link, ...unsealed }
    case 'open':
      if (representative === ZERO_KEY || source === ZERO_HASH) {
        throw refusal('Representative account and source hash required')
      }
      return { type, source, representative, account, ...unsealed }
    case 'receive':
      if (source === ZERO_HASH || previous === ZERO_HASH) throw refusal('Previous hash and source hash required')
      return { type, previous, source, ...unsealed }
    case 'change':
      if (representative === ZERO_KEY || previous === ZERO_HASH) {
        throw refusal('Representative account and previous hash required')
      }
      return { type, previous, representative, ...unsealed }
    case 'send':
      if (destination === ZERO_KEY || previous === ZERO_HASH || balance === 0n || amount === 0n) {
        throw refusal('Destination account, previous hash, current balance and amount required')
      }
      if (balance < amount) throw refusal('Insufficient balance')
      return { type, previous, destination, balance: (balance - amount) as Raw, ...unsealed }
    default:
      throw refusal('Invalid block type')
  }
}

function optional<T>(
  request: NodeRequest,
  name: string,
  decode: (text: string) => T | undefined,
  error: string,
): T | undefined {
  const text = request.find(name)
  if (text === undefined) return undefined
  const value = decode(text)
  if (value === undefined) throw refusal(error)
  return value
}

function optionalAccount(request: NodeRequest, name: string, error: string): PublicKey | undefined {
  const text = request.find(name)
  return text === undefined ? undefined : request.toAccount(text, () => refusal(error))
}

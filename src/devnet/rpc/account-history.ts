import { RAW_MAX } from '../../kernel/money.ts'
import { type PublicKey, toAddress } from '../../kernel/nano/address.ts'
import { ZERO_HASH, previousOf } from '../../kernel/nano/block.ts'
import type { Members } from '../answer.ts'
import { badHashNumber, blockNotFound } from '../../kernel/nano/node-refusal.ts'
import type { LedgerNode } from '../node.ts'
import { type NodeRequest, toHash } from '../../kernel/nano/node-request.ts'
import type { StoredBlock } from '../records.ts'
import { getAccount } from './get-account.ts'
import type { Handler } from './handler.ts'

export const accountHistory: Handler = (node, request) => walk(node, request, request.find('head'))

/** The old action `history` starts at the block in `hash`. */
export const history: Handler = (node, request) => walk(node, request, request.text('hash'))

function walk(node: LedgerNode, request: NodeRequest, headText: string | undefined): Members {
  const { store } = node.ledger
  const filter = new Set(request.findList('account_filter')?.map((text) => request.toAccount(text)))
  const reverse = request.flag('reverse')
  const raw = request.flag('raw')
  let left = request.count()
  let offset = request.offset()

  let account: PublicKey
  let hash: string
  if (headText === undefined) {
    account = request.account()
    hash = reverse ? getAccount(node, account).openBlock : (store.findAccount(account)?.head ?? ZERO_HASH)
  } else {
    hash = toHash(headText, badHashNumber)
    const head = store.findBlock(hash)
    if (!head) throw blockNotFound()
    account = head.account
  }

  const entries: Members[] = []
  while (hash !== ZERO_HASH && left > 0n) {
    const stored = store.findBlock(hash)!
    if (offset > 0n) offset--
    else {
      const entry = raw ? rawEntry(node, stored, filter) : plainEntry(node, stored, filter)
      if (entry) {
        entries.push({ ...entry, ...commonMembers(node, stored, raw) })
        left--
      }
    }
    hash = reverse ? stored.successor : previousOf(stored.block)
  }
  const answer: Members = { account: toAddress(account), history: entries }
  if (hash !== ZERO_HASH) answer[reverse ? 'next' : 'previous'] = hash
  return answer
}

function commonMembers(node: LedgerNode, stored: StoredBlock, raw: boolean): Members {
  const { block, hash, height, timestamp } = stored
  return {
    local_timestamp: timestamp.toString(),
    height: height.toString(),
    hash,
    confirmed: String(node.ledger.isConfirmed(stored)),
    ...(raw && { work: block.work, signature: block.signature }),
  }
}

/** Who is on the other side: the destination of a send, the sender of what was received. */
function counterparty(node: LedgerNode, { block, subtype }: StoredBlock): PublicKey | undefined {
  if (block.type !== 'state') return node.ledger.genesis.account
  if (subtype === 'send') return block.link
  return subtype === 'receive' ? node.ledger.store.findBlock(block.link)?.account : undefined
}

/** Sends and receives only; opening blocks count as receives. */
function plainEntry(node: LedgerNode, stored: StoredBlock, filter: Set<PublicKey>): Members | undefined {
  const other = counterparty(node, stored)
  if (other === undefined) return undefined
  if (stored.block.type === 'state' && filter.size > 0 && !filter.has(other)) return undefined
  return { type: stored.subtype ?? 'receive', account: toAddress(other), amount: stored.amount.toString() }
}

function rawEntry(node: LedgerNode, stored: StoredBlock, filter: Set<PublicKey>): Members | undefined {
  const { block, subtype, amount } = stored
  if (block.type === 'open') {
    return {
      type: 'open',
      representative: toAddress(block.representative),
      source: block.source,
      opened: toAddress(block.account),
      account: toAddress(node.ledger.genesis.account),
      amount: RAW_MAX.toString(),
    }
  }
  if (block.type !== 'state') return undefined
  const entry: Members = {
    type: 'state',
    representative: toAddress(block.representative),
    link: block.link,
    balance: block.balance.toString(),
    previous: block.previous,
  }
  const other = counterparty(node, stored)
  if (other !== undefined) {
    if (filter.size > 0 && !filter.has(other)) return undefined
    return { ...entry, subtype, account: toAddress(other), amount: amount.toString() }
  }
  // With a filter the node still lists change and epoch blocks, but does not say what they are.
  if (filter.size > 0) return entry
  if (subtype === 'epoch') return { ...entry, subtype, account: toAddress(node.ledger.genesis.account) }
  return { ...entry, subtype }
}

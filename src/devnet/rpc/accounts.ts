import { RAW_MAX } from '../../kernel/money.ts'
import { BURN_ADDRESS, type PublicKey, fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { type StateBlock, ZERO_HASH, parseHex, previousOf } from '../../kernel/nano/block.ts'
import {
  NodeRefusal,
  type NodeRequest,
  accountNotFound,
  badHashNumber,
  blockNotFound,
  refusal,
  toHash,
} from '../../kernel/nano/node-request.ts'
import { type Answer, Entries, type Members } from '../../kernel/nano/node-answer.ts'
import { putPath } from '../answer.ts'
import { epochOfLink } from '../../kernel/nano/network.ts'
import type { LedgerNode } from '../node.ts'
import type { AccountRecord, StoredBlock } from '../records.ts'
import type { Handler } from './handler.ts'

export const accountBlockCount: Handler = (node, request) => ({
  block_count: getAccount(node, request.account()).blockCount.toString(),
})

export const accountRepresentative: Handler = (node, request) => ({
  representative: toAddress(getAccount(node, request.account()).representative),
})

export const accountWeight: Handler = (node, request) => ({
  weight: node.ledger.store.weightOf(request.account()).toString(),
})

export const accountKey: Handler = (_node, request) => ({ key: request.account() })

export const accountGet: Handler = (_node, request) => {
  const key = parseHex(request.text('key'), 64)
  if (key === undefined) throw refusal('Bad public key')
  return { account: toAddress(key) }
}

export const validateAccountNumber: Handler = (_node, request) => {
  const text = request.text('account')
  if (fromAddress(text) === undefined) return { valid: '0' }
  // Parsed like any account, so that the error for an old separator is the same.
  request.toAccount(text)
  return { valid: '1' }
}

export const accountInfo: Handler = (node, request) => {
  const { ledger } = node
  const account = request.account()
  const record = getAccount(node, account)
  const includeConfirmed = request.flag('include_confirmed')
  const confirmed = includeConfirmed ? ledger.store.findBlock(record.confirmedFrontier) : undefined

  const answer: Members = {
    frontier: record.head,
    open_block: record.openBlock,
    representative_block: record.head,
    balance: record.balance.toString(),
  }
  if (includeConfirmed) answer.confirmed_balance = (confirmed?.balance ?? 0n).toString()
  answer.modified_timestamp = record.modifiedAt.toString()
  answer.block_count = record.blockCount.toString()
  answer.account_version = record.epoch.toString()
  answer[includeConfirmed ? 'confirmed_height' : 'confirmation_height'] = record.confirmedHeight.toString()
  answer[includeConfirmed ? 'confirmed_frontier' : 'confirmation_height_frontier'] = record.confirmedFrontier

  if (request.flag('representative')) {
    answer.representative = toAddress(record.representative)
    if (includeConfirmed) {
      const block = confirmed?.block.type === 'state' ? confirmed.block : confirmed && ledger.genesis.block
      answer.confirmed_representative = block ? toAddress(block.representative) : BURN_ADDRESS
    }
  }
  if (request.flag('weight')) answer.weight = ledger.store.weightOf(account).toString()
  if (request.flag('receivable', request.flag('pending'))) {
    const receivable = ledger.receivableSum(account, false).toString()
    Object.assign(answer, { pending: receivable, receivable })
    if (includeConfirmed) {
      const confirmed = ledger.receivableSum(account, true).toString()
      Object.assign(answer, { confirmed_pending: confirmed, confirmed_receivable: confirmed })
    }
  }
  return answer
}

export const accountBalance: Handler = (node, request) =>
  balanceOf(node, request.account(), request.flag('include_only_confirmed', true))

/** Balance and receivable sum of an account; by default only confirmed blocks count. */
function balanceOf(node: LedgerNode, account: PublicKey, confirmedOnly: boolean): { [name: string]: Answer } {
  const { ledger } = node
  const record = ledger.store.findAccount(account)
  const confirmed = confirmedOnly && record ? ledger.store.findBlock(record.confirmedFrontier)?.balance : undefined
  const balance = confirmedOnly ? (confirmed ?? 0n) : (record?.balance ?? 0n)
  const receivable = ledger.receivableSum(account, confirmedOnly).toString()
  return { balance: balance.toString(), pending: receivable, receivable }
}

export const accountsBalances: Handler = (node, request) =>
  forEachAccount(request, 'balances', (account, given) => ({
    key: given,
    value: balanceOf(node, account, request.flag('include_only_confirmed', true)),
  }))

export const accountsFrontiers: Handler = (node, request) =>
  forEachAccount(request, 'frontiers', (account) => ({
    key: toAddress(account),
    value: getAccount(node, account).head,
  }))

/** On a fork, lists only accounts that were read; the first account is read for this. */
export const frontiers: Handler = (node, request) => {
  const start = request.account()
  const count = request.count()
  const { store } = node.ledger
  store.findAccount(start)
  const found = new Entries()
  for (const { account, head } of store.accountsFrom(start)) {
    if (BigInt(found.list.length) >= count) break
    found.put(toAddress(account), head)
  }
  return { frontiers: found }
}

export const accountsRepresentatives: Handler = (node, request) =>
  forEachAccount(request, 'representatives', (account, given) => ({
    key: given,
    value: toAddress(getAccount(node, account).representative),
  }))

export const accountHistory: Handler = (node, request) => walk(node, request, request.find('head'))

/** `history`, the old name, starts at the block in `hash`. */
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

/** The other account: the recipient of a send, the sender of a receive. */
function counterparty(
  node: LedgerNode,
  { block, subtype }: StoredBlock & { block: StateBlock },
): PublicKey | undefined {
  if (subtype === 'send') return block.link
  return subtype === 'receive' ? node.ledger.store.findBlock(block.link)?.account : undefined
}

const isState = (stored: StoredBlock): stored is StoredBlock & { block: StateBlock } => stored.block.type === 'state'

/** Sends and receives only; opening blocks count as receives. */
function plainEntry(node: LedgerNode, stored: StoredBlock, filter: Set<PublicKey>): Members | undefined {
  if (!isState(stored)) return legacyEntry(node, stored, { raw: false, filter })
  const other = counterparty(node, stored)
  if (other === undefined || (filter.size > 0 && !filter.has(other))) return undefined
  return { type: stored.subtype ?? 'receive', account: toAddress(other), amount: stored.amount.toString() }
}

/** An entry for a block from before the epochs: the genesis block, or an old block of a forked network. */
function legacyEntry(
  node: LedgerNode,
  { block, amount: given }: StoredBlock,
  { raw, filter }: { raw: boolean; filter: Set<PublicKey> },
): Members | undefined {
  const amount = given.toString()
  const sender = (source: string) => {
    const account = node.ledger.store.findBlock(source)?.account
    return account === undefined ? { amount } : { account: toAddress(account), amount }
  }
  switch (block.type) {
    case 'send': {
      // The node filters only this kind.
      if (filter.size > 0 && !filter.has(block.destination)) return undefined
      const destination = toAddress(block.destination)
      const { previous, balance } = block
      const sent = { type: 'send', account: destination, amount }
      return raw ? { ...sent, destination, balance: balance.toString(), previous } : sent
    }
    case 'receive': {
      const received = { type: 'receive', ...sender(block.source) }
      return raw ? { ...received, source: block.source, previous: block.previous } : received
    }
    case 'open': {
      const { source, account } = block
      // The first block of a network has no sender; the account itself is its source.
      const from = source === account ? { account: toAddress(account), amount: RAW_MAX.toString() } : sender(source)
      if (!raw) return { type: 'receive', ...from }
      const representative = toAddress(block.representative)
      return { type: 'open', representative, source, opened: toAddress(account), ...from }
    }
    case 'change':
      if (!raw || filter.size > 0) return undefined
      return { type: 'change', representative: toAddress(block.representative), previous: block.previous }
    default:
      return undefined
  }
}

function rawEntry(node: LedgerNode, stored: StoredBlock, filter: Set<PublicKey>): Members | undefined {
  if (!isState(stored)) return legacyEntry(node, stored, { raw: true, filter })
  const { block, subtype, amount } = stored
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
  // With a filter the node still lists change and epoch blocks, but without their kind.
  if (filter.size > 0) return entry
  if (subtype === 'epoch') return { ...entry, subtype, account: toAddress(epochSigner(node, block)) }
  return { ...entry, subtype }
}

/** On a fork, epoch blocks are signed by the signers of its network. */
function epochSigner({ fork, ledger }: LedgerNode, { account, link }: StateBlock): PublicKey {
  const isOurs = fork === undefined || account === ledger.genesis.account
  const signers = isOurs ? [ledger.genesis.account] : fork.origin.epochSigners
  return epochOfLink(link) === 2 ? signers.at(-1)! : signers[0]!
}

/**
 * Answers a list of accounts: good entries under `name`, errors under `errors` by the given text. An empty part is left
 * out, and an answer without either part is an error.
 */
function forEachAccount(
  request: NodeRequest,
  name: string,
  answer: (account: PublicKey, given: string) => { key: string; value: Answer },
): Answer {
  const found = new Entries()
  const errors = new Entries()
  for (const given of request.list('accounts')) {
    try {
      const { key, value } = answer(request.toAccount(given), given)
      putPath(found, key, value)
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error
      putPath(errors, given, error.message)
    }
  }
  const result: Members = {}
  if (found.list.length > 0) result[name] = found
  if (errors.list.length > 0) result.errors = errors
  if (Object.keys(result).length === 0) throw refusal('Empty response')
  return result
}

function getAccount(node: LedgerNode, account: PublicKey): AccountRecord {
  const record = node.ledger.store.findAccount(account)
  if (!record) throw accountNotFound()
  return record
}

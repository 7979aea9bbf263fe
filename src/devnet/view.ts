import { type PublicKey, ZERO_KEY, fromAddress, toAddress } from '../kernel/nano/address.ts'
import { type Block, ZERO_HASH, parseHex, previousOf } from '../kernel/nano/block.ts'
import type {
  BlockKind,
  DecodedLink,
  LedgerView,
  SeenBlock,
  SeenElection,
  ShownAccount,
  ShownBlock,
} from '../kernel/ledger-view.ts'
import type { LedgerNode } from './node.ts'
import type { StoredBlock } from './records.ts'

const RECEIVABLE_MAX = 50

/** The data of the explorer. Read-only, and limited to this file: a fork reads nothing from its node for it. */
export function toLedgerView(node: LedgerNode): LedgerView {
  const { ledger } = node
  const { store } = ledger
  return {
    overview() {
      const { blocks, cemented: confirmed, accounts } = store.totals()
      return { blocks, confirmed, accounts, holds: node.holds, genesis: ledger.genesis.hash, now: node.clock.now() }
    },
    latest: (count, before = Number.MAX_SAFE_INTEGER) =>
      store.here(() => store.blocksBefore(before, count).map((stored) => toSeen(node, stored))),
    block: (hash) =>
      store.here(() => {
        const stored = store.findBlock(hash)
        return stored && toShown(node, stored)
      }),
    account(address, count, from) {
      const key = fromAddress(address)
      return key === undefined ? undefined : store.here(() => toShownAccount(node, key, { count, from }))
    },
    startingWith: (digits) => store.firstHashWith(digits),
    listen(listener) {
      let isDue = false
      // Reports several changes of the same moment only once.
      const notify = () => {
        if (isDue) return
        isDue = true
        setImmediate(() => {
          isDue = false
          listener()
        })
      }
      node.onChange.add(notify)
      return () => node.onChange.delete(notify)
    },
  }
}

function toSeen(node: LedgerNode, stored: StoredBlock): SeenBlock {
  const { hash, account, amount, height, timestamp, position } = stored
  return {
    hash,
    kind: kindOf(stored),
    account: toAddress(account),
    other: otherOf(node, stored),
    amountRaw: amount,
    height,
    at: timestamp * 1000,
    confirmed: node.ledger.isConfirmed(stored),
    position,
  }
}

/** The first receive opens the account. */
function kindOf({ subtype, height }: StoredBlock): BlockKind {
  if (subtype === undefined) return 'genesis'
  return subtype === 'receive' && height === 1 ? 'open' : subtype
}

function otherOf(node: LedgerNode, { block, subtype }: StoredBlock): string | undefined {
  if (block.type !== 'state') return undefined
  if (subtype === 'send') return toAddress(block.link)
  if (subtype === 'change') return toAddress(block.representative)
  const source = subtype === 'receive' ? node.ledger.store.findBlock(block.link)?.account : undefined
  return source === undefined ? undefined : toAddress(source)
}

function toShown(node: LedgerNode, stored: StoredBlock): ShownBlock {
  const { block, balance, successor, epoch } = stored
  const known = (hash: string) => (hash === ZERO_HASH ? undefined : hash)
  return {
    ...toSeen(node, stored),
    balanceRaw: balance,
    previous: known(previousOf(block)),
    successor: known(successor),
    representative: 'representative' in block ? toAddress(block.representative) : undefined,
    link: linkOf(block),
    decoded: decodeLink(node, stored),
    signature: block.signature,
    work: block.work,
    epoch,
    election: electionOf(node, stored),
  }
}

const linkOf = (block: Block) => (block.type === 'state' ? block.link : 'source' in block ? block.source : ZERO_HASH)

function decodeLink({ ledger: { store } }: LedgerNode, { block, subtype, hash }: StoredBlock): DecodedLink {
  if (block.type !== 'state') return { means: 'nothing' }
  switch (subtype) {
    case 'send':
      return { means: 'recipient', address: toAddress(block.link), receivedIn: store.findReceive(hash)?.hash }
    case 'receive': {
      const source = store.findBlock(block.link)
      return { means: 'source', hash: block.link, address: source && toAddress(source.account) }
    }
    case 'epoch':
      // The link is an ASCII sentence, padded with zeros.
      return {
        means: 'epoch',
        text: Buffer.from(block.link, 'hex')
          .toString('latin1')
          .replace(/[^ -~]/g, ''),
      }
    default:
      return { means: 'nothing' }
  }
}

function electionOf({ ledger, elections, onlineWeight }: LedgerNode, stored: StoredBlock): SeenElection {
  if (!ledger.isConfirmed(stored)) {
    return { state: 'waiting', held: elections.held, contested: elections.contested.has(stored.hash) }
  }
  const past = elections.past.findLast(({ hash }) => hash === stored.hash)
  if (!past) return { state: 'confirmed', by: undefined }
  const by = toAddress(ledger.genesis.account)
  return { state: 'confirmed', by, weightRaw: past.tally, onlineRaw: onlineWeight, at: past.at }
}

function toShownAccount(
  node: LedgerNode,
  key: PublicKey,
  { count, from }: { count: number; from: string | undefined },
): ShownAccount {
  const { ledger } = node
  const { store } = ledger
  const record = store.findAccount(key)
  const { history, older } = historyOf(node, key, { count, from: from ?? record?.head })
  const waiting = take(store.receivableOf(key), RECEIVABLE_MAX + 1)
  const representative = record && record.representative !== ZERO_KEY ? toAddress(record.representative) : undefined
  return {
    address: toAddress(key),
    publicKey: key,
    isOpen: record !== undefined,
    balanceRaw: record?.balance ?? 0n,
    receivableRaw: ledger.receivableSum(key, false),
    representative,
    weightRaw: store.weightOf(key),
    blocks: record?.blockCount ?? 0,
    confirmedBlocks: record?.confirmedHeight ?? 0,
    modifiedAt: record && record.modifiedAt * 1000,
    history,
    older,
    receivable: waiting.slice(0, RECEIVABLE_MAX).map(({ hash, source, amount }) => ({
      hash,
      from: toAddress(source),
      amountRaw: amount,
    })),
    hasMoreReceivable: waiting.length > RECEIVABLE_MAX,
  }
}

function take<T>(all: Iterable<T>, count: number): T[] {
  const taken: T[] = []
  for (const each of all) if (taken.push(each) === count) break
  return taken
}

/** Goes back from one block of the account. */
function historyOf(node: LedgerNode, key: PublicKey, { count, from }: { count: number; from: string | undefined }) {
  const history: SeenBlock[] = []
  let next = from === undefined ? undefined : parseHex(from, 64)
  while (next !== undefined && next !== ZERO_HASH && history.length < count) {
    const stored = node.ledger.store.findBlock(next)
    if (stored?.account !== key) return { history, older: undefined }
    history.push(toSeen(node, stored))
    next = previousOf(stored.block)
  }
  return { history, older: next === ZERO_HASH ? undefined : next }
}

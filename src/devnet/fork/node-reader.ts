import { INVISIBLE } from '../../kernel/shown-fields.ts'
import type { Raw } from '../../kernel/money.ts'
import { type PublicKey, fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { type Block, ZERO_HASH, previousOf } from '../../kernel/nano/block.ts'
import { type Epoch, GENESIS_HASHES } from '../../kernel/nano/network.ts'
import { refusal } from '../../kernel/nano/node-request.ts'
import type { AccountRecord, Receivable, StoredBlock } from '../records.ts'
import {
  type Members,
  type ReportedBlock,
  effectOf,
  destinationOf,
  isFirst,
  isMembers,
  lie,
  readAccount,
  readAmount,
  readCount,
  readHash,
  readReportedBlock,
  sourceOf,
} from './reported.ts'

/** The only actions that the forked node is asked; none of them changes anything. */
export type ReadAction = 'version' | 'account_info' | 'blocks_info' | 'chain' | 'receivable'
export type AskNode = (action: ReadAction, fields: Members) => Promise<unknown>

/** Which network was forked, and at which moment: newer blocks are ignored. */
export interface Origin {
  network: string
  genesis: string
  epochSigners: PublicKey[]
  /** Unix seconds, by the clock of the node. */
  pinnedAt: number
}

export type KeptBlock = Omit<StoredBlock, 'position'>
/**
 * An account in its state at the fork: its record if it was open, its receivable sends, and the blocks that these refer
 * to.
 */
export interface KeptAccount {
  record: AccountRecord | undefined
  receivable: Receivable[]
  blocks: KeptBlock[]
}

const RUN = 32
const RUNS_MAX = 200
/** The largest ones only, because some accounts have a hundred thousand that are never received. */
const RECEIVABLE_MAX = 500
const LIVE_SECOND_SIGNER = 'nano_3qb6o6i1tkzr6jwr5s7eehfxwg9x6eemitdinbpi7u8bjjwsgqfj4wzser3x'

/** Reads accounts and blocks from a node that may lie, and checks everything that can be checked. */
export class NodeReader {
  readonly #ask: AskNode
  #origin: Origin | undefined

  constructor(ask: AskNode) {
    this.#ask = ask
  }

  useOrigin(origin: Origin): void {
    this.#origin = origin
  }

  async readOrigin(pinnedAt: number): Promise<Origin> {
    const version = await this.#read('version', {})
    const genesis = readHash(version.network_identifier, 'network_identifier')
    if (typeof version.network !== 'string' || !/^[a-z0-9_-]{1,32}$/.test(version.network))
      throw lie('network is not a name')
    const reported = (await this.#blocksInfo([genesis], [])).get(genesis)
    if (!reported) throw lie('it does not know the first block of its network')
    const signers = [reported.account, ...(genesis === GENESIS_HASHES.live ? [fromAddress(LIVE_SECOND_SIGNER)!] : [])]
    return { network: version.network, genesis, epochSigners: signers, pinnedAt }
  }

  /**
   * A block and those before it, newest first. Empty if the node does not have the block, or the block is newer than
   * the fork.
   */
  async readBlocks(hash: string): Promise<KeptBlock[]> {
    const { pinnedAt } = this.#fork()
    const run = await this.#readRun(hash)
    return run[0] && run[0].isConfirmed && run[0].timestamp <= pinnedAt ? toKept(run, run[0].successor) : []
  }

  async readAccount(account: PublicKey): Promise<KeptAccount> {
    const fields = { account: toAddress(account), include_confirmed: 'true', representative: 'true' }
    const info = await this.#read('account_info', fields, 'Account not found')
    const { head, cut } = await this.#walk(account, info)
    const blocks = head.length > 0 ? toKept(head, ZERO_HASH) : []
    const record = blocks[0] && toRecord(blocks[0], info!)
    if (record) blocks[0]!.epoch = record.epoch
    const waiting = await this.#readReceivable(account, cut)
    return {
      record,
      receivable: waiting.map(({ open }) => open),
      blocks: [...blocks, ...waiting.map(({ send }) => send)],
    }
  }

  /** Goes back from the confirmed frontier to the newest block that is not newer than the fork. */
  async #walk(account: PublicKey, info: Members | undefined): Promise<{ head: Linked[]; cut: string[] }> {
    const cut: string[] = []
    if (!info || info.confirmed_height === '0') return { head: [], cut }
    let next = readHash(info.confirmed_frontier, 'confirmed_frontier')
    for (let round = 0; round < RUNS_MAX; round++) {
      const run = await this.#readRun(next)
      if (!run[0] || run[0].account !== account) throw lie(`the frontier of ${toAddress(account)} is not its own`)
      const at = run.findIndex(({ timestamp }) => timestamp <= this.#fork().pinnedAt)
      for (const { block, subtype } of at < 0 ? run : run.slice(0, at)) {
        const source = sourceOf(block, subtype)
        if (source !== undefined) cut.push(source)
      }
      if (at >= 0) return { head: run.slice(at), cut }
      next = previousOf(run.at(-1)!.block)
      if (next === ZERO_HASH) return { head: [], cut }
    }
    throw refusal('The forked node has seen all of this account since the fork: has it fetched its ledger again?')
  }

  /**
   * Sends that were receivable at the fork: those that still are, and those that were received by a block newer than
   * the fork.
   */
  async #readReceivable(account: PublicKey, cut: readonly string[]): Promise<{ open: Receivable; send: KeptBlock }[]> {
    const fields = { count: `${RECEIVABLE_MAX}`, sorting: 'true', source: 'true', min_version: 'true', threshold: '1' }
    const { blocks } = await this.#read('receivable', { account: toAddress(account), ...fields })
    if (blocks !== '' && !isMembers(blocks)) throw lie('receivable is not a list')
    const reported = new Map(Object.entries(blocks === '' ? {} : blocks))
    const hashes = [...new Set([...reported.keys(), ...cut])].map((hash) => readHash(hash, 'a receivable'))
    const waiting: { open: Receivable; send: KeptBlock }[] = []
    for (const send of await this.#readSends(hashes)) {
      const claim = reported.get(send.hash)
      if (destinationOf(send, send.subtype) !== account) {
        // A first block can name any hash as its source; only a send to this account counts.
        if (claim === undefined) continue
        throw lie(`block ${send.hash} pays another account`)
      }
      const { isConfirmed, timestamp, amount, hash, account: source } = send
      if (isMembers(claim) && readAmount(claim.amount, 'a receivable') !== amount)
        throw lie(`${hash} pays another amount`)
      if (!isConfirmed || timestamp > this.#fork().pinnedAt) continue
      const epoch = (isMembers(claim) ? readCount(claim.min_version, 'min_version', 2) : epochOf(send.block)) as Epoch
      waiting.push({ open: { account, hash, source, amount, epoch }, send: toKept([send], send.successor)[0]! })
    }
    return waiting
  }

  async #readSends(hashes: readonly string[]): Promise<Linked[]> {
    const reported = await this.#blocksInfo(hashes)
    const before = await this.#blocksInfo([...reported.values()].map(({ block }) => previousOf(block)))
    return [...reported.values()].map((send) => link(send, before.get(previousOf(send.block))))
  }

  /** Consecutive blocks with their effects. The hashes prove that they follow one another. */
  async #readRun(hash: string): Promise<Linked[]> {
    const answer = await this.#read('chain', { block: hash, count: `${RUN + 1}` }, 'Block not found')
    const list = answer?.blocks
    if (!Array.isArray(list) || list.length === 0) return []
    const hashes = list.slice(0, RUN + 1).map((each) => readHash(each, 'a block of a chain'))
    if (hashes[0] !== hash) throw lie('a chain begins elsewhere')
    const reported = await this.#blocksInfo(hashes)
    const run: Linked[] = []
    for (const [at, each] of hashes.entries()) {
      const block = reported.get(each)
      if (!block) throw lie(`block ${each} is in a chain and not there`)
      const next = hashes[at + 1]
      if (next !== undefined && previousOf(block.block) !== next) throw lie(`block ${each} has another predecessor`)
      // The oldest block is only needed for its balance, from which the effect of the next block is computed.
      if (next !== undefined || isFirst(block))
        run.push(link(block, next === undefined ? undefined : reported.get(next)))
    }
    return run
  }

  async #blocksInfo(
    hashes: readonly string[],
    signers = this.#fork().epochSigners,
  ): Promise<Map<string, ReportedBlock>> {
    const wanted = hashes.filter((hash) => hash !== ZERO_HASH)
    if (wanted.length === 0) return new Map()
    const { blocks } = await this.#read('blocks_info', {
      hashes: wanted,
      json_block: 'true',
      include_not_found: 'true',
    })
    if (blocks !== '' && !isMembers(blocks)) throw lie('blocks is not a list')
    const found = new Map<string, ReportedBlock>()
    for (const hash of wanted) {
      const reported = blocks === '' ? undefined : blocks[hash]
      if (reported !== undefined) found.set(hash, readReportedBlock(hash, reported, signers))
    }
    return found
  }

  #fork(): Origin {
    if (!this.#origin) throw new Error('The fork is not open yet.')
    return this.#origin
  }

  async #read(action: ReadAction, fields: Members): Promise<Members>
  async #read(action: ReadAction, fields: Members, nothing: string): Promise<Members | undefined>
  async #read(action: ReadAction, fields: Members, nothing?: string): Promise<Members | undefined> {
    let answer: unknown
    try {
      answer = await this.#ask(action, fields)
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'no reason is known'
      throw refusal(`The forked node does not answer ${action}: ${reason}`)
    }
    if (!isMembers(answer)) throw lie(`${action} is answered with no object`)
    if (answer.error === undefined) return answer
    if (answer.error === nothing) return undefined
    const words = String(answer.error).replace(INVISIBLE, ' ').slice(0, 200)
    throw refusal(`The forked node refuses ${action}: ${words}`)
  }
}

type Linked = ReportedBlock & ReturnType<typeof effectOf>

function link(reported: ReportedBlock, before: ReportedBlock | undefined): Linked {
  if (!before && !isFirst(reported)) throw lie(`the block before ${reported.hash} is missing`)
  if (before && (before.account !== reported.account || before.height !== reported.height - 1)) {
    throw lie(`block ${reported.hash} is on another chain`)
  }
  return { ...reported, ...effectOf(reported, before?.balance ?? (0n as Raw)) }
}

const epochOf = (block: Block): Epoch => (block.type === 'state' ? 2 : 0)

/**
 * Converts consecutive blocks, newest first, to stored rows. The successor of each is the block before it in the list.
 */
function toKept(run: readonly Linked[], successor: string): KeptBlock[] {
  return run.map((reported, at) => ({
    ...reported,
    epoch: epochOf(reported.block),
    successor: at === 0 ? successor : run[at - 1]!.hash,
  }))
}

function toRecord(head: KeptBlock, info: Members): AccountRecord {
  const representative =
    head.block.type === 'state'
      ? head.block.representative
      : readAccount(info.confirmed_representative, 'the representative of an account')
  return {
    account: head.account,
    head: head.hash,
    openBlock: readHash(info.open_block, 'open_block'),
    representative,
    balance: head.balance,
    modifiedAt: head.timestamp,
    blockCount: head.height,
    epoch: readCount(info.account_version, 'account_version', 2) as Epoch,
    confirmedHeight: head.height,
    confirmedFrontier: head.hash,
  }
}

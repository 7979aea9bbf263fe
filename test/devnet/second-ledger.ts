import { eddsa } from '@noble/curves/abstract/edwards.js'
import { ed25519 } from '@noble/curves/ed25519.js'
import { blake2b } from '@noble/hashes/blake2.js'
import type { Block, LegacyBlock, StateBlock } from '../../src/kernel/nano/block.ts'

/*
 * A second implementation of the ledger, written only from the protocol and on noble's primitives: block hashes, signers, required work, the node's order
 * of checks, and the effect of a block. It shares no code with the ledger that it is compared with, keeps everything in maps, and is slow.
 */

interface Entry {
  account: string
  balance: bigint
  isState: boolean
}
interface Account {
  head: string
  representative: string
  balance: bigint
  epoch: number
  blocks: number
}
interface Open {
  amount: bigint
  epoch: number
}
type Outcome = { hash: string } | { refused: string }

const NOBODY = '0'.repeat(64)
const SUPPLY = 2n ** 128n - 1n
const GENESIS = 'B0311EA55708D6A53C75CDBF88300259C6D018522FE3D4D0A242E431F9E8B6D0'
const GENESIS_HASH = '04270D7F11C4B2B472F2854C5A59F2A7E84226CE9ED799DE75744BD7D85FC9D9'

const nano = eddsa(ed25519.Point, (message: Uint8Array) => blake2b(message, { dkLen: 64 }), {
  adjustScalarBytes(bytes: Uint8Array) {
    bytes[0]! &= 248
    bytes[31]! &= 127
    bytes[31]! |= 64
    return bytes
  },
})
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const digest = (...parts: string[]) =>
  Buffer.from(blake2b(bytes(parts.join('')), { dkLen: 32 }))
    .toString('hex')
    .toUpperCase()
const amountHex = (amount: bigint) => amount.toString(16).padStart(32, '0')
const epochLink = (version: number) =>
  Buffer.from(`epoch v${version} block`.padEnd(32, '\0')).toString('hex').toUpperCase()

function hashOf(block: Block): string {
  if (block.type === 'send') return digest(block.previous, block.destination, amountHex(block.balance))
  if (block.type === 'receive') return digest(block.previous, block.source)
  if (block.type === 'open') return digest(block.source, block.representative, block.account)
  if (block.type === 'change') return digest(block.previous, block.representative)
  const { account, previous, representative, balance, link } = block
  return digest('06'.padStart(64, '0'), account, previous, representative, amountHex(balance), link)
}

function isSigned(key: string, hash: string, signature: string): boolean {
  try {
    return nano.verify(bytes(signature), bytes(hash), bytes(key))
  } catch {
    // noble throws for bytes that are not a valid point or scalar.
    return false
  }
}

function difficultyOf(root: string, work: string): bigint {
  const message = Buffer.concat([Buffer.from(work, 'hex').reverse(), bytes(root)])
  return Buffer.from(blake2b(message, { dkLen: 8 })).readBigUInt64LE()
}

export class SecondLedger {
  readonly accounts = new Map<string, Account>()
  readonly open = new Map<string, Map<string, Open>>()
  readonly #blocks = new Map<string, Entry>()
  /** Blocks that arrived too early, by the hash that they wait for. */
  readonly #early = new Map<string, Map<string, Block>>()
  readonly #work: { old: bigint; send: bigint; receive: bigint }

  constructor(work: { old: bigint; send: bigint; receive: bigint }) {
    this.#work = work
    this.#blocks.set(GENESIS_HASH, { account: GENESIS, balance: SUPPLY, isState: false })
    let head = GENESIS_HASH
    for (const version of [1, 2]) {
      head = digest('06'.padStart(64, '0'), GENESIS, head, GENESIS, amountHex(SUPPLY), epochLink(version))
      this.#blocks.set(head, { account: GENESIS, balance: SUPPLY, isState: true })
    }
    this.accounts.set(GENESIS, { head, representative: GENESIS, balance: SUPPLY, epoch: 2, blocks: 3 })
  }

  /** Returns what `process` answers. */
  process(block: Block, subtype?: string): Outcome {
    const wrong = subtype !== undefined && block.type === 'state' ? this.#wrongWord(block, subtype) : undefined
    if (wrong !== undefined) return { refused: wrong }
    const root = block.type === 'open' ? block.account : block.previous === NOBODY ? accountOf(block) : block.previous
    const least = block.type === 'state' ? this.#work.receive : this.#work.old
    if (difficultyOf(root, block.work) < least) return { refused: 'Block work is less than threshold' }
    return this.#take(block)
  }

  #wrongWord(block: StateBlock, subtype: string): string | undefined {
    const opens = block.previous === NOBODY
    if (!opens && !this.#blocks.has(block.previous)) return 'Gap previous block'
    const balance = this.accounts.get(block.account)?.balance ?? 0n
    const isEpoch = [1, 2].some((version) => block.link === epochLink(version))
    const right = {
      send: block.balance < balance,
      receive: block.balance >= balance,
      open: true,
      change: block.balance === balance,
      epoch: block.balance === balance,
    }[subtype]
    if (right === undefined) return 'Invalid block subtype'
    if (!right) return 'Invalid block balance for given subtype'
    if ((subtype === 'open' && !opens) || (subtype === 'change' && opens)) {
      return 'Invalid previous block for given subtype'
    }
    return subtype === 'epoch' && !isEpoch ? 'Invalid epoch link' : undefined
  }

  /** Checks a block, stores it if valid, then processes the blocks that waited for it. */
  #take(block: Block): Outcome {
    const hash = hashOf(block)
    const refused = block.type === 'state' ? this.#takeState(block, hash) : this.#judgeOld(block, hash)
    if (refused === undefined) {
      const released = [...this.#release(hash)]
      if (block.type === 'state' && this.open.get(block.link)?.has(hash)) released.push(...this.#release(block.link))
      for (const early of released) this.#take(early)
      return { hash }
    }
    const need = needOf(block, refused)
    if (need !== undefined) this.#early.set(need, (this.#early.get(need) ?? new Map()).set(hash, block))
    return { refused }
  }

  #release(need: string): Block[] {
    const early = [...(this.#early.get(need)?.values() ?? [])]
    this.#early.delete(need)
    return early
  }

  #takeState(block: StateBlock, hash: string): string | undefined {
    const version = [1, 2].find((version) => block.link === epochLink(version))
    if (version !== undefined) {
      const before = block.previous === NOBODY ? 0n : this.#blocks.get(block.previous)?.balance
      if (before === undefined) {
        const signed = [block.account, GENESIS].some((key) => isSigned(key, hash, block.signature))
        return signed ? 'Gap previous block' : 'Bad signature'
      }
      if (before === block.balance) return this.#upgrade(block, hash, version)
    }
    if (this.#blocks.has(hash)) return 'Old block'
    if (!isSigned(block.account, hash, block.signature)) return 'Bad signature'
    if (block.account === NOBODY) return 'Block attempts to open the burn account'
    const account = this.accounts.get(block.account)
    if (account && block.previous === NOBODY) return 'Fork'
    if (account && !this.#blocks.has(block.previous)) return 'Gap previous block'
    if (account && block.previous !== account.head) return 'Fork'
    if (!account && block.previous !== NOBODY) return 'Gap previous block'
    if (!account && block.link === NOBODY) return 'Gap source block'
    const change = block.balance - (account?.balance ?? 0n)
    if (change < 0n) {
      const epoch = account!.epoch
      if (!this.#hasWork(block, epoch, this.#work.send)) return 'Block work is insufficient'
      const waiting = this.open.get(block.link) ?? new Map<string, Open>()
      this.open.set(block.link, waiting.set(hash, { amount: -change, epoch }))
      return this.#put(block, hash, epoch)
    }
    if (block.link === NOBODY) {
      if (change !== 0n) return 'Balance and amount delta do not match'
      if (!this.#hasWork(block, account!.epoch, this.#work.send)) return 'Block work is insufficient'
      return this.#put(block, hash, account!.epoch)
    }
    if (!this.#blocks.has(block.link)) return 'Gap source block'
    const source = this.open.get(block.account)?.get(block.link)
    if (!source) return 'Unreceivable'
    if (source.amount !== change) return 'Balance and amount delta do not match'
    const epoch = Math.max(source.epoch, account?.epoch ?? 0)
    if (!this.#hasWork(block, epoch, this.#work.receive)) return 'Block work is insufficient'
    this.open.get(block.account)!.delete(block.link)
    return this.#put(block, hash, epoch)
  }

  #upgrade(block: StateBlock, hash: string, version: number): string | undefined {
    if (this.#blocks.has(hash)) return 'Old block'
    if (!isSigned(GENESIS, hash, block.signature)) return 'Bad signature'
    if (block.account === NOBODY) return 'Block attempts to open the burn account'
    const account = this.accounts.get(block.account)
    if (account) {
      if (block.previous !== account.head) return 'Fork'
      if (block.representative !== account.representative) return 'Error processing block'
      if (version !== account.epoch + 1) return 'This block cannot follow the previous block'
    } else {
      if (block.representative !== NOBODY) return 'Error processing block'
      if (!this.open.get(block.account)?.size) return 'Gap pending for open epoch block'
    }
    if (block.balance !== (account?.balance ?? 0n)) return 'Balance and amount delta do not match'
    if (!this.#hasWork(block, version, this.#work.receive)) return 'Block work is insufficient'
    return this.#put(block, hash, version)
  }

  /** Legacy blocks are refused: every account has moved past them, and they cannot receive current sends. */
  #judgeOld(block: LegacyBlock, hash: string): string {
    if (this.#blocks.has(hash)) return 'Old block'
    if (block.type === 'open') {
      if (!this.#blocks.has(block.source)) return 'Gap source block'
      if (!isSigned(block.account, hash, block.signature)) return 'Bad signature'
      return this.accounts.has(block.account) ? 'Fork' : 'Unreceivable'
    }
    const previous = this.#blocks.get(block.previous)
    if (!previous) return 'Gap previous block'
    return previous.isState ? 'This block cannot follow the previous block' : 'Fork'
  }

  #hasWork(block: StateBlock, epoch: number, since2: bigint): boolean {
    const root = block.previous === NOBODY ? block.account : block.previous
    return difficultyOf(root, block.work) >= (epoch < 2 ? this.#work.old : since2)
  }

  #put({ account, representative, balance }: StateBlock, hash: string, epoch: number): undefined {
    this.#blocks.set(hash, { account, balance, isState: true })
    const blocks = (this.accounts.get(account)?.blocks ?? 0) + 1
    this.accounts.set(account, { head: hash, representative, balance, epoch, blocks })
    return undefined
  }
}

const accountOf = (block: Block) => (block.type === 'state' ? block.account : NOBODY)

function needOf(block: Block, refused: string): string | undefined {
  if (refused === 'Gap previous block') return block.type === 'open' ? undefined : block.previous
  if (refused === 'Gap pending for open epoch block' && block.type === 'state') return block.account
  if (refused !== 'Gap source block') return undefined
  if (block.type === 'state') return block.link
  return block.type === 'open' || block.type === 'receive' ? block.source : undefined
}

import { type PublicKey, toAddress } from '../../kernel/nano/address.ts'
import { ZERO_HASH, hashBlock } from '../../kernel/nano/block.ts'
import { verifyHash } from '../../kernel/nano/keys.ts'
import { refusal } from '../../kernel/nano/node-request.ts'
import { FORK_BANK } from '../genesis.ts'
import { type Row, type Statements, toStoredBlock } from '../rows.ts'
import type { LedgerStore } from '../store.ts'
import { KeptTables } from './kept-tables.ts'
import { type AskNode, NodeReader, type Origin } from './node-reader.ts'

/**
 * Thrown when a read needs something that the fork does not have yet: the caller fetches it from the node and reads
 * again.
 */
export class Untouched extends Error {
  readonly kind: 'account' | 'block'
  readonly key: string

  constructor(kind: 'account' | 'block', key: string) {
    super(`The forked node was not asked for ${kind} ${key} yet`)
    this.kind = kind
    this.key = key
  }
}

/** Most hashes that are remembered as missing at the node; the node is asked again about one that was dropped. */
const ABSENT_MAX = 65_536
/** Most rounds of fetching for one request. */
const ROUNDS_MAX = 1_000

/**
 * A ledger that begins with the state of another network. An account or block is read from a node when it is first
 * needed, in its state at the moment of the fork, and kept in the file. Nothing is ever written to the node.
 */
export class Fork {
  readonly #store: LedgerStore
  readonly #reader: NodeReader
  readonly #kept: KeptTables
  readonly #absent = new Set<string>()
  /** The fork's own first blocks, which exist on no other network. */
  readonly #own = new Set([ZERO_HASH, FORK_BANK.hash, ...FORK_BANK.epochs.map(hashBlock)])
  readonly #asking = new Map<string, Promise<void>>()
  #write: ((run: () => void) => Promise<void>) | undefined
  #origin: Origin | undefined

  constructor(store: LedgerStore, ask: AskNode) {
    this.#store = store
    this.#reader = new NodeReader(ask)
    this.#kept = new KeptTables(store)
  }

  /** Sets which network is forked: the one in the file, or at the first start that of the node. */
  async open(nowSeconds: number, write: (run: () => void) => Promise<void>): Promise<void> {
    this.#write = write
    const kept = this.#kept.findOrigin()
    // A second earlier than now, because more blocks of the current second may still arrive.
    const origin = kept ?? (await this.#reader.readOrigin(nowSeconds - 1))
    if (!kept) await write(() => this.#kept.putOrigin(origin))
    this.#use(origin)
    this.#store.beyond = {
      account: (account) => {
        if (!this.#kept.isTouched(account)) throw new Untouched('account', account)
      },
      block: (hash) => {
        if (!this.#own.has(hash) && !this.#absent.has(hash)) throw new Untouched('block', hash)
      },
    }
  }

  get origin(): Origin {
    if (!this.#origin) throw new Error('The fork is not open yet.')
    return this.#origin
  }

  /** Runs `look`, fetches what is missing from the node, and repeats until nothing is missing. */
  async reading<T>(look: () => T | Promise<T>): Promise<T> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      try {
        return await look()
      } catch (error) {
        if (!(error instanceof Untouched)) throw error
        await this.#touch(error)
      }
    }
    throw new Error('One request asked the forked node for too much.')
  }

  /** Everything read from the node so far, as lines of a dumped ledger. */
  dump(): string[] {
    return writeKept(this.#store.statements)
  }

  /**
   * Replaces everything that was read by lines of a dump. Call it inside a transaction, and `settle` after the commit.
   */
  load(lines: readonly string[]): void {
    readKept(this.#store.statements, lines, this.origin)
  }

  settle(): void {
    const origin = this.#kept.findOrigin()
    if (origin) this.#use(origin)
    this.#absent.clear()
  }

  /** Runs `look`, and copies what it needs from what was kept earlier, without asking the node. */
  fromKept<T>(look: () => T): T {
    for (;;) {
      try {
        return look()
      } catch (error) {
        if (!(error instanceof Untouched)) throw error
        const { kind, key } = error
        if (kind === 'block' && this.#kept.hasBlock(key)) this.#kept.instateBlock(key)
        else if (kind === 'block') this.#absent.add(key)
        else if (this.#kept.hasAccount(key)) this.#kept.instateAccount(key)
        else throw refusal(`state.kept has nothing of ${toAddress(key)}`)
      }
    }
  }

  #use(origin: Origin): void {
    this.#origin = origin
    this.#reader.useOrigin(origin)
  }

  #touch({ kind, key }: Untouched): Promise<void> {
    const known = this.#asking.get(key)
    if (known) return known
    const asking = (kind === 'account' ? this.#touchAccount(key) : this.#touchBlock(key)).finally(() =>
      this.#asking.delete(key),
    )
    this.#asking.set(key, asking)
    return asking
  }

  /** Copies an account completely, or nothing of it. */
  async #touchAccount(account: PublicKey): Promise<void> {
    const read = this.#kept.hasAccount(account) ? undefined : await this.#reader.readAccount(account)
    await this.#write!(() => {
      if (read) this.#kept.putAccount(account, read)
      this.#kept.instateAccount(account)
    })
  }

  async #touchBlock(hash: string): Promise<void> {
    const read = this.#kept.hasBlock(hash) ? [] : await this.#reader.readBlocks(hash)
    if (read.length === 0 && !this.#kept.hasBlock(hash)) {
      if (this.#absent.size >= ABSENT_MAX) this.#absent.clear()
      this.#absent.add(hash)
      return
    }
    await this.#write!(() => {
      for (const block of read) this.#kept.putBlock(block)
      this.#kept.instateBlock(hash)
      for (const block of read) this.#kept.instateBlock(block.hash)
    })
  }
}

/* What was read from a forked node, as lines of a dumped ledger: the table, and its values without any brackets. */

const TABLES = ['fork_origin', 'fork_blocks', 'fork_accounts', 'fork_receivable']

function writeKept(statements: Statements): string[] {
  return TABLES.flatMap((table) =>
    statements
      .all(`select * from ${table}`)
      .map((row) => `${table} ${Buffer.from(JSON.stringify(Object.entries(row))).toString('base64')}`),
  )
}

/**
 * Replaces what was kept by these lines. Blocks must match their hash and signature; everything else is trusted, as it
 * was when it came from the node.
 */
function readKept(statements: Statements, lines: readonly string[], { genesis, epochSigners }: Origin): void {
  for (const table of TABLES) statements.run(`delete from ${table}`)
  for (const [index, line] of lines.entries()) {
    const [table = '', encoded = ''] = line.split(' ')
    const known = TABLES.includes(table) ? readRow(statements, table, encoded) : undefined
    if (!known) throw refusal(`state.kept.${index} is not a line of a forked ledger`)
    if (table === 'fork_origin' && (JSON.parse(String(known.origin)) as Origin).genesis !== genesis) {
      throw refusal('state.kept is of another network')
    }
    if (table === 'fork_blocks' && !isGenuine(known, epochSigners))
      throw refusal(`state.kept.${index} is not a signed block`)
    const places = Object.keys(known).map(() => '?')
    const values = Object.values(known) as (string | number | null)[]
    statements.run(`insert into ${table} values (${places.join(', ')})`, ...values)
  }
}

function readRow(statements: Statements, table: string, encoded: string): Row | undefined {
  const columns = statements.all(`select name from pragma_table_info('${table}')`).map(({ name }) => name)
  try {
    const row = Object.fromEntries(JSON.parse(Buffer.from(encoded, 'base64').toString()) as [string, string][]) as Row
    const names = Object.keys(row)
    const fits = names.length === columns.length && names.every((name, at) => name === columns[at])
    const isPlain = Object.values(row).every((value) => value === null || ['string', 'number'].includes(typeof value))
    return fits && isPlain ? row : undefined
  } catch {
    // No dump of ours has such a line.
    return undefined
  }
}

function isGenuine(row: Row, epochSigners: readonly string[]): boolean {
  try {
    const { hash, block, account, balance } = toStoredBlock(row)
    if (hashBlock(block) !== hash || ('balance' in block && block.balance !== balance)) return false
    return [account, ...epochSigners].some((key) => verifyHash(key, hash, block.signature))
  } catch {
    // It is not even shaped like a block.
    return false
  }
}

import { withJson } from './amounts.ts'
import { type Connection, backOff, callAction, rest } from './call.ts'
import { ConfirmationSocket, type Frame, type SocketClass } from './confirmation-socket.ts'
import { GatewayError } from './gateway-error.ts'
import type { Answers } from './generated/answers.ts'
import { FACTS } from './generated/facts.ts'
import type { Requests } from './generated/requests.ts'

export interface Confirmation {
  hash: string
  /** The account that made the block. */
  account: string
  /** In raw. */
  amount: bigint
  block: Record<string, unknown>
  /** Whether the block was confirmed while there was no connection, and was read from the ledger later. */
  missed: boolean
}

export interface ConfirmationOptions {
  /** Only blocks of these accounts, and sends to them; by default all blocks, without catching up on missed ones. */
  accounts?: readonly string[] | undefined
  /** Ends the stream. */
  signal?: AbortSignal | undefined
}

const SEEN_MAX = 20_000
/** After so many confirmations the client saves its place on the ledger again, to keep catching up short. */
const MARK_EVERY = 5_000

/**
 * Confirmations as they happen. After a broken connection, blocks confirmed meanwhile are read from the ledger, and
 * each is reported once.
 */
export async function* confirmationsOf(
  connection: Connection,
  Socket: SocketClass | undefined,
  { accounts, signal }: ConfirmationOptions = {},
): AsyncGenerator<Confirmation, void, undefined> {
  if (!Socket)
    throw new GatewayError('This runtime has no WebSocket; give createGateway one.', { code: 'no_websocket' })
  const url = `${connection.url.replace(/^http/, 'ws')}/ws`
  const seen = new Seen()
  const missed = new MissedConfirmations(connection)
  const marks = new Map<string, Mark>()
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted()
    const socket = new ConfirmationSocket(Socket, url, accounts)
    const close = () => socket.close()
    signal?.addEventListener('abort', close)
    try {
      if (await socket.ready()) {
        for await (const each of catchUp(missed, marks, accounts ?? [])) if (seen.isNew(each.hash)) yield each
        failures = 0
        for (let yielded = 1; yielded <= MARK_EVERY; yielded++) {
          const frame = await socket.next()
          if (!frame) break
          if (seen.isNew(frame.hash)) yield fromFrame(frame)
        }
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (!isPassing(error)) throw error
    } finally {
      signal?.removeEventListener('abort', close)
      socket.close()
    }
    await rest(backOff(failures), signal)
  }
}

/** Temporary failures: no server, too many requests, a node that is unavailable. */
const isPassing = (error: unknown) =>
  error instanceof GatewayError && (error.status === 0 || error.status === 429 || error.status >= 500)

/** Reports what was confirmed since the marks, and moves the marks. The first call only sets them. */
async function* catchUp(missed: MissedConfirmations, marks: Map<string, Mark>, accounts: readonly string[]) {
  for (const account of accounts) {
    const [from, to] = [marks.get(account), await missed.mark(account)]
    const blocks = from ? await missed.between(account, from, to) : []
    for (const block of blocks) yield withJson({ ...block, missed: true })
    marks.set(account, to)
  }
}

const fromFrame = ({ hash, account, amount, block = {} }: Frame): Confirmation =>
  withJson({ hash, account, amount: BigInt(amount), block, missed: false })

/** The most recent hashes, a limited number. */
class Seen {
  readonly #hashes = new Set<string>()

  isNew(hash: string): boolean {
    if (this.#hashes.has(hash)) return false
    this.#hashes.add(hash)
    if (this.#hashes.size > SEEN_MAX) this.#hashes.delete(this.#hashes.values().next().value!)
    return true
  }
}

/** How far an account has been reported: its newest confirmed block, and its confirmed receivable sends. */
interface Mark {
  frontier: string | undefined
  waiting: ReadonlySet<string>
}

/** A confirmed block, read from the ledger afterwards. */
interface MissedBlock {
  hash: string
  account: string
  amount: bigint
  block: Record<string, unknown>
}

type Info = Exclude<Answers['blocks_info']['blocks'], ''>[string]

const PAGE = 100
const PAGES_MAX = 100
const WAITING_MAX = 1_000

type Reads = 'account_info' | 'account_history' | 'receivable' | 'blocks_info'

/** Reads what happened to accounts between two connections. */
class MissedConfirmations {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async mark(account: string): Promise<Mark> {
    const [frontier, waiting] = await Promise.all([this.#frontier(account), this.#waiting(account)])
    return { frontier, waiting }
  }

  /** Everything confirmed between two marks, oldest first: the account's own blocks, and sends to it. */
  async between(account: string, from: Mark, to: Mark): Promise<MissedBlock[]> {
    const own = await this.#ownBlocks(account, from.frontier, to.frontier)
    const sources = await this.#blocks(own.flatMap(({ info }) => sourceOf(info) ?? []))
    const found = own.flatMap(({ hash, info }) => {
      const source = sourceOf(info)
      const sent = source === undefined || from.waiting.has(source) ? undefined : sources.get(source)
      return sent ? [toMissed(source!, sent), toMissed(hash, info)] : [toMissed(hash, info)]
    })
    const arrived = [...to.waiting].filter((hash) => !from.waiting.has(hash))
    const waiting = await this.#blocks(arrived)
    return [...found, ...[...waiting].map(([hash, info]) => toMissed(hash, info))]
  }

  async #frontier(account: string): Promise<string | undefined> {
    try {
      const { confirmation_height_frontier: frontier } = await this.#read('account_info', { account })
      return /^0*$/.test(frontier) ? undefined : frontier
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'ledger_refused') return undefined
      throw error
    }
  }

  async #waiting(account: string): Promise<Set<string>> {
    const answer = await this.#read('receivable', { account, count: WAITING_MAX, threshold: 1n })
    const blocks = 'blocks' in answer ? answer.blocks : ''
    return new Set(blocks === '' ? [] : Array.isArray(blocks) ? blocks : Object.keys(blocks))
  }

  async #ownBlocks(account: string, from: string | undefined, to: string | undefined) {
    const hashes: string[] = []
    let head = to
    for (let pages = 0; head !== undefined && head !== from && pages < PAGES_MAX; pages++) {
      const { history, previous } = await this.#read('account_history', { account, head, raw: true, count: PAGE })
      const page = (history === '' ? [] : history).map(({ hash }) => hash)
      const known = from === undefined ? -1 : page.indexOf(from)
      hashes.push(...(known < 0 ? page : page.slice(0, known)))
      head = known < 0 ? previous : undefined
    }
    const infos = await this.#blocks(hashes)
    return hashes.reverse().flatMap((hash) => {
      const info = infos.get(hash)
      return info ? [{ hash, info }] : []
    })
  }

  async #blocks(hashes: readonly string[]): Promise<Map<string, Info>> {
    const found = new Map<string, Info>()
    for (let first = 0; first < hashes.length; first += PAGE) {
      const page = hashes.slice(first, first + PAGE)
      const { blocks } = await this.#read('blocks_info', { hashes: page, json_block: true, include_not_found: true })
      for (const [hash, info] of blocks === '' ? [] : Object.entries(blocks)) {
        if (info.confirmed === 'true') found.set(hash, info)
      }
    }
    return found
  }

  #read<Name extends Reads>(name: Name, fields: Requests[Name]): Promise<Answers[Name]> {
    return callAction(this.#connection, name, FACTS[name], fields) as Promise<Answers[Name]>
  }
}

const sourceOf = ({ subtype, contents }: Info): string | undefined => {
  const { link } = contents as { link?: string }
  return subtype === 'receive' || subtype === 'open' ? link : undefined
}

const toMissed = (hash: string, { block_account: account, amount = 0n, subtype, contents }: Info): MissedBlock => {
  const { balance_nano: _, balance, ...members } = contents as Record<string, unknown>
  return { hash, account, amount, block: { ...members, balance: String(balance), ...(subtype && { subtype }) } }
}

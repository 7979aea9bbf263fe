import { type Connection, callAction } from './call.ts'
import { GatewayError } from './gateway-error.ts'
import type { Answers } from './generated/answers.ts'
import { FACTS } from './generated/facts.ts'
import type { Requests } from './generated/requests.ts'

/** How far an account was reported: its newest confirmed block, and the confirmed sends that wait for it. */
export interface Mark {
  frontier: string | undefined
  waiting: ReadonlySet<string>
}

/** A confirmed block, as the ledger shows it later. */
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

/** What happened to accounts between two connections. */
export class MissedConfirmations {
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

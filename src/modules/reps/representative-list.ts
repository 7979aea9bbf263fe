import { AppError, LedgerRefusal } from '../../kernel/errors.ts'
import type { Clock, NodePort, Representatives } from '../../kernel/ports.ts'
import { type JsonObject, toObject } from '../../kernel/shape.ts'
import type { Db } from '../../kernel/db.ts'
import { type KnownRep, type NodeFacts, toRepresentatives } from './representative.ts'
import { readUptimes } from './store.ts'

const LISTED_MAX = 500
/** How long a list is good, and how long it is better than none. */
const FRESH_MILLISECONDS = 60_000
const STALE_MILLISECONDS = 10 * 60_000
export const DAY = 86_400_000
const UPTIME_DAYS = 30

interface RepsOptions {
  node: NodePort
  db: Db
  clock: Clock
  known: Readonly<Record<string, KnownRep>>
  usernameOf(address: string): string | undefined
}

/** The representatives of the network. The list is made anew once a minute at most, and by one caller at a time. */
export class RepresentativeList implements Representatives {
  readonly #options: RepsOptions
  #last: { reps: JsonObject[]; at: number } | undefined
  #making: Promise<JsonObject[]> | undefined

  constructor(options: RepsOptions) {
    this.#options = options
  }

  async list(): Promise<JsonObject[]> {
    const { clock } = this.#options
    if (this.#last && clock.now() - this.#last.at < FRESH_MILLISECONDS) return this.#last.reps
    this.#making ??= this.#make().finally(() => (this.#making = undefined))
    try {
      return await this.#making
    } catch (error) {
      if (this.#last && clock.now() - this.#last.at < STALE_MILLISECONDS) return this.#last.reps
      if (error instanceof AppError) throw error
      throw new AppError('no_node', 'No node available. Try again in a few seconds.', { cause: error })
    }
  }

  async #make(): Promise<JsonObject[]> {
    const { db, clock, node, known, usernameOf } = this.#options
    const at = clock.now()
    const facts = await readFacts(node)
    const uptimes = await readUptimes(db, Math.floor(at / DAY) - UPTIME_DAYS)
    const reps = toRepresentatives(facts, { known, uptimes, usernameOf })
    this.#last = { reps, at }
    return reps
  }
}

async function readFacts(node: NodePort): Promise<NodeFacts> {
  const [weights, online, quorum, metrics, own] = await Promise.all([
    node.read('representatives', { count: LISTED_MAX, sorting: true }),
    node.read('representatives_online', { weight: true }),
    node.read('confirmation_quorum', { peer_details: true }),
    optional(node, { raw: true }),
    optional(node, {}),
  ])
  return {
    weights: toObject(weights.representatives),
    online: toObject(online.representatives),
    quorum: toObject(quorum),
    telemetry: { ...toObject(metrics), ...(own && { own: toObject(own) }) },
  }
}

/** Not every node gives telemetry; the list is worth having without. */
async function optional(node: NodePort, params: Record<string, unknown>) {
  try {
    return await node.read('telemetry', params)
  } catch (error) {
    if (error instanceof LedgerRefusal) return undefined
    throw error
  }
}

/** Who votes at the moment. */
export async function readOnline(node: NodePort): Promise<string[]> {
  const { representatives } = await node.read('representatives_online', { weight: true })
  return Object.keys(toObject(representatives))
}

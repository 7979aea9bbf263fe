import type { Db } from '../../kernel/db.ts'
import { AppError, LedgerRefusal } from '../../kernel/errors.ts'
import { formatNano, parseRaw } from '../../kernel/money.ts'
import type { Clock, NodePort, Representatives } from '../../kernel/ports.ts'
import { type Json, type JsonObject, textOf, toList, toObject } from '../../kernel/shape.ts'
import { type Uptimes, readUptimes } from './store.ts'

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

/** What is known of a representative beside the ledger. */
interface KnownRep {
  alias?: string
  website?: string
  location?: string
  donation_address?: string
}

/** The node's answers that the list is made of. */
export interface NodeFacts {
  weights: JsonObject
  online: JsonObject
  quorum: JsonObject
  telemetry: JsonObject
}

interface Around {
  known: Readonly<Record<string, KnownRep>>
  uptimes: Uptimes
  usernameOf(address: string): string | undefined
}

/** A voter of more than this share is one that others should not join. */
const HEAVY_PERCENT = 5
const HEAVY_SCORE_MAX = 80
const OFFLINE_SCORE_MAX = 20

/** Everybody with weight, heaviest first, with what the network and this gateway know of them. */
export function toRepresentatives(facts: NodeFacts, { known, uptimes, usernameOf }: Around): JsonObject[] {
  const total = parseRaw(textOf(facts.quorum.online_stake_total)) ?? 0n
  const machines = machinesByAccount(facts)
  return Object.entries(facts.weights)
    .map(([account, weight]) => ({ account, weight: parseRaw(textOf(weight)) ?? 0n }))
    .filter(({ weight }) => weight > 0n)
    .sort((a, b) => (a.weight < b.weight ? 1 : a.weight > b.weight ? -1 : a.account < b.account ? -1 : 1))
    .map(({ account, weight }) => {
      const { alias, website = null, location = null, donation_address = null } = known[account] ?? {}
      const isOnline = Object.hasOwn(facts.online, account)
      const percent = total === 0n ? 0 : Number((weight * 10_000n) / total) / 100
      const uptime = uptimeOf(account, uptimes, isOnline)
      const { synced, version, protocol, database } = machines.get(account) ?? UNSEEN
      const username = usernameOf(account) ?? ''
      return {
        rep_address: account,
        account,
        donation_address,
        weight: percent,
        // A JSON number is the nearest there is; the whole truth stands beside it.
        weight_nano: Number(formatNano(weight)),
        weight_raw: weight.toString(),
        uptime: `${uptime.toFixed(2)}%`,
        synced,
        website,
        location,
        alias: alias ?? username,
        username,
        score: scoreOf({ uptime, synced, percent, isOnline }),
        version,
        protocol,
        database,
      }
    })
}

/**
 * From 0 to 100: seven tenths for being online, three tenths for being in step. One that is offline now has 20 at most, and
 * one that holds more than 5 % of the weight 80 at most, because others should not join them.
 */
export function scoreOf({
  uptime,
  synced,
  percent,
  isOnline,
}: {
  uptime: number
  synced: number
  percent: number
  isOnline: boolean
}): number {
  const score = Math.round(uptime * 0.7 + synced * 0.3)
  if (!isOnline) return Math.min(score, OFFLINE_SCORE_MAX)
  return percent > HEAVY_PERCENT ? Math.min(score, HEAVY_SCORE_MAX) : score
}

/** In percent of the looks this gateway had; before the first, what it sees now. */
function uptimeOf(account: string, { looks, online }: Uptimes, isOnline: boolean): number {
  if (looks === 0) return isOnline ? 100 : 0
  return (Math.min(online.get(account) ?? 0, looks) / looks) * 100
}

interface Machine {
  /** Confirmed blocks in percent of the most anybody has. */
  synced: number
  version: string
  protocol: number
  database: string
}

const UNSEEN: Machine = { synced: 0, version: '', protocol: 0, database: '' }

/** Who votes from where is told by the quorum, what runs there by telemetry; the address joins the two. */
function machinesByAccount({ quorum, telemetry, online }: NodeFacts): Map<string, Machine> {
  const metrics = toList(telemetry.metrics).map(toObject)
  const most = Math.max(1, ...metrics.map(({ cemented_count }) => toCount(cemented_count)))
  const byAddress = new Map(
    metrics.map((metric) => [addressKey(`${textOf(metric.address)}:${textOf(metric.port)}`), metric]),
  )
  const machines = new Map<string, Machine>()
  for (const peer of toList(quorum.peers).map(toObject)) {
    const metric = byAddress.get(addressKey(textOf(peer.ip)))
    if (metric) machines.set(textOf(peer.account), toMachine(metric, most))
  }
  // A node does not list itself among its peers: who is online and nowhere else is the node we ask, if it is alone.
  const own = Object.keys(online).filter((account) => !machines.has(account))
  if (own.length === 1 && telemetry.own !== undefined) {
    const metric = toObject(telemetry.own)
    machines.set(own[0]!, toMachine(metric, Math.max(most, toCount(metric.cemented_count))))
  }
  return machines
}

function toMachine(metric: JsonObject, most: number): Machine {
  const { major_version, minor_version, patch_version, protocol_version, database_backend } = metric
  const parts = [major_version, minor_version, patch_version]
  return {
    synced: Math.min(100, Math.floor((toCount(metric.cemented_count) / Math.max(1, most)) * 10_000) / 100),
    version: parts.every((part) => part !== undefined) ? parts.map(textOf).join('.') : '',
    protocol: toCount(protocol_version),
    database: typeof database_backend === 'string' ? database_backend : '',
  }
}

/** `[::ffff:192.0.2.1]:7075` and its relatives, as one spelling. */
function addressKey(text: string): string {
  return text.toLowerCase().replaceAll(/[[\]]/g, '').replace('::ffff:', '')
}

function toCount(value: Json | undefined): number {
  const count = Number(value)
  return Number.isSafeInteger(count) && count >= 0 ? count : 0
}

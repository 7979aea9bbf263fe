import type { Db } from '../../kernel/db.ts'
import { AppError, LedgerRefusal } from '../../kernel/errors.ts'
import { formatNano, parseRaw } from '../../kernel/money.ts'
import type { Clock, NodePort, Representatives } from '../../kernel/ports.ts'
import { type Json, type JsonObject, textOf, toList, toObject } from '../../kernel/shape.ts'
import { type Uptimes, readUptimes } from './store.ts'

const LISTED_MAX = 500
/** How long a list is current, and how long an older one is better than none. */
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

/** The representatives of the network. The list is refreshed at most once a minute, by one caller at a time. */
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

/** Some nodes give no telemetry; the list is useful without it. */
async function optional(node: NodePort, params: Record<string, unknown>) {
  try {
    return await node.read('telemetry', params)
  } catch (error) {
    if (error instanceof LedgerRefusal) return undefined
    throw error
  }
}

/** The representatives that are voting now. */
export async function readOnline(node: NodePort): Promise<string[]> {
  const { representatives } = await node.read('representatives_online', { weight: true })
  return Object.keys(toObject(representatives))
}

/** Facts about a representative that are not on the ledger. */
interface KnownRep {
  alias?: string
  website?: string
  location?: string
  donation_address?: string
}

/** The node's answers from which the list is made. */
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

/** Wallets should not choose a representative with more than this share of the weight. */
const HEAVY_PERCENT = 5
const HEAVY_SCORE_MAX = 80
const OFFLINE_SCORE_MAX = 20

/** All representatives with weight, heaviest first, with facts from the network and this gateway. */
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
        // A JSON number is only an approximation; the exact weight is next to it.
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
 * A score from 0 to 100: seven tenths for uptime, three tenths for being in sync. At most 20 for one that is offline now, and at most 80 for one
 * with more than 5 % of the weight, because wallets should not choose it.
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

/** The percentage of this gateway's checks that found it online; before the first check, its current state. */
function uptimeOf(account: string, { looks, online }: Uptimes, isOnline: boolean): number {
  if (looks === 0) return isOnline ? 100 : 0
  return (Math.min(online.get(account) ?? 0, looks) / looks) * 100
}

interface Machine {
  /** Confirmed blocks in percent of the highest count of any node. */
  synced: number
  version: string
  protocol: number
  database: string
}

const UNSEEN: Machine = { synced: 0, version: '', protocol: 0, database: '' }

/** The quorum says which representative votes from which address, telemetry what runs at an address; the address joins both. */
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
  // A node is missing from its own list of peers: a single online representative that no peer explains is the node we ask.
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

/** Normalises `[::ffff:192.0.2.1]:7075` and similar spellings of one address. */
function addressKey(text: string): string {
  return text.toLowerCase().replaceAll(/[[\]]/g, '').replace('::ffff:', '')
}

function toCount(value: Json | undefined): number {
  const count = Number(value)
  return Number.isSafeInteger(count) && count >= 0 ? count : 0
}

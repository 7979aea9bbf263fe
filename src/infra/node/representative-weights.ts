import { isIP } from 'node:net'
import { RAW_MAX, parseRaw } from '../../kernel/money.ts'
import { type PublicKey, fromAddress } from '../../kernel/nano/address.ts'
import type { Clock, NodeAnswer, NodeParams } from '../../kernel/ports.ts'
import { textOf, toObject } from '../../kernel/shape.ts'
import { isGlobalAddress } from '../http/global-address.ts'
import type { Upstream } from './upstream.ts'

/** In this time weights change by less than a hundredth. */
const KEPT_FOR = 300_000
/** After a disagreement, nodes are asked again at the earliest after this time. */
const ASKED_EVERY = 5_000
const NODES_MAX = 5
/** Nodes count at slightly different times, so their values may differ by one part in so many. */
const DIFFERENCE_PARTS = 100n

/** Weights of representatives as nodes report them. */
export interface KnownWeights {
  /** A block is confirmed by votes of more weight than this. */
  quorumRaw: bigint
  onlineRaw: bigint
  weights: ReadonlyMap<PublicKey, bigint>
  /** Hosts of the nodes that reported them. */
  sources: readonly string[]
  at: number
}

/** The report of one node. */
export type Report = Pick<KnownWeights, 'quorumRaw' | 'onlineRaw' | 'weights'>

export type AskOne = (upstream: Upstream, action: string, params: NodeParams) => Promise<NodeAnswer>

interface WeightOptions {
  upstreams: readonly Upstream[]
  clock: Clock
  ask: AskOne
}

/** The weights of representatives according to several nodes, read from time to time. */
export class RepresentativeWeights {
  readonly #options: WeightOptions
  #known: KnownWeights | undefined
  #asking: Promise<KnownWeights> | undefined
  #askedAt = -Infinity

  constructor(options: WeightOptions) {
    this.#options = options
  }

  /** Throws if too few nodes answer. */
  async read(): Promise<KnownWeights> {
    const now = this.#options.clock.now()
    if (this.#known && now - this.#known.at < KEPT_FOR) return this.#known
    if (this.#asking) return this.#asking
    if (now - this.#askedAt < ASKED_EVERY) throw new Error('Nodes did not report the weights of representatives.')
    this.#askedAt = now
    this.#asking = this.#ask().finally(() => (this.#asking = undefined))
    this.#known = await this.#asking
    return this.#known
  }

  async #ask(): Promise<KnownWeights> {
    const { upstreams, clock, ask } = this.#options
    const well = upstreams.filter(({ healthy }) => healthy).slice(0, NODES_MAX)
    const answers = await Promise.allSettled(
      well.map(async (upstream) => ({
        upstream,
        report: readReport(
          await ask(upstream, 'confirmation_quorum', {}),
          await ask(upstream, 'representatives_online', { weight: true }),
        ),
      })),
    )
    const reports: Report[] = []
    const sources: string[] = []
    for (const answer of answers) {
      if (answer.status === 'rejected' || !answer.value.report) continue
      reports.push(answer.value.report)
      sources.push(nameSource(answer.value.upstream.options.url))
    }
    // If several nodes are configured, the report of one is not enough.
    if (reports.length < Math.min(2, upstreams.length))
      throw new Error(`${reports.length} of ${upstreams.length} nodes reported the weights of representatives.`)
    return { ...agreeOn(reports), sources, at: clock.now() }
  }
}

/**
 * Stands for a node with a private address: proofs are public and must not reveal addresses of the operator's network.
 */
const PRIVATE = 'private-node'
const LOCAL_NAME = /^[^.]+$|\.(?:local|internal|lan|home|localdomain)$/

export function nameSource(url: string): string {
  const { host, hostname } = new URL(url)
  const address = hostname.replace(/^\[|\]$/g, '')
  const isPublic = isIP(address) === 0 ? !LOCAL_NAME.test(address) : isGlobalAddress(address)
  return isPublic ? host : PRIVATE
}

/** A node's report; undefined if it is impossible. */
function readReport(quorum: NodeAnswer, online: NodeAnswer): Report | undefined {
  const quorumRaw = parseRaw(textOf(quorum.quorum_delta))
  const stakes = [quorum.online_stake_total, quorum.trended_stake_total].map((stake) => parseRaw(textOf(stake)) ?? 0n)
  const onlineRaw = stakes.reduce((most, stake) => (stake > most ? stake : most), 0n)
  const weights = new Map<PublicKey, bigint>()
  for (const [address, entry] of Object.entries(toObject(online.representatives))) {
    const key = fromAddress(address)
    const weight = parseRaw(textOf(toObject(entry).weight))
    if (key !== undefined && weight !== undefined && weight > 0n) weights.set(key, weight)
  }
  const sum = [...weights.values()].reduce((all, weight) => all + weight, 0n)
  if (quorumRaw === undefined || quorumRaw < (onlineRaw * 67n) / 100n || onlineRaw === 0n || sum > RAW_MAX)
    return undefined
  return { quorumRaw, onlineRaw, weights }
}

/**
 * Merges reports: takes the highest quorum and, for each representative that two nodes name, the lowest weight, if
 * these differ by at most a hundredth. One node is enough only if there is no other.
 */
export function agreeOn(reports: readonly Report[]): Report {
  const said = new Map<PublicKey, bigint[]>()
  for (const { weights } of reports) {
    for (const [key, weight] of weights) said.set(key, [...(said.get(key) ?? []), weight])
  }
  const weights = new Map<PublicKey, bigint>()
  for (const [key, words] of said) {
    if (words.length < Math.min(2, reports.length)) continue
    const least = words.reduce((low, word) => (word < low ? word : low))
    const most = highest(words)
    if ((most - least) * DIFFERENCE_PARTS <= most) weights.set(key, least)
  }
  return {
    quorumRaw: highest(reports.map(({ quorumRaw }) => quorumRaw)),
    onlineRaw: highest(reports.map(({ onlineRaw }) => onlineRaw)),
    weights,
  }
}

const highest = (numbers: readonly bigint[]) => numbers.reduce((most, one) => (one > most ? one : most), 0n)

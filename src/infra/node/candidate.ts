import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { WebSocket } from 'ws'
import { isHex } from '../../kernel/nano/hex.ts'
import { GENESIS_HASHES, type NetworkName } from '../../kernel/nano/network.ts'
import { WORK_THRESHOLDS } from '../../kernel/nano/work.ts'
import type { Clock, NodeAnswer } from '../../kernel/ports.ts'
import { textOf, toList, toObject } from '../../kernel/shape.ts'
import { UpstreamFailure, isNodeComplaint, toFailure } from './failure.ts'
import { type OurLedger, type LedgerReport, askForLedger, compareLedger } from './identity.ts'

const TIMEOUT = 5_000
const LISTENING = 5_000
/** As many requests as one page causes. A public node that refuses them would fail when they are needed most. */
const BURST = 20
const SUBSCRIBE = JSON.stringify({ action: 'subscribe', topic: 'confirmation', ack: true })
const BODY_MAX = 1_000_000

export interface Candidate {
  url: string
  wsUrl: string | undefined
}

/** The result of testing a node. */
export interface Found extends Candidate {
  version: string | undefined
  /** Whether the node has the ledger of the network, and the reason if not. */
  isOurs: boolean
  reason: string | undefined
  cemented: number | undefined
  /** Median of its response times, in milliseconds. */
  milliseconds: number | undefined
  /** How many of the simultaneous requests it answered. */
  burst: number
  keepsOpen: boolean
  receivesEvents: boolean | undefined
  /** Actions that a gateway needs and this node refuses. */
  missing: string[]
  /** Blocks that it reports as confirmed, for comparison with other nodes. */
  confirmed: string[]
}

/** What a gateway asks its nodes, here about the first account of the network, which every node knows. */
const needs = (genesis: string, account: string): NodeAnswer[] => [
  { action: 'account_info', account, representative: 'true' },
  { action: 'accounts_frontiers', accounts: [account] },
  { action: 'accounts_receivable', accounts: [account], count: '1', source: 'true' },
  { action: 'receivable', account, count: '1', source: 'true' },
  { action: 'blocks_info', hashes: [genesis], json_block: 'true', include_not_found: 'true', receivable: 'true' },
  { action: 'account_history', account, count: '1', raw: 'true' },
  { action: 'active_difficulty' },
  { action: 'representatives_online', weight: 'true' },
  { action: 'confirmation_quorum' },
  // An empty block cannot be published. A node that accepts blocks refuses it as invalid.
  { action: 'process', json_block: 'true', subtype: 'send', block: {} },
]

/** Tests everything that a gateway needs from a node. */
export async function examine(candidate: Candidate, network: NetworkName, clock: Clock): Promise<Found> {
  const line = new Line(candidate.url, clock)
  const found: Found = {
    ...candidate,
    version: undefined,
    isOurs: false,
    reason: undefined,
    cemented: undefined,
    milliseconds: undefined,
    burst: 0,
    keepsOpen: false,
    receivesEvents: undefined,
    missing: [],
    confirmed: [],
  }
  try {
    const listening = candidate.wsUrl === undefined ? undefined : listen(candidate.wsUrl, clock)
    const ours: OurLedger = { network, genesis: GENESIS_HASHES[network], thresholds: WORK_THRESHOLDS[network] }
    const reported: LedgerReport = await askForLedger((request) => line.ask(request as NodeAnswer), ours)
    // The first block of the beta network is not known in advance: accept the one of this node, and compare it with the
    // other nodes.
    ours.genesis ??= reported.genesis
    const verdict = compareLedger(ours, reported)
    found.isOurs = verdict.kind === 'ours'
    found.reason = verdict.kind === 'ours' ? undefined : verdict.reason
    const version = await line.tryAsk({ action: 'version' })
    found.version = typeof version?.node_vendor === 'string' ? version.node_vendor : undefined
    found.cemented = countOf(await line.tryAsk({ action: 'block_count' }))
    if (found.isOurs) {
      const block = await line.tryAsk({ action: 'block_info', hash: ours.genesis!, json_block: 'true' })
      const account = typeof block?.block_account === 'string' ? block.block_account : ''
      for (const need of needs(ours.genesis!, account)) {
        if ((await line.tryAsk(need)) === undefined) found.missing.push(textOf(need.action))
      }
      found.confirmed = await listConfirmed(line, account)
      found.burst = await line.burst(BURST)
    }
    const { hasEvents, hash } = (await listening) ?? {}
    found.receivesEvents = hasEvents
    if (hash !== undefined) found.confirmed.unshift(hash)
  } catch (error) {
    found.reason = toFailure(error).message || 'it does not answer'
  } finally {
    found.milliseconds = line.middle
    found.keepsOpen = line.keepsOpen
    line.close()
  }
  return found
}

/**
 * Whether a node confirms blocks that other nodes report as confirmed: how many it was asked about, and which of them
 * it denies.
 */
export async function askAbout({ url }: Candidate, hashes: readonly string[], clock: Clock): Promise<string[]> {
  const line = new Line(url, clock)
  try {
    const denied: string[] = []
    for (const hash of hashes) {
      const block = await line.tryAsk({ action: 'block_info', hash, json_block: 'true' })
      if (block?.confirmed !== 'true') denied.push(hash)
    }
    return denied
  } finally {
    line.close()
  }
}

const countOf = (answer: NodeAnswer | undefined) => {
  const text = answer?.cemented
  return typeof text === 'string' && /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined
}

/**
 * Blocks that the node reports as confirmed: the latest ones if it lists them, and the last one of the first account.
 */
async function listConfirmed(line: Line, account: string): Promise<string[]> {
  const { confirmations } = (await line.tryAsk({ action: 'confirmation_history', count: '3' })) ?? {}
  const info = await line.tryAsk({ action: 'account_info', account, include_confirmed: 'true' })
  const hashes = [...toList(confirmations).map((one) => toObject(one).hash), info?.confirmed_frontier]
  return hashes
    .map(textOf)
    .filter((hash) => isHex(hash, 64))
    .map((hash) => hash.toUpperCase())
}

/** Connections to one node, made like those of a gateway. */
class Line {
  readonly #url: URL
  readonly #clock: Clock
  readonly #agent: HttpAgent
  readonly #times: number[] = []
  keepsOpen = false

  constructor(url: string, clock: Clock) {
    this.#url = new URL(url)
    this.#clock = clock
    this.#agent =
      this.#url.protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  }

  /** In milliseconds; undefined if no request was answered. */
  get middle(): number | undefined {
    return [...this.#times].sort((a, b) => a - b)[Math.floor(this.#times.length / 2)]
  }

  /** Throws `UpstreamFailure` if there is no answer of the ledger. */
  async ask(request: NodeAnswer): Promise<NodeAnswer> {
    const startedAt = this.#clock.now()
    const answer: unknown = JSON.parse(await this.#post(JSON.stringify(request)))
    this.#times.push(this.#clock.now() - startedAt)
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
      throw new UpstreamFailure('broken', 'the answer is not an object')
    }
    const { error } = answer as NodeAnswer
    if (error !== undefined && (typeof error !== 'string' || isNodeComplaint(error))) {
      throw new UpstreamFailure('broken', 'the node will not serve this')
    }
    return answer as NodeAnswer
  }

  /** Undefined if the node does not answer. */
  async tryAsk(request: NodeAnswer): Promise<NodeAnswer | undefined> {
    try {
      return await this.ask(request)
    } catch {
      // No answer is a result of the test, too.
      return undefined
    }
  }

  /** How many of these simultaneous requests the node answers. */
  async burst(count: number): Promise<number> {
    const asked = Array.from({ length: count }, () => this.tryAsk({ action: 'block_count' }))
    return (await Promise.all(asked)).filter((answer) => countOf(answer) !== undefined).length
  }

  close(): void {
    this.#agent.destroy()
  }

  #post(body: string): Promise<string> {
    const send = this.#url.protocol === 'https:' ? httpsRequest : httpRequest
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const request = send(
      this.#url,
      { method: 'POST', agent: this.#agent, headers: { 'content-type': 'application/json' }, timeout: TIMEOUT },
      (response) => {
        if (request.reusedSocket) this.keepsOpen = true
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          if (text.length > BODY_MAX) request.destroy(new UpstreamFailure('broken', 'the answer does not end'))
        })
        response.on('error', reject)
        response.on('end', () =>
          response.statusCode === 200
            ? resolve(text)
            : reject(new UpstreamFailure('broken', `status ${response.statusCode}`)),
        )
      },
    )
    // Also ends an answer that arrives in tiny pieces.
    const cancel = this.#clock.after(TIMEOUT, () =>
      request.destroy(new UpstreamFailure('timeout', 'no answer in time')),
    )
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new UpstreamFailure('timeout', 'no answer in time')))
    request.on('close', cancel)
    request.end(body)
    return promise
  }
}

/** Whether a websocket accepts a subscription to confirmations, and the first block that it then reports. */
function listen(url: string, clock: Clock): Promise<{ hasEvents: boolean; hash?: string }> {
  const { promise, resolve } = Promise.withResolvers<{ hasEvents: boolean; hash?: string }>()
  const socket = new WebSocket(url, { handshakeTimeout: TIMEOUT, maxPayload: BODY_MAX })
  let hasEvents = false
  const end = (hash?: string) => {
    cancel()
    socket.terminate()
    resolve({ hasEvents, ...(hash !== undefined && { hash }) })
  }
  const cancel = clock.after(LISTENING, () => end())
  socket.on('open', () => socket.send(SUBSCRIBE))
  socket.on('error', () => end())
  socket.on('message', (data) => {
    const message = read((data as Buffer).toString())
    if (message.ack === 'subscribe') hasEvents = true
    const { hash } = toObject(message.message)
    if (message.topic === 'confirmation' && typeof hash === 'string' && isHex(hash, 64)) end(hash.toUpperCase())
  })
  return promise
}

function read(text: string): Record<string, unknown> {
  try {
    return toObject(JSON.parse(text))
  } catch {
    return {}
  }
}

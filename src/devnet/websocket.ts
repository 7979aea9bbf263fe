import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { lazily } from '../kernel/lazily.ts'
import { toAddress } from '../kernel/nano/address.ts'
import { toBlockJson } from '../kernel/nano/block.ts'
import {
  type ConfirmationOptions,
  optionsIn,
  readConfirmationOptions,
  toFlag,
} from '../kernel/nano/confirmation-options.ts'
import { type RequestTree, exceedsDepth, findMember, parseRequest } from '../kernel/nano/request-tree.ts'
import { FINAL_TIMESTAMP } from '../kernel/nano/vote.ts'
import { type Members, writeNodeAnswer } from '../kernel/nano/node-answer.ts'
import { WEBSOCKET } from './faults.ts'
import { type NodeEvent, sumOf } from './node-options.ts'
import type { LedgerNode } from './node.ts'
import { type RpcServer, closeServer, listen } from './server.ts'
import { voteFor } from './accounts.ts'

/** Topics that a client may subscribe to. This ledger sends messages for the first four only. */
const TOPICS = new Set([
  'confirmation',
  'new_unconfirmed_block',
  'started_election',
  'vote',
  'stopped_election',
  'ack',
  'telemetry',
  'work',
  'bootstrap',
])
const FRAME_BYTES_MAX = 1024 * 1024
/** A client that does not read is disconnected at this size, before its messages fill our memory. */
const BUFFERED_BYTES_MAX = 16 * 1024 * 1024

/** The node's websocket: subscribe, update, unsubscribe and ping, with acknowledgements on request. */
export async function serveWebsocket(
  node: LedgerNode,
  { host, port }: { host: string; port: number },
): Promise<RpcServer> {
  const server = createServer((_request, response) => response.writeHead(426, { connection: 'close' }).end())
  // Listens on our own server first: for a taken port the library throws an exception that cannot be caught.
  await listen(server, host, port)
  const sockets = new WebSocketServer({ server, maxPayload: FRAME_BYTES_MAX })
  const clients = new Set<Client>()
  sockets.on('connection', (socket) => {
    const client = new Client(socket, node)
    clients.add(client)
    socket.on('close', () => clients.delete(client))
    socket.on('error', () => socket.terminate())
  })
  const stopListening = node.listen((event) => {
    const notify = () => {
      const votes = lazily(() => voteFor(node, event.stored.hash))
      for (const client of clients) client.notify(event, votes)
    }
    const fault = node.faults.take(WEBSOCKET)
    if (!fault) notify()
    else if (fault.kind === 'delay') node.faults.later(fault.milliseconds, notify)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      stopListening()
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      await closeServer(server)
    },
  }
}

class Client {
  readonly #socket: WebSocket
  readonly #node: LedgerNode
  /** The representatives whose votes the client wants; undefined for all. */
  #voters: Set<string> | undefined
  readonly #topics = new Map<string, ConfirmationSubscription | undefined>()

  constructor(socket: WebSocket, node: LedgerNode) {
    this.#socket = socket
    this.#node = node
    socket.on('message', (data) => this.#receive((data as Buffer).toString()))
  }

  notify(event: NodeEvent, votes: () => Members[]): void {
    if (event.kind === 'confirmed') {
      // A block confirmed together with a later one, or confirmed before, gets no votes.
      if (event.type === 'active_quorum' && this.#topics.has('vote')) this.#sayVotes(votes())
      const subscription = this.#topics.get('confirmation')
      if (subscription?.wants(event)) this.#send(subscription.message(event, this.#node.clock.now()))
      return
    }
    const { block, subtype, hash } = event.stored
    if (this.#topics.has('new_unconfirmed_block')) {
      const message = { ...toBlockJson(block), subtype }
      this.#say('new_unconfirmed_block', message, this.#node.version.announcesHash ? { hash } : {})
    }
    if (this.#topics.has('started_election')) this.#say('started_election', { hash })
  }

  #sayVotes(votes: readonly Members[]): void {
    for (const vote of votes) {
      if (this.#voters?.has(vote.account as string) ?? true) this.#say('vote', vote)
    }
  }

  #receive(text: string): void {
    const message = readFrame(text)
    // Like the node, drops a client that sends anything but JSON, without a closing frame.
    if (!message) {
      this.#socket.terminate()
      return
    }
    const field = (name: string) => findMember(message, name)?.text
    const action = field('action')
    if (action === 'ping') this.#acknowledge('pong', field('id'))
    else if (action !== undefined && this.#apply(action, field('topic') ?? '', findMember(message, 'options'))) {
      if (toFlag(field('ack') ?? '')) this.#acknowledge(action, field('id'))
    }
  }

  /** Returns whether to acknowledge; unknown actions and topics get no answer. */
  #apply(action: string, topic: string, options: RequestTree | undefined): boolean {
    if (!TOPICS.has(topic)) return false
    switch (action) {
      case 'subscribe':
        if (topic === 'vote') this.#voters = options && toVoters(options)
        this.#topics.set(topic, topic === 'confirmation' ? new ConfirmationSubscription(options) : undefined)
        return true
      case 'update': {
        const subscription = this.#topics.get(topic)
        return options !== undefined && subscription?.update(options) === true
      }
      case 'unsubscribe':
        this.#topics.delete(topic)
        return true
      default:
        return false
    }
  }

  #acknowledge(ack: string, id: string | undefined): void {
    const time = `${this.#node.clock.now()}`
    this.#send(id === undefined || id === '' ? { ack, time } : { ack, time, id })
  }

  #say(topic: string, message: Members, more: Members = {}): void {
    this.#send({ topic, time: `${this.#node.clock.now()}`, ...more, message })
  }

  #send(message: Members): void {
    if (this.#socket.bufferedAmount > BUFFERED_BYTES_MAX) this.#socket.terminate()
    else this.#socket.send(writeNodeAnswer(message))
  }
}

function toVoters(options: RequestTree): Set<string> | undefined {
  const named = optionsIn(options).accounts('representatives')
  return named && new Set(named)
}

function readFrame(text: string): RequestTree | undefined {
  try {
    return exceedsDepth(text) ? undefined : parseRequest(text)
  } catch {
    // Ignored, as by the node.
    return undefined
  }
}

type Confirmed = NodeEvent & { kind: 'confirmed' }

/** One client's subscription to confirmations, and the messages for it. */
class ConfirmationSubscription {
  readonly #options: ConfirmationOptions
  readonly #isChangeable: boolean

  constructor(options: RequestTree | undefined) {
    this.#options = readConfirmationOptions(optionsIn(options ?? { text: '', members: [] }))
    this.#isChangeable = options !== undefined
  }

  /** Adds and removes accounts; returns whether to acknowledge. Only a subscription with options can be updated. */
  update(options: RequestTree): boolean {
    if (!this.#isChangeable) return false
    const { accounts } = optionsIn(options)
    const [added, removed] = [accounts('accounts_add'), accounts('accounts_del')]
    // An update turns the subscription into a filter, even into an empty one.
    if (added || removed) this.#options.accounts ??= new Set()
    for (const address of added ?? []) this.#options.accounts?.add(address)
    for (const address of removed ?? []) this.#options.accounts?.delete(address)
    return true
  }

  wants({ stored, type }: Confirmed): boolean {
    const { accounts, includeBlock, types } = this.#options
    if (!types.includes(type)) return false
    if (!accounts) return true
    // The node reads the other account from the block, so without blocks in its messages this part of the filter never
    // matches.
    if (!includeBlock || stored.block.type !== 'state') return false
    return accounts.has(toAddress(stored.account)) || accounts.has(toAddress(stored.block.link))
  }

  message({ stored, type, votes }: Confirmed, now: number): Members {
    const message: Members = {
      account: toAddress(stored.account),
      amount: stored.amount.toString(),
      hash: stored.hash,
      confirmation_type: type,
    }
    if (this.#options.includeElection) {
      const tally = sumOf(votes).toString()
      const election: Members = {
        duration: '0',
        time: `${now}`,
        tally,
        final: tally,
        blocks: '1',
        // The node also counts a placeholder account.
        voters: `${votes.length + 1}`,
        request_count: '0',
      }
      if (this.#options.includeVotes) {
        election.votes = votes.map(({ representative, weight }) => ({
          representative: toAddress(representative),
          timestamp: FINAL_TIMESTAMP.toString(),
          hash: stored.hash,
          weight: weight.toString(),
        }))
      }
      message.election_info = election
    }
    if (this.#options.includeBlock) message.block = { ...toBlockJson(stored.block), subtype: stored.subtype }
    if (this.#options.includeSideband) {
      message.sideband = { height: `${stored.height}`, local_timestamp: `${stored.timestamp}` }
    }
    return { topic: 'confirmation', time: `${now}`, message }
  }
}

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Clock, Confirmation, ConfirmationBus, Names, NodeTopics } from '../kernel/ports.ts'
import { AppError, overLimit } from '../kernel/errors.ts'
import { type SaidOptions, optionsIn, readConfirmationOptions } from '../kernel/nano/confirmation-options.ts'
import { Client, clientOf } from './socket-client.ts'
import type { SocketForm, SocketMessage } from './socket-subscription.ts'
import { Frames, SocketShares, readFrame } from './socket-subscription.ts'
import { FOLLOWED, toFilter } from './socket-topics.ts'

const FRAME_BYTES_MAX = 256 * 1024
const PING_EVERY = 30_000
/** How long a client may take to answer our closing frame. */
const GOODBYE_MAX = 1_000
const INTERNAL_ERROR = 1011

interface WebsocketOptions {
  bus: ConfirmationBus
  /** Topics of nodes other than confirmations, for clients of the node's protocol. */
  topics: NodeTopics
  names: Names
  clock: Clock
  clientsMax: number
  /** Most clients of one network address; 0 means no limit. */
  clientsPerAddressMax: number
  ipOf(request: IncomingMessage): string
  /** The bytes of a refusal over HTTP. */
  toRefusal(error: AppError): string
  onFailure(error: unknown): void
}

const ACTIONS = new Set(['subscribe', 'update', 'unsubscribe'])
/** A node also accepts `ack` as a topic. */
const TOPICS = new Set(['confirmation', 'ack'])
const UNKNOWN_TOPIC = 'Unknown topic. The only topic is “confirmation”.'
const UNKNOWN_ACTION = 'Unknown action: subscribe, update, unsubscribe and ping are understood here.'
const NOTHING_TO_UPDATE = 'There is no subscription with accounts to update.'
const NO_OPTIONS = optionsIn({ text: '', members: [] })

const refused = (text: string) => new AppError('invalid_request', text)
const tooManyOfOne = (max: number) =>
  overLimit(`Limit: ${max} websockets from one IP address. One can subscribe to up to 10000 accounts.`, 10)
const tooMany = () =>
  new AppError('overloaded', 'Too many websocket clients. Try again in a moment.', { retryAfterSeconds: 10 })

/** The paths of websockets with their protocols. */
const PATHS = new Map<string | undefined, SocketForm>([
  ['/', 'service'],
  ['/ws', 'service'],
  ['/node', 'node'],
])

/**
 * The node's websocket protocol for our clients: they subscribe to `confirmation`, with or without accounts. An index
 * from accounts to clients makes a confirmation cost only as much as the number of clients that get it.
 */
export class ClientSockets {
  readonly #options: WebsocketOptions
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: FRAME_BYTES_MAX, perMessageDeflate: false })
  readonly #byAccount = new Map<string, Set<Client>>()
  readonly #everything = new Set<Client>()
  readonly #shares: SocketShares
  readonly #stopListening: () => void
  #cancelPing: (() => void) | undefined

  constructor(options: WebsocketOptions) {
    this.#options = options
    this.#shares = new SocketShares(options.clientsPerAddressMax)
    this.#stopListening = options.bus.listen((confirmation) => this.#deliver(confirmation))
    this.#ping()
  }

  get count(): number {
    return this.#server.clients.size
  }

  /** Handles the upgrade requests of an HTTP server. */
  attach(server: Server): void {
    const refuseAt = (socket: Duplex, error: AppError) =>
      socket.end(this.#options.toRefusal(error), () => socket.destroy())
    // An invalid handshake gets our refusal.
    this.#server.on('wsClientError', ({ message }, socket) =>
      refuseAt(socket, new AppError('invalid_request', `This opens no websocket: ${message}.`)),
    )
    server.on('upgrade', (request, socket, head) => {
      // Node removes its own listener before it hands over a connection, and an error without a listener would end the
      // process.
      socket.on('error', () => socket.destroy())
      const refuse = (error: AppError) => refuseAt(socket, error)
      const { clientsMax, clientsPerAddressMax, ipOf } = this.#options
      const address = ipOf(request)
      const form = PATHS.get(request.url?.split('?')[0])
      if (form === undefined) refuse(new AppError('not_found', 'Not found.'))
      else if (this.count >= clientsMax) refuse(tooMany())
      else if (!this.#shares.mayEnter(address)) refuse(tooManyOfOne(clientsPerAddressMax))
      else this.#server.handleUpgrade(request, socket, head, (opened) => this.#welcome(opened, { address, form }))
    })
  }

  close(): void {
    this.#stopListening()
    this.#cancelPing?.()
    for (const socket of this.#server.clients) socket.close(1001, 'The gateway stops.')
    const cutOff = this.#options.clock.after(GOODBYE_MAX, () => {
      for (const socket of this.#server.clients) socket.terminate()
    })
    this.#server.close(cutOff)
  }

  #welcome(socket: WebSocket, origin: { address: string; form: SocketForm }): void {
    const client = new Client(socket, origin, this.#options.clock)
    const { address } = origin
    this.#shares.enter(address)
    // Frames are processed one after another, because looking up a name in a filter takes time.
    let turn = Promise.resolve()
    socket.on('message', (data) => {
      client.alive = true
      if (!client.maySpeak()) return
      turn = turn
        .then(() => this.#receive(client, (data as Buffer).toString()))
        .catch((error: unknown) => {
          // An exception in a frame ends only this connection; uncaught, it would end the process.
          this.#options.onFailure(error)
          socket.close(INTERNAL_ERROR)
        })
    })
    socket.on('pong', () => (client.alive = true))
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      this.#unsubscribe(client)
      for (const end of client.followed.values()) end()
      this.#shares.leave(address)
    })
  }

  async #receive(client: Client, text: string): Promise<void> {
    if (!client.isOpen) return
    const message = readFrame(text, client.form)
    if (!message) {
      client.refuseFrame()
      return
    }
    const { action, topic, ack, id } = message
    if (action === 'ping') {
      client.acknowledge('pong', id)
      return
    }
    if (client.form === 'node' && FOLLOWED.has(topic)) {
      this.#follow(client, message)
      return
    }
    try {
      if (!TOPICS.has(topic)) throw refused(UNKNOWN_TOPIC)
      if (!ACTIONS.has(action)) throw refused(UNKNOWN_ACTION)
      const done =
        topic === 'ack' ? action !== 'update' : this.#apply(client, action, await this.#read(client, message))
      if (done && ack) client.acknowledge(action, id)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      client.complain(error, id)
    }
  }

  /**
   * Subscribes to a topic that nodes send. If no node has it, it is never acknowledged: a node does not acknowledge an
   * unknown topic either.
   */
  #follow(client: Client, { action, topic, ack, id, readOptions }: SocketMessage): void {
    if (action !== 'subscribe' && action !== 'unsubscribe') return
    client.followed.get(topic)?.()
    client.followed.delete(topic)
    if (action === 'unsubscribe') {
      if (ack) client.acknowledge(action, id)
      return
    }
    // At the node's path, options are read without looking anything up.
    const wants = toFilter(topic, readOptions(this.#options.names) as SaidOptions | undefined)
    let isKnown = false
    const on = {
      received: (text: string) => void (wants(text) && client.push(text)),
      known: () => {
        if (ack && !isKnown) client.acknowledge(action, id)
        isKnown = true
      },
    }
    client.followed.set(topic, this.#options.topics.follow(topic, on))
  }

  /** The client is paused meanwhile, so that its messages do not pile up. */
  async #read(client: Client, { action, readOptions }: SocketMessage): Promise<SaidOptions | undefined> {
    if (action === 'unsubscribe') return undefined
    client.pause()
    try {
      return await readOptions(this.#options.names)
    } finally {
      client.resume()
    }
  }

  #apply(client: Client, action: string, said: SaidOptions | undefined): boolean {
    // If the client left during the lookup, its watches would never be released.
    if (!client.isOpen) return false
    if (action === 'subscribe') return this.#subscribe(client, said)
    if (action === 'update') return this.#update(client, said)
    this.#unsubscribe(client)
    return true
  }

  #subscribe(client: Client, said: SaidOptions | undefined): boolean {
    const options = readConfirmationOptions(said ?? NO_OPTIONS)
    const { accounts } = options
    // A refused change leaves the earlier subscription as it was.
    if (this.#isTooMuch(client, accounts?.size ?? 0)) return false
    this.#unsubscribe(client)
    client.subscription = { ...options, accounts: accounts && new Set(), isChangeable: said !== undefined }
    if (accounts) this.#add(client, accounts)
    else this.#everything.add(client)
    return true
  }

  /** As in a node, the first list of accounts turns a subscription to everything into a filter. */
  #update(client: Client, said: SaidOptions | undefined): boolean {
    const { subscription } = client
    if (!said || !subscription?.isChangeable) throw refused(NOTHING_TO_UPDATE)
    const [added, removed] = [said.accounts('accounts_add'), said.accounts('accounts_del')]
    if (!added && !removed) return true
    const wanted = new Set([...(subscription.accounts ?? []), ...(added ?? [])])
    for (const account of removed ?? []) wanted.delete(account)
    if (this.#isTooMuch(client, wanted.size)) return false
    subscription.accounts ??= new Set()
    this.#everything.delete(client)
    for (const account of removed ?? []) this.#drop(client, account)
    this.#add(client, wanted)
    return true
  }

  /** Refuses a client that wants more than its share. */
  #isTooMuch(client: Client, wants: number): boolean {
    const error = this.#shares.refuse(client.address, { has: client.releases.size, wants })
    if (error !== undefined) client.send({ error })
    return error !== undefined
  }

  #add(client: Client, added: Iterable<string>): void {
    const accounts = client.subscription?.accounts
    for (const account of added) {
      if (!accounts || accounts.has(account)) continue
      accounts.add(account)
      this.#shares.count(client.address, 1)
      client.releases.set(account, this.#options.bus.watch(account))
      const clients = this.#byAccount.get(account) ?? new Set()
      this.#byAccount.set(account, clients.add(client))
    }
  }

  #drop(client: Client, account: string): void {
    client.subscription?.accounts?.delete(account)
    client.releases.get(account)?.()
    if (client.releases.delete(account)) this.#shares.count(client.address, -1)
    const clients = this.#byAccount.get(account)
    clients?.delete(client)
    if (clients?.size === 0) this.#byAccount.delete(account)
  }

  #unsubscribe(client: Client): void {
    this.#everything.delete(client)
    for (const account of [...client.releases.keys()]) this.#drop(client, account)
    client.subscription = undefined
  }

  #deliver(confirmation: Confirmation): void {
    if (this.#everything.size === 0 && this.#byAccount.size === 0) return
    const { account, block } = confirmation
    const targets = new Set(this.#everything)
    for (const key of [account, block.link_as_account]) {
      for (const client of (key && this.#byAccount.get(key)) || []) targets.add(client)
    }
    if (targets.size === 0) return
    const frames = new Frames(confirmation)
    for (const client of targets) {
      const frame = client.subscription && frames.for(client.subscription, client.form)
      if (frame !== undefined) client.push(frame)
    }
  }

  /** Disconnects clients that have gone without closing their connection. */
  #ping(): void {
    this.#cancelPing = this.#options.clock.after(PING_EVERY, () => {
      for (const socket of this.#server.clients) {
        const client = clientOf.get(socket)
        if (client?.alive === false) socket.terminate()
        else if (client) {
          client.alive = false
          socket.ping()
        }
      }
      this.#ping()
    })
  }
}

/** Whether this is an upgrade to a websocket, the only one accepted. Any other protocol gets a normal HTTP answer. */
export function isWebsocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

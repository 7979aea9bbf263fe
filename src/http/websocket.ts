import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Clock, Confirmation, ConfirmationBus } from '../kernel/ports.ts'
import { AppError } from '../kernel/errors.ts'
import { readFlag } from '../kernel/fields.ts'
import { textOf } from '../kernel/shape.ts'
import { SocketShares } from './socket-shares.ts'
import {
  Frames,
  type SocketForm,
  type Subscription,
  addressesIn,
  filterOf,
  readFrame,
  readSubscription,
  toRecord,
} from './socket-subscription.ts'

const FRAME_BYTES_MAX = 256 * 1024
/** Frames a client may send in a stretch of ten seconds. */
const FRAMES_MAX = 200
const FRAMES_WINDOW = 10_000
const TOO_MUCH = 1008
/** Beyond this a client has stopped reading; it is told to come back rather than served with gaps. */
const QUEUE_BYTES_MAX = 1024 * 1024
const PING_EVERY = 30_000
/** How long a client may take to answer our goodbye. */
const GOODBYE_MAX = 1_000
const INTERNAL_ERROR = 1011
const TRY_AGAIN_LATER = 1013

interface WebsocketOptions {
  bus: ConfirmationBus
  clock: Clock
  clientsMax: number
  /** Of one network address; 0 is no limit. */
  clientsPerAddressMax: number
  ipOf(request: IncomingMessage): string
  /** A refusal as it goes over the wire. */
  toRefusal(error: AppError): string
  onFailure(error: unknown): void
}

const ACTIONS = new Set<unknown>(['subscribe', 'update', 'unsubscribe'])
const UNKNOWN_TOPIC = 'Unknown topic: confirmation is told here.'
const UNKNOWN_ACTION = 'Unknown action: subscribe, update, unsubscribe and ping are understood here.'

const tooManyOfOne = (max: number) =>
  new AppError('too_many_requests', 'Too many requests.', {
    retryAfterSeconds: 10,
    body: { detail: `Limit: ${max} websockets from one IP address. One can subscribe to up to 10000 accounts.` },
  })
const tooMany = () =>
  new AppError('overloaded', 'Too many websocket clients. Try again in a moment.', { retryAfterSeconds: 10 })

/** Where upgrades are taken, and what is spoken there. */
const PATHS = new Map<string | undefined, SocketForm>([
  ['/', 'service'],
  ['/ws', 'service'],
  ['/node', 'node'],
])

/**
 * The node's websocket protocol for our own clients: subscribe to `confirmation`, with accounts or without. An index
 * from account to clients makes a delivery cost its matches only.
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

  /** Takes over the upgrades of an HTTP server. */
  attach(server: Server): void {
    const refuseAt = (socket: Duplex, error: AppError) =>
      socket.end(this.#options.toRefusal(error), () => socket.destroy())
    // A handshake that is none is refused in our words, as everything is.
    this.#server.on('wsClientError', ({ message }, socket) =>
      refuseAt(socket, new AppError('invalid_request', `This opens no websocket: ${message}.`)),
    )
    server.on('upgrade', (request, socket, head) => {
      // Node takes its own listener away before it hands a connection over, and an error without a listener ends the process.
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
    socket.on('message', (data) => {
      try {
        this.#receive(client, (data as Buffer).toString())
      } catch (error) {
        // What a frame brings about here ends its own connection: nobody else would be told of an exception but the process.
        this.#options.onFailure(error)
        socket.close(INTERNAL_ERROR)
      }
    })
    socket.on('pong', () => (client.alive = true))
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      this.#unsubscribe(client)
      this.#shares.leave(address)
    })
  }

  #receive(client: Client, text: string): void {
    client.alive = true
    if (!client.maySpeak()) return
    const message = readFrame(text, client.form)
    if (!message) {
      client.refuseFrame()
      return
    }
    const { action, topic, id } = message
    if (action === 'ping') {
      client.acknowledge('pong', id)
      return
    }
    const unknown = topic === 'confirmation' ? ACTIONS.has(action) || 'action' : 'topic'
    if (unknown !== true) {
      client.complain(unknown === 'topic' ? UNKNOWN_TOPIC : UNKNOWN_ACTION, id)
      return
    }
    const done = this.#apply(client, action, optionsOf(message))
    if (done && readFlag(message.ack)) client.acknowledge(textOf(action), id)
  }

  #apply(client: Client, action: unknown, options: Record<string, unknown>): boolean {
    switch (action) {
      case 'subscribe': {
        const filter = filterOf(options)
        const accounts = filter && new Set(filter)
        // Refused as a whole: what was subscribed to before stays as it was.
        if (this.#isTooMuch(client, accounts?.size ?? 0)) return false
        this.#unsubscribe(client)
        client.subscription = readSubscription(options, accounts !== undefined)
        if (accounts) this.#add(client, accounts)
        else this.#everything.add(client)
        return true
      }
      case 'update': {
        const known = client.subscription?.accounts
        if (!known) {
          client.complain('There is no subscription with accounts to update.')
          return false
        }
        const removed = addressesIn(options.accounts_del)
        const wanted = new Set([...known, ...addressesIn(options.accounts_add)])
        for (const account of removed) wanted.delete(account)
        if (this.#isTooMuch(client, wanted.size)) return false
        for (const account of removed) this.#drop(client, account)
        this.#add(client, wanted)
        return true
      }
      case 'unsubscribe':
        this.#unsubscribe(client)
        return true
      default:
        return false
    }
  }

  /** Tells a client that wants more than its share. */
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

  /** Finds clients that are gone without having said so. */
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

/** The only upgrade there is here; a client that offers another protocol gets a plain answer over HTTP. */
export function isWebsocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

const clientOf = new WeakMap<WebSocket, Client>()

class Client {
  readonly #socket: WebSocket
  readonly #clock: Clock
  readonly address: string
  readonly form: SocketForm
  readonly releases = new Map<string, () => void>()
  subscription: Subscription | undefined
  alive = true
  #window = 0
  #frames = 0

  constructor(socket: WebSocket, { address, form }: { address: string; form: SocketForm }, clock: Clock) {
    this.#socket = socket
    this.address = address
    this.form = form
    this.#clock = clock
    clientOf.set(socket, this)
  }

  /** A client that talks without end is disconnected. */
  maySpeak(): boolean {
    const window = Math.floor(this.#clock.now() / FRAMES_WINDOW)
    if (window !== this.#window) {
      this.#window = window
      this.#frames = 0
    }
    if (++this.#frames <= FRAMES_MAX) return true
    this.#socket.close(TOO_MUCH, 'Too many messages.')
    return false
  }

  push(frame: string): void {
    if (this.#socket.bufferedAmount > QUEUE_BYTES_MAX) this.#socket.close(TRY_AGAIN_LATER, 'Too slow.')
    else this.#socket.send(frame)
  }

  send(message: Record<string, unknown>): void {
    this.push(JSON.stringify(message))
  }

  /** What was sent is no message: a node ends the connection, without a word. */
  refuseFrame(): void {
    if (this.form === 'node') this.#socket.terminate()
    else this.send({ error: 'Unable to parse JSON' })
  }

  /** Says why nothing will come of a message; a node leaves it at silence. */
  complain(error: string, id?: unknown): void {
    if (this.form === 'service') this.send(id === undefined || id === '' ? { error } : { error, id })
  }

  acknowledge(ack: string, id: unknown): void {
    const time = `${this.#clock.now()}`
    this.send(id === undefined || id === '' ? { ack, time } : { ack, time, id })
  }
}

/** Some write their options as JSON in a text. */
function optionsOf({ options }: Record<string, unknown>): Record<string, unknown> {
  return (typeof options === 'string' ? readFrame(options, 'service') : toRecord(options)) ?? {}
}

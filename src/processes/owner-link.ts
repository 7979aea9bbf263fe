import { type Socket, connect } from 'node:net'
import type { Failures } from '../kernel/failures.ts'
import type { Notices } from '../kernel/ports.ts'
import { LocalNotices } from '../infra/db/notices.ts'
import type { LeaseSource } from '../infra/limits/leased-limiter.ts'
import { type FrontLine, type OwnerLine, readLines, sendLine } from './lines.ts'

const RECONNECT_AFTER = 100
/** How often the owner is tested: one that hangs sends nothing and closes nothing. */
const BEAT_EVERY = 1_000
const BEAT_ANSWER_MAX = 2_000

interface LinkOptions {
  path: string
  secret: string
  failures: Failures
}

/** A front's connection to the owner: notices both ways, and its part of the limits. While it is down no notice arrives. */
export class OwnerLink implements Notices, LeaseSource {
  readonly #options: LinkOptions
  readonly #local: LocalNotices
  readonly #topics = new Set<string>()
  readonly #gapListeners = new Set<() => void>()
  readonly #asked = new Map<number, { resolve(answer: [number, number]): void; reject(error: Error): void }>()
  #socket: Socket | undefined
  #questions = 0
  #retry: NodeJS.Timeout | undefined
  #nextBeat: NodeJS.Timeout | undefined
  #closed = false
  connected = false

  constructor(options: LinkOptions) {
    this.#options = options
    this.#local = new LocalNotices(options.failures)
  }

  /** Resolves once the owner has answered for the first time. All listeners must have subscribed before. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.onGap(() => this.connected && resolve())
      this.#connect()
    })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#socket?.end()
  }

  publish(topic: string, payload: string): void {
    this.#local.receive(topic, payload)
    this.say({ notice: [topic, payload] })
  }

  async deliver(topic: string, payload: string): Promise<void> {
    this.publish(topic, payload)
  }

  subscribe(topic: string, listener: (payload: string) => void): () => void {
    this.#topics.add(topic)
    return this.#local.subscribe(topic, listener)
  }

  onGap(listener: () => void): void {
    this.#gapListeners.add(listener)
  }

  takeLease(...lease: [key: string, interval: number, wanted: number, returned: number]): Promise<[number, number]> {
    return this.#ask((id) => ({ id, lease }))
  }

  /** Sends a message that may get lost. */
  say(line: FrontLine): void {
    if (this.connected) sendLine(this.#socket!, line)
  }

  #ask(toLine: (id: number) => FrontLine): Promise<[number, number]> {
    return new Promise((resolve, reject) => {
      if (!this.connected) {
        reject(new Error('The owner is away.'))
        return
      }
      const id = ++this.#questions
      this.#asked.set(id, { resolve, reject })
      sendLine(this.#socket!, toLine(id))
    })
  }

  #connect(): void {
    const { path, secret, failures } = this.#options
    const socket = connect(path)
    this.#socket = socket
    socket.on('connect', () => sendLine(socket, { hello: secret, topics: [...this.#topics] }))
    socket.on('error', failures.lost('processes.link'))
    socket.on('close', () => {
      clearTimeout(this.#nextBeat)
      this.#judge(false)
      for (const { reject } of this.#asked.values()) reject(new Error('The owner has gone.'))
      this.#asked.clear()
      if (!this.#closed) this.#retry = setTimeout(() => this.#connect(), RECONNECT_AFTER)
    })
    readLines(socket, (line) => this.#take(socket, line as OwnerLine))
  }

  #take(socket: Socket, line: OwnerLine): void {
    if ('welcome' in line) {
      this.#judge(true)
      this.#beat(socket)
    } else if ('notice' in line) {
      this.#local.receive(...line.notice)
      sendLine(socket, { received: line.id })
    } else {
      this.#asked.get(line.id)?.resolve(line.answer)
      this.#asked.delete(line.id)
    }
  }

  #beat(socket: Socket): void {
    this.#nextBeat = setTimeout(() => {
      const silent = setTimeout(() => socket.destroy(new Error('The owner says nothing.')), BEAT_ANSWER_MAX)
      this.#ask((id) => ({ id, ping: true }))
        .then(() => this.#beat(socket), this.#options.failures.lost('processes.link'))
        .finally(() => clearTimeout(silent))
    }, BEAT_EVERY)
    this.#nextBeat.unref()
  }

  #judge(connected: boolean): void {
    if (connected === this.connected) return
    this.connected = connected
    for (const listener of this.#gapListeners) {
      try {
        listener()
      } catch (error) {
        this.#options.failures.failed('notices.listener', { doing: 'gap' })(error)
      }
    }
  }
}

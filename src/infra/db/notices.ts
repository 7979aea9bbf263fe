import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { hostname } from 'node:os'
import pg from 'pg'
import type { Failures } from '../../kernel/failures.ts'
import type { Clock, Notices } from '../../kernel/ports.ts'
import type { PostgresHosts } from './postgres-hosts.ts'

const CHANNEL = 'nano_gateway'
const RECONNECT_AFTER = 1_000
/** How often a connection is tested that only listens: it would never notice that the server is gone. */
const BEAT_EVERY = 5_000
const BEAT_ANSWER_MAX = 5_000
const DELIVERY_MAX = 250
/** The application name by which PostgreSQL knows our listening connections. */
const LISTENER = 'nano-gateway notices'
/** The topic that asks every listener whether it has received all earlier notices. Each answers with the same id. */
const ASKED = 'confirm'
const CONFIRMED = 'confirmed'

type Listener = (payload: string) => void

/** A process that has received every notice sent before some moment. */
export interface Listening {
  host: string
  pid: number
  /** Whether it is a gateway, and not another command. */
  isGateway: boolean
  /** The names of its secret keys; the first one encrypts. Gateways of the previous version do not send them. */
  secretKeys?: readonly string[]
}

/** How this process describes itself to others on the same store. */
export const toListening = (isGateway: boolean): Listening => ({ host: hostname(), pid: process.pid, isGateway })

/** Notices inside one process. */
export class LocalNotices implements Notices {
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #failures: Failures
  readonly connected = true

  constructor(failures: Failures) {
    this.#failures = failures
  }

  publish(topic: string, payload: string): void {
    this.receive(topic, payload)
  }

  async deliver(topic: string, payload: string): Promise<void> {
    this.receive(topic, payload)
  }

  /** A listener that throws affects neither the other listeners nor the sender. */
  receive(topic: string, payload: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) {
      try {
        listener(payload)
      } catch (error) {
        this.#failures.failed('notices.listener', { doing: topic })(error)
      }
    }
  }

  subscribe(topic: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  onGap(): void {}

  async close(): Promise<void> {}
}

/**
 * Notices between instances through PostgreSQL. Notices get lost while the connection is down, so nothing depends on
 * them alone: jobs are polled, cached keys expire, and cached answers of the ledger are dropped after a gap.
 */
export class PostgresNotices implements Notices {
  readonly #local: LocalNotices
  readonly #failures: Failures
  readonly #hosts: PostgresHosts
  readonly #clock: Clock
  readonly #send: (text: string) => Promise<unknown>
  readonly #gapListeners = new Set<() => void>()
  readonly #instance = randomUUID()
  #client: pg.Client | undefined
  #cancelRetry: (() => void) | undefined
  #beat: NodeJS.Timeout | undefined
  #closed = false
  connected = false

  constructor(
    hosts: PostgresHosts,
    {
      clock,
      failures,
      own,
      send,
    }: { clock: Clock; failures: Failures; own: Listening; send: (text: string) => Promise<unknown> },
  ) {
    this.#local = new LocalNotices(failures)
    this.#failures = failures
    this.#hosts = hosts
    this.#clock = clock
    this.#send = send
    this.#local.subscribe(ASKED, (id) => this.publish(CONFIRMED, JSON.stringify([id, this.#instance, own])))
    void this.#connect()
  }

  /**
   * Resolves with the processes that have received every notice sent before, once `count` have confirmed or the time is
   * over. Every listener receives notices of successive transactions in their order.
   */
  async listConfirming(
    count: () => Promise<number>,
    milliseconds: number,
  ): Promise<{ confirmed: Listening[]; all: boolean }> {
    const wanted = randomUUID()
    const confirmed = new Map<string, Listening>()
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const late = setTimeout(() => resolve(false), milliseconds)
    let expected = Infinity
    const judge = () => confirmed.size >= expected && resolve(true)
    const unsubscribe = this.subscribe(CONFIRMED, (text) => {
      const [id, instance, who] = JSON.parse(text) as [string, string, Listening]
      if (id === wanted) confirmed.set(instance, who)
      judge()
    })
    // Answers reach our own connection only after it has started to listen.
    const begin = async () => {
      expected = await count()
      await this.deliver(ASKED, wanted)
      judge()
    }
    const failed = (error: unknown) => {
      this.#failures.lost('notices.send')(error)
      resolve(false)
    }
    if (this.connected) begin().catch(failed)
    else this.onGap(() => void begin().catch(failed))
    const all = await promise
    clearTimeout(late)
    unsubscribe()
    return { confirmed: [...confirmed.values()], all }
  }

  publish(topic: string, payload: string): void {
    void this.deliver(topic, payload)
  }

  /** Waits a limited time; an instance that misses a notice finds out in another way. */
  async deliver(topic: string, payload: string): Promise<void> {
    this.#local.receive(topic, payload)
    const sent = this.#send(JSON.stringify({ topic, payload })).catch(this.#failures.lost('notices.send'))
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((resolve) => (timer = setTimeout(resolve, DELIVERY_MAX)))
    await Promise.race([sent, late])
    clearTimeout(timer)
  }

  subscribe(topic: string, listener: Listener): () => void {
    return this.#local.subscribe(topic, listener)
  }

  onGap(listener: () => void): void {
    this.#gapListeners.add(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelRetry?.()
    clearTimeout(this.#beat)
    await this.#client?.end().catch(this.#failures.lost('store.connection'))
  }

  async #connect(): Promise<void> {
    const socket = new Socket()
    const { url } = this.#hosts
    const client = new pg.Client({
      connectionString: url,
      application_name: LISTENER,
      stream: () => socket,
      connectionTimeoutMillis: BEAT_ANSWER_MAX,
    })
    this.#client = client
    const lost = () => {
      client.removeAllListeners('end')
      clearTimeout(this.#beat)
      this.#judge(false)
      if (!this.#closed) this.#cancelRetry = this.#clock.after(RECONNECT_AFTER, () => void this.#connect())
    }
    // The `end` event follows and causes the next attempt.
    client.on('error', this.#failures.lost('store.connection'))
    client.on('end', lost)
    client.on('notification', ({ payload }) => {
      const notice = this.#read(payload ?? '')
      if (notice) this.#local.receive(notice.topic, notice.payload)
    })
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
      this.#judge(true)
      this.#watch(client, socket)
    } catch (error) {
      this.#failures.lost('store.connection')(error)
      // A read-only server does not deliver notices.
      this.#hosts.leave(url)
      socket.destroy()
      await client.end().catch(this.#failures.lost('store.connection'))
    }
  }

  #read(text: string): { topic: string; payload: string } | undefined {
    try {
      return JSON.parse(text) as { topic: string; payload: string }
    } catch (error) {
      return this.#failures.lost('notices.strange')(error)
    }
  }

  /** In real time, whatever the gateway's clock says, because this tests the connection. */
  #watch(client: pg.Client, socket: Socket): void {
    if (this.#closed) return
    this.#beat = setTimeout(() => {
      const silent = setTimeout(() => socket.destroy(), BEAT_ANSWER_MAX)
      client.query('select 1').then(
        () => {
          clearTimeout(silent)
          this.#watch(client, socket)
        },
        (error: unknown) => {
          this.#failures.lost('store.connection')(error)
          clearTimeout(silent)
          socket.destroy()
        },
      )
    }, BEAT_EVERY)
    this.#beat.unref()
  }

  #judge(connected: boolean): void {
    if (connected === this.connected || this.#closed) return
    this.connected = connected
    for (const listener of this.#gapListeners) {
      try {
        listener()
      } catch (error) {
        this.#failures.failed('notices.listener', { doing: 'gap' })(error)
      }
    }
  }
}

export const LISTENERS_SQL = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and application_name = '${LISTENER}'`
export const NOTIFY_SQL = `select pg_notify('${CHANNEL}', $1)`

import pg from 'pg'
import type { Clock, Notices } from '../../kernel/ports.ts'

const CHANNEL = 'nano_gateway'
const RECONNECT_AFTER = 1_000

type Listener = (payload: string) => void

/** Notices inside one process: everything that shares an embedded store. */
export class LocalNotices implements Notices {
  readonly #listeners = new Map<string, Set<Listener>>()

  publish(topic: string, payload: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener(payload)
  }

  subscribe(topic: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  async close(): Promise<void> {}
}

/**
 * Notices between instances through PostgreSQL. They may get lost while the connection is down, so nothing depends on
 * them alone: jobs are polled and remembered keys expire.
 */
export class PostgresNotices implements Notices {
  readonly #local = new LocalNotices()
  readonly #url: string
  readonly #clock: Clock
  readonly #send: (text: string) => Promise<unknown>
  #client: pg.Client | undefined
  #cancelRetry: (() => void) | undefined
  #closed = false

  constructor(url: string, clock: Clock, send: (text: string) => Promise<unknown>) {
    this.#url = url
    this.#clock = clock
    this.#send = send
    void this.#connect()
  }

  publish(topic: string, payload: string): void {
    this.#local.publish(topic, payload)
    this.#send(JSON.stringify({ topic, payload })).catch(() => undefined)
  }

  subscribe(topic: string, listener: Listener): () => void {
    return this.#local.subscribe(topic, listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelRetry?.()
    await this.#client?.end().catch(() => undefined)
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url })
    this.#client = client
    const lost = () => {
      client.removeAllListeners('end')
      if (!this.#closed) this.#cancelRetry = this.#clock.after(RECONNECT_AFTER, () => void this.#connect())
    }
    client.on('error', () => undefined)
    client.on('end', lost)
    client.on('notification', ({ payload }) => {
      try {
        const notice = JSON.parse(payload ?? '') as { topic: string; payload: string }
        this.#local.publish(notice.topic, notice.payload)
      } catch {
        // Somebody else uses the channel; it is not for us.
      }
    })
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
    } catch {
      await client.end().catch(() => undefined)
    }
  }
}

export const NOTIFY_SQL = `select pg_notify('${CHANNEL}', $1)`

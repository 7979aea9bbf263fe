import { Worker } from 'node:worker_threads'
import type { SqlResult, SqliteReply, SqliteRequest } from './sqlite-protocol.ts'

type WithoutId<T> = T extends { id: number } ? Omit<T, 'id'> : never

interface Pending {
  resolve: (result: SqlResult | undefined) => void
  reject: (error: Error) => void
  released: (() => void) | undefined
}

/** A failure inside SQLite, with its extended code. */
class SqliteError extends Error {
  readonly code: number | undefined

  constructor(message: string, code: number | undefined) {
    super(message)
    this.code = code
  }
}

/** A database thread as seen from the main one: requests out, promises back. */
export class SqliteThread {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  /** What this turn of the loop asks: a message costs more than most statements. */
  #outbox: SqliteRequest[] = []
  #ended: Error | undefined

  constructor(file: string, readOnly: boolean) {
    // Beside this file lies the worker, compiled or as source.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    this.#worker = new Worker(new URL(`./sqlite-worker.${extension}`, import.meta.url), {
      workerData: { file, readOnly },
      // A loader of the main thread would be loaded here once more, and this one needs none.
      execArgv: [],
      // Rows pass through and are gone: large generations would only hold memory.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    })
    this.#worker.on('message', (replies: SqliteReply[]) => {
      for (const reply of replies) this.#receive(reply)
    })
    const end = (error: Error) => {
      this.#ended ??= error
      for (const { reject } of this.#pending.values()) reject(this.#ended)
      this.#pending.clear()
    }
    this.#worker.on('error', end)
    this.#worker.on('exit', () => end(new Error('The database thread ended.')))
  }

  send(request: WithoutId<SqliteRequest>, released?: () => void): Promise<SqlResult | undefined> {
    // Nobody is there to answer any more.
    if (this.#ended) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      this.#pending.set(id, { resolve, reject, released })
      if (this.#outbox.push({ ...request, id }) === 1) process.nextTick(() => this.#post())
    })
  }

  #post(): void {
    const requests = this.#outbox
    this.#outbox = []
    if (!this.#ended) this.#worker.postMessage(requests)
  }

  async close(): Promise<void> {
    if (!this.#ended) await this.send({ op: 'close' })
    await this.#worker.terminate()
  }

  #receive(reply: SqliteReply): void {
    const pending = this.#pending.get(reply.id)
    if (!pending) return
    if (reply.kind === 'released') {
      pending.released?.()
      return
    }
    this.#pending.delete(reply.id)
    if (reply.kind === 'done') pending.resolve(reply.result)
    else pending.reject(new SqliteError(reply.message, reply.code))
  }
}

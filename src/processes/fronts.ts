import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { type Server, type Socket, createServer } from 'node:net'
import type { Counter } from 'prom-client'
import type { Failures } from '../kernel/failures.ts'
import type { MemoryLimiter } from '../infra/limits/gcra.ts'
import { LocalNotices } from '../infra/db/notices.ts'
import type { Metrics } from '../infra/metrics.ts'
import type { Ports } from '../app/ports.ts'
import { type FrontLine, type Place, type SharedCounter, readLines, sendLine } from './lines.ts'

/** How long a connection may take to identify its front, and a front to confirm a notice. */
const HELLO_MAX = 5_000
const RECEIVED_MAX = 1_000

interface FrontsOptions {
  /** Known to fronts only. */
  secret: string
  limiter: Pick<MemoryLimiter, 'lease'>
  metrics: Pick<Metrics, 'addCounts' | SharedCounter>
  failures: Failures
  /** A front has sent a notice to everybody. */
  receive(topic: string, payload: string): void
  prepareWork(address: string, root: string): void
}

interface Front {
  socket: Socket
  topics: Set<string>
  /** Callers that wait until this front has received a notice. */
  waiting: Map<number, () => void>
}

/** The owner's side of its fronts: it decides what they may not decide themselves, and notifies them of changes. */
class Fronts {
  readonly #options: FrontsOptions
  readonly #fronts = new Set<Front>()
  readonly #server: Server
  #notices = 0

  constructor(options: FrontsOptions) {
    this.#options = options
    this.#server = createServer((socket) => this.#greet(socket))
  }

  get count(): number {
    return this.#fronts.size
  }

  async listen(path: string): Promise<void> {
    rmSync(path, { force: true })
    this.#server.listen(path)
    await once(this.#server, 'listening')
  }

  close(): void {
    this.#server.close()
    for (const { socket } of this.#fronts) socket.destroy()
  }

  /**
   * Notifies every front that listens, and resolves once all have received it. A front that does not confirm in time is disconnected:
   * it notices that, and remembers nothing until it is connected again.
   */
  async notify(topic: string, payload: string, except?: Front): Promise<void> {
    const listening = [...this.#fronts].filter((front) => front !== except && front.topics.has(topic))
    await Promise.all(listening.map((front) => this.#notifyOne(front, [topic, payload])))
  }

  #notifyOne({ socket, waiting }: Front, notice: [string, string]): Promise<void> {
    const id = ++this.#notices
    return new Promise((resolve) => {
      const late = setTimeout(() => socket.destroy(new Error('A front does not answer.')), RECEIVED_MAX)
      waiting.set(id, () => {
        clearTimeout(late)
        waiting.delete(id)
        resolve()
      })
      sendLine(socket, { id, notice })
    })
  }

  #greet(socket: Socket): void {
    const { secret, failures } = this.#options
    const late = setTimeout(() => socket.destroy(), HELLO_MAX)
    let front: Front | undefined
    socket.on('error', failures.lost('processes.link'))
    socket.on('close', () => {
      clearTimeout(late)
      if (!front) return
      this.#fronts.delete(front)
      for (const goOn of [...front.waiting.values()]) goOn()
    })
    readLines(socket, (read) => {
      const line = read as FrontLine
      if (front) this.#take(front, line)
      else if ('hello' in line && isSame(secret, line.hello)) {
        clearTimeout(late)
        front = { socket, topics: new Set(line.topics), waiting: new Map() }
        this.#fronts.add(front)
        sendLine(socket, { welcome: true })
      } else socket.destroy(new Error('A connection that is not a front was refused.'))
    })
  }

  #take(front: Front, line: FrontLine): void {
    const { limiter, metrics, receive, prepareWork } = this.#options
    const { socket, waiting } = front
    if ('lease' in line) sendLine(socket, { id: line.id, answer: limiter.lease(...line.lease) })
    else if ('ping' in line) sendLine(socket, { id: line.id, answer: [0, 0] })
    else if ('received' in line) waiting.get(line.received)?.()
    else if ('counts' in line) metrics.addCounts(line.counts)
    else if ('counters' in line) {
      for (const [name, labels, count] of line.counters) (metrics[name] as Counter).inc(labels, count)
    } else if ('prepare' in line) prepareWork(...line.prepare)
    else if ('notice' in line) {
      receive(...line.notice)
      void this.notify(...line.notice, front)
    }
  }
}

/** Opens the connections to fronts, which ask for limits and receive notices. */
export async function openFronts(
  { secret, linkSocket }: Place,
  { ports, limiter, prepareWork }: Pick<FrontsOptions, 'limiter' | 'prepareWork'> & { ports: Ports },
  stack: AsyncDisposableStack,
): Promise<void> {
  const { opened, metrics, failures } = ports
  const local = opened.notices instanceof LocalNotices ? opened.notices : undefined
  const receive = (topic: string, payload: string) => local?.receive(topic, payload)
  const fronts = new Fronts({ secret, limiter, metrics, failures, receive, prepareWork })
  local?.relayTo((topic, payload) => fronts.notify(topic, payload))
  stack.defer(() => fronts.close())
  metrics.gauge('gateway_fronts', 'Fronts that are connected to the owner.', [], () => [{ value: fronts.count }])
  await fronts.listen(linkSocket)
}

const digest = (text: string) => createHash('sha256').update(text).digest()
/** Digests have equal lengths, which a comparison in constant time needs. */
export const isSame = (secret: string, shown: string) => timingSafeEqual(digest(secret), digest(shown))

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { TcpRelay } from '../support/tcp-relay.ts'
import type { NodePlace } from './ledger.ts'
import { TYPESCRIPT } from '../support/typescript.ts'

const script = fileURLToPath(new URL('instance-process.ts', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const compiled = join(tmpdir(), 'nano-gateway-compiled')
const START_AGAIN_AFTER = 500
/** The store may be unreachable for a while, but a gateway that never starts is broken. */
const FAILED_STARTS_MAX = 60
const STOP_MAX = 60_000
/** Gateways must not see the keys of the run's own money. */
const NOT_THEIRS = { FUNDS_KEY: undefined, FUNDS_SEED: undefined }

/** The connections of one gateway to its dependencies. Each can be broken alone. */
export interface Lines {
  postgres: TcpRelay
  redis: TcpRelay
  node: TcpRelay
  /** A second connection to the same ledger, passing through the lying node. */
  otherNode?: TcpRelay
  /** Missing for a node without a websocket. */
  nodeEvents?: TcpRelay
}

export interface InstanceOptions {
  name: string
  lines: Lines
  /** The node at the end of the connections. */
  node: NodePlace
  /** A second node that sometimes lies. */
  liarUrl: string | undefined
  /** Settings that do not depend on the connections. */
  env: Readonly<Record<string, string>>
  database: string
  folder: string
}

/** A gateway under a service manager that restarts it whenever it ends. */
export class Instance {
  readonly name: string
  readonly lines: Lines
  /** Undefined while it does not run. */
  url: string | undefined
  createdKey: string | undefined
  /** Stops that took longer than a service manager would wait. */
  slowStops = 0
  /** Unexpected exits of a running gateway, and stops that ended with an error. */
  readonly crashes: string[] = []
  starts = 0
  /** Failed starts, for example because the store was unreachable. */
  failedStarts = 0
  #offset = 0
  #child: ChildProcess | undefined
  #wanted = false
  #listened = false
  #supervising: Promise<void> = Promise.resolve()
  readonly #options: InstanceOptions

  constructor(options: InstanceOptions) {
    this.#options = options
    this.name = options.name
    this.lines = options.lines
  }

  /** Starts it and resolves once it listens. */
  async start(): Promise<void> {
    this.#wanted = true
    this.#supervising = this.#supervise()
    const failedBefore = this.failedStarts
    while (this.url === undefined) {
      if (this.failedStarts - failedBefore > FAILED_STARTS_MAX) {
        const log = readFileSync(join(this.#options.folder, `${this.name}.log`), 'utf8')
        throw new Error(`${this.name} does not start: ${log.slice(-2_000)}`)
      }
      await sleep(20)
    }
  }

  /** Kills it. It stays down until `start`. */
  async kill(): Promise<void> {
    this.#wanted = false
    this.#child?.kill('SIGKILL')
    await this.#supervising
  }

  /** Asks it to stop, and kills it after a while, as a service manager does. */
  async stop(): Promise<void> {
    this.#wanted = false
    const child = this.#child
    child?.kill('SIGTERM')
    const impatience = setTimeout(() => {
      this.slowStops++
      child?.kill('SIGKILL')
    }, STOP_MAX)
    await this.#supervising
    clearTimeout(impatience)
    const code = child?.exitCode ?? 0
    if (code !== 0 && this.#listened) this.crashes.push(`${this.name} stopped with ${code}`)
  }

  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  /** Sets its clock off by so much, now and after restarts. */
  setClock(offset: number): void {
    this.#offset = offset
    if (this.#child?.connected) this.#child.send({ offset }, () => undefined)
  }

  async #supervise(): Promise<void> {
    while (this.#wanted) {
      const { code, signal, ran } = await this.#run()
      if (!this.#wanted) return
      if (ran) this.crashes.push(`${this.name} ended by itself with ${signal ?? code}`)
      else this.failedStarts++
      await sleep(START_AGAIN_AFTER)
    }
  }

  async #run() {
    const { folder, name } = this.#options
    mkdirSync(join(folder, name), { recursive: true })
    const log = openSync(join(folder, `${name}.log`), 'a')
    const child = spawn(process.execPath, [...TYPESCRIPT, script], {
      cwd: root,
      env: { ...process.env, ...NOT_THEIRS, NODE_COMPILE_CACHE: compiled, ...this.#env() },
      stdio: ['ignore', log, log, 'ipc'],
    })
    closeSync(log)
    this.starts++
    this.#child = child
    let ran = false
    this.#listened = false
    child.on('message', ({ url, createdKey }: { url: string; createdKey?: string }) => {
      ran = true
      this.#listened = true
      this.url = url
      this.createdKey ??= createdKey
    })
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    this.url = undefined
    return { code, signal, ran }
  }

  #env(): Record<string, string> {
    const { lines, node, liarUrl, database, env, folder, name } = this.#options
    const honest = [lines.node, ...(lines.otherNode ? [lines.otherNode] : [])].map((line) => through(line, node.rpcUrl))
    const [first, ...others] = honest
    const nodes = [first, ...(liarUrl === undefined ? [] : [liarUrl]), ...others]
    return {
      ...env,
      DATA_DIR: join(folder, name),
      DATABASE_URL: `postgres://postgres@127.0.0.1:${lines.postgres.port}/${database}`,
      REDIS_URL: `redis://127.0.0.1:${lines.redis.port}`,
      NODE_URLS: nodes.join(','),
      NODE_WS_URLS: lines.nodeEvents ? through(lines.nodeEvents, node.wsUrl) : '',
      CLOCK_OFFSET_MS: String(this.#offset),
    }
  }
}

/** The URL with the relay's address. */
function through({ port }: TcpRelay, url: string): string {
  const near = new URL(url)
  near.hostname = '127.0.0.1'
  near.port = String(port)
  return near.href
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CLI } from '../support/command-line.ts'
import { type Recorder, recordedBy } from './recorder.ts'

export interface GatewayOptions {
  /** The simulated disk; the gateway makes its data folder in it. */
  disk: string
  port: number
  /** If unset, file operations are not recorded. */
  recorded?: Recorder
  env?: Readonly<Record<string, string>>
}

/** The built gateway with its own ledger, as an operator starts it. */
export class RecordedGateway {
  readonly url: string
  readonly #options: GatewayOptions
  #child: ChildProcess | undefined

  constructor(options: GatewayOptions) {
    this.#options = options
    this.url = `http://127.0.0.1:${options.port}`
  }

  async start(): Promise<void> {
    const { disk, port, recorded, env } = this.#options
    const child = spawn(process.execPath, ['--max-semi-space-size=4', CLI, 'start'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        MALLOC_TRIM_THRESHOLD_: '2097152',
        MALLOC_MMAP_THRESHOLD_: '1048576',
        ...(recorded && recordedBy(recorded, disk)),
        DATA_DIR: join(disk, 'data'),
        PORT: String(port),
        METRICS_PORT: '0',
        PRICE_PROVIDERS: 'sandbox',
        WEBHOOK_ALLOW_PRIVATE: 'true',
        CHECKOUT_GENERATED_WALLETS: 'all',
        CHECKOUT_OPEN_MAX: '0',
        LIMIT_ANONYMOUS_PER_MINUTE: '0',
        LIMIT_ANONYMOUS_CONCURRENCY: '0',
        WORK_THREADS: '0',
        WORK_NODES: 'true',
        WORK_CARDS: 'none',
        LOG_LEVEL: 'warn',
        ...env,
      },
    })
    this.#child = child
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', () => said.includes('Try it:') && resolve())
      child.once('exit', (code) => reject(new Error(`The gateway ended with ${code}:\n${said}`)))
    })
  }

  get pid(): number {
    return this.#child!.pid!
  }

  /** Length of the log: everything before it has happened. */
  get position(): number {
    return statSync(this.#options.recorded!.log).size
  }

  /** The key of the first start, while its file exists. */
  get administratorKey(): string {
    const file = join(this.#options.disk, 'data', 'administrator.key')
    if (!existsSync(file)) throw new Error('The gateway has left no administrator key.')
    return readFileSync(file, 'utf8').trim()
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

const STARTS_MAX = 5

/** A real Redis on loopback, in memory, with its own folder. */
export class RedisServer {
  readonly url: string
  readonly #port: number
  readonly #folder = mkdtempSync(join(tmpdir(), 'nano-gateway-redis-'))
  #child: ChildProcess | undefined

  constructor(port: number) {
    this.#port = port
    this.url = `redis://127.0.0.1:${port}`
  }

  /** Starts it, also again after it was killed; resolves once it answers. False if the port was taken meanwhile. */
  async start(): Promise<boolean> {
    const args = ['--port', String(this.#port), '--bind', '127.0.0.1', '--dir', this.#folder]
    const child = spawn('redis-server', [...args, '--save', '', '--appendonly', 'no', '--daemonize', 'no'], {
      stdio: 'ignore',
    })
    child.on('error', () => undefined)
    // It must not keep a finished run alive.
    child.unref()
    this.#child = child
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined
    await until(async () => hasEnded() || (await answers(this.#port)))
    if (child.pid === undefined) throw new Error('redis-server is missing: apt-get install redis-server')
    return !hasEnded()
  }

  /** Kills it. */
  async kill(): Promise<void> {
    const child = this.#child!
    const exited = once(child, 'exit')
    child.ref()
    child.kill('SIGKILL')
    await exited
  }

  /** Pauses the process until it is resumed, like a network that drops all packets. */
  pause(): void {
    this.#child!.kill('SIGSTOP')
  }

  resume(): void {
    this.#child!.kill('SIGCONT')
  }

  /** Kills the process and deletes its folder; may be called at the very end of the run. */
  remove(): void {
    this.#child?.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

let shared: Promise<RedisServer> | undefined

/** One server for all suites of a run. Tests use their own keys. */
export function sharedRedis(): Promise<RedisServer> {
  return (shared ??= startRedis().then((server) => {
    process.once('exit', () => server.remove())
    return server
  }))
}

/** A separate server, for tests that break it. */
export async function openRedis(t: TestContext): Promise<RedisServer> {
  const server = await startRedis()
  t.after(() => server.remove())
  return server
}

/** A separate server; the caller removes it. */
export async function startRedis(): Promise<RedisServer> {
  for (let attempt = 0; attempt < STARTS_MAX; attempt++) {
    const server = new RedisServer(await freePort())
    if (await server.start()) return server
    server.remove()
  }
  throw new Error('redis-server does not start.')
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.on('data', (chunk) => end(chunk.toString().startsWith('+PONG')))
    socket.on('error', () => end(false))
    socket.on('close', () => end(false))
  })
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { query } from '../../test/support/postgres.ts'

/** The static answer of the upstream in all comparisons with nginx. */
const ANSWER = JSON.stringify({
  balance: '325586539664609129644855132177',
  pending: '2309372032769300000000000000000000',
  receivable: '2309372032769300000000000000000000',
})

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

/** A folder and processes that end with the bench, however it ends. */
export class Bench implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'nano-gateway-bench-'))
  readonly #children = new Map<ChildProcess, NodeJS.Signals>()

  constructor() {
    process.once('exit', () => {
      for (const [child, signal] of this.#children) child.kill(signal)
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  /** What it says goes to a file in the folder. It is ended without a word, because nobody needs what it holds. */
  spawn(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    return this.#start(name, process.execPath, args, { env, signal: 'SIGKILL' })
  }

  #start(
    name: string,
    command: string,
    args: readonly string[],
    { env = {}, signal }: { env?: NodeJS.ProcessEnv; signal: NodeJS.Signals },
  ): ChildProcess {
    const log = openSync(join(this.folder, `${name}.log`), 'a')
    const child = spawn(command, args, { stdio: ['ignore', log, log], env: { ...process.env, ...env } })
    closeSync(log)
    this.#children.set(child, signal)
    return child
  }

  async end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(this.#children.get(child))
    await ended
  }

  async startNginx(name: string, servers: string): Promise<ChildProcess> {
    const { folder } = this
    const file = join(folder, `${name}.conf`)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${folder}/${name}-${kind};`)
      .join(' ')
    writeFileSync(
      file,
      `daemon off; worker_processes 1; pid ${folder}/${name}.pid; error_log ${folder}/${name}-errors.log;
      events { worker_connections 4096; }
      http { access_log off; ${paths} keepalive_requests 1000000000; ${servers} }`,
    )
    const child = this.#start(name, 'nginx', ['-c', file, '-p', folder], { signal: 'SIGTERM' })
    for (const [, port] of servers.matchAll(/listen 127\.0\.0\.1:(\d+)/g)) await untilAnswers(Number(port), child)
    return child
  }

  /** A ledger that always answers the same, as fast as nginx can. */
  async startStaticLedger(): Promise<number> {
    const port = await freePort()
    const place = `location / { default_type application/json; return 200 '${ANSWER}'; }`
    await this.startNginx(`static-${port}`, `server { listen 127.0.0.1:${port}; ${place} }`)
    return port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#children.keys()].map((child) => this.end(child)))
  }

  /** The last lines of what a process said. */
  readLog(name: string): string {
    return readFileSync(join(this.folder, `${name}.log`), 'utf8')
      .split('\n')
      .slice(-20)
      .join('\n')
  }
}

/** nginx in front of servers, in turns, keeping its connections open. */
export function balance(port: number, ports: readonly number[]): string {
  const members = ports.map((one) => `server 127.0.0.1:${one};`).join(' ')
  return `upstream fleet_${port} { ${members} keepalive 64; keepalive_requests 1000000000; }
    server { listen 127.0.0.1:${port}; location / { proxy_pass http://fleet_${port}; proxy_http_version 1.1; proxy_set_header Connection ""; } }`
}

export async function untilAnswers(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    try {
      await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"action":"block_count"}' })
      return
    } catch {
      if (child.exitCode !== null) break
      await delay(50)
    }
  }
  throw new Error(`Nothing answers on port ${port}.`)
}

export function requireTools(...tools: string[]): void {
  for (const tool of tools) {
    if (!['/usr/sbin', '/usr/bin', '/usr/local/bin'].some((path) => existsSync(join(path, tool)))) {
      throw new Error(`${tool} is missing; install it with: apt-get install nginx-light wrk redis-server postgresql`)
    }
  }
}

export function buildGateway(): void {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
}

/** The process that all others of a PostgreSQL server are children of. */
export async function postmasterOf(url: string): Promise<number> {
  const [row] = (await query(url, 'show data_directory')) as { data_directory: string }[]
  return Number(readFileSync(join(row!.data_directory, 'postmaster.pid'), 'utf8').split('\n')[0])
}

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import pg from 'pg'
import { PostgresHosts } from '../../src/infra/db/postgres-hosts.ts'
import { freePort } from './free-port.ts'
import { startPgbouncer } from './pgbouncer.ts'

const INSTALLED = '/usr/lib/postgresql'
const LOOPBACK = '127.0.0.1'
const KEPT = join(import.meta.dirname, '../../node_modules/.cache/nano-gateway-postgres')

let server: Promise<string> | undefined
let lastDatabase = 0

/** Makes a database on a real server, which is started once for the whole run, and answers its address: empty, or as another is. */
export async function createDatabase(like = 'template1'): Promise<string> {
  const url = await (server ??= startServer())
  const name = `suite_${++lastDatabase}`
  await query(`${url}/postgres`, `create database ${name} template ${like}`)
  return pooled(url, name)
}

let pooler: Promise<{ url: string }> | undefined

/** With `TEST_POOLER=transaction`, every store of a run is reached through PgBouncer. */
async function pooled(server: string, name: string): Promise<string> {
  if (process.env.TEST_POOLER !== 'transaction') return `${server}/${name}`
  const { url } = await (pooler ??= startPgbouncer(server, 'transaction'))
  return `${url}/${name}?direct=${new URL(server).host}`
}

/** Runs one statement on a connection of its own. */
export async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: new PostgresHosts(url).direct ?? url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

async function startServer(): Promise<string> {
  const postgres = await PostgresServer.create()
  await postgres.start()
  process.once('exit', () => postgres.remove())
  return postgres.url
}

/** A real server on loopback with a folder of its own. It can be ended as by a power cut and started again. */
export class PostgresServer {
  /** Without the name of a database. */
  readonly url: string
  /** Where it keeps what it knows. */
  readonly folder: string
  readonly #port: number
  readonly #owner = serverOwner()
  #child: ChildProcess | undefined

  private constructor(folder: string, port: number) {
    this.folder = folder
    this.#port = port
    this.url = `postgres://postgres@${LOOPBACK}:${port}`
  }

  static async create(templates = KEPT): Promise<PostgresServer> {
    const server = PostgresServer.#empty(await freePort())
    const owner = server.#owner
    const kept = join(templates, `${basename(dirname(programFolder()))}-${owner?.uid ?? 'own'}`)
    // In a copy of the checkout everything belongs to the person who copied it, and the server reads only what is its own.
    if (existsSync(kept) && statSync(kept).uid !== (owner?.uid ?? process.getuid?.())) rmSync(kept, { recursive: true })
    if (existsSync(kept)) copy(kept, server.#data)
    else server.#lay(kept)
    return server
  }

  static #empty(port: number): PostgresServer {
    const server = new PostgresServer(mkdtempSync(join(tmpdir(), 'nano-gateway-postgres-')), port)
    const owner = server.#owner
    if (owner) chownSync(server.folder, owner.uid, owner.gid)
    return server
  }

  /** Laying takes a second of a processor, a copy a moment: what was laid is kept for later servers, also of later runs. */
  #lay(kept: string): void {
    const initial = ['-D', this.#data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
    execFileSync(program('initdb'), initial, { ...this.#owner, cwd: this.folder, stdio: 'ignore' })
    mkdirSync(dirname(kept), { recursive: true })
    const draft = mkdtempSync(`${kept}.`)
    copy(this.#data, join(draft, 'data'))
    try {
      renameSync(join(draft, 'data'), kept)
    } catch (error) {
      // Another run was first.
      if (!existsSync(kept)) throw error
    }
    rmSync(draft, { recursive: true })
  }

  /** Whatever lies in a folder is the server's to read. */
  give(folder: string): void {
    const owner = this.#owner
    if (!owner) return
    for (const each of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) {
      chownSync(each, owner.uid, owner.gid)
    }
  }

  /** A second server that follows this one, which must run, and takes no writes until it is promoted. */
  async follow(): Promise<PostgresServer> {
    const server = PostgresServer.#empty(await freePort())
    const from = ['-h', LOOPBACK, '-p', String(this.#port), '-U', 'postgres', '-D', server.#data]
    const options = { ...server.#owner, cwd: server.folder, stdio: 'ignore' } as const
    execFileSync(
      program('pg_basebackup'),
      [...from, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'],
      options,
    )
    return server
  }

  /** Takes writes from now on. */
  promote(): void {
    execFileSync(program('pg_ctl'), ['promote', '-D', this.#data], {
      ...this.#owner,
      cwd: this.folder,
      stdio: 'ignore',
    })
  }

  async start(...more: string[]): Promise<void> {
    // Syncs stay on: what these suites prove is worth nothing without them.
    const port = `port=${this.#port}`
    const usual = [`listen_addresses=${LOOPBACK}`, port, 'unix_socket_directories=', 'max_connections=200']
    const settings = [...usual, ...more]
    const args = ['-D', this.#data, ...settings.flatMap((setting) => ['-c', setting])]
    const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe']
    this.#child = spawn(program('postgres'), args, { ...this.#owner, cwd: this.folder, stdio })
    await untilReady(this.#child)
  }

  /** Ends it as a crash would: whatever was not synced is lost, and the next start recovers from the log. */
  crash(): Promise<void> {
    return this.stop('immediate')
  }

  /** `fast` says goodbye to every connection, as an upgrade of the server does. */
  async stop(mode: 'immediate' | 'fast'): Promise<void> {
    const exited = once(this.#child!, 'exit')
    this.#child!.ref()
    this.end(mode)
    await exited
  }

  /** Ends it and removes its folder; may be called at the very end of the run. */
  remove(): void {
    this.end()
    // Thousands of files: the system's own command is several times faster.
    spawnSync('rm', ['-rf', this.folder])
  }

  /** A stop of exactly this server, whose process id lies in its folder, which stays. */
  end(mode: 'immediate' | 'fast' = 'immediate'): void {
    const args = ['stop', '-D', this.#data, '-m', mode]
    spawnSync(program('pg_ctl'), args, { ...this.#owner, cwd: this.folder, stdio: 'ignore' })
  }

  get #data(): string {
    return join(this.folder, 'data')
  }
}

const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to])

const program = (name: string) => join(programFolder(), name)

async function untilReady(child: ChildProcess): Promise<void> {
  const log = child.stderr!
  await new Promise<void>((resolve, reject) => {
    let text = ''
    log.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-10_000)
      if (/ready to accept (read-only )?connections/.test(text)) resolve()
    })
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${text}`)))
  })
  // The server must not keep a finished run alive.
  child.unref()
  ;(log as unknown as { unref(): void }).unref()
}

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
export function serverOwner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const ask = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: ask('-u'), gid: ask('-g') }
}

/** Where the programs of the newest server lie. */
export function programFolder(): string {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a)) : []
  const folder = versions
    .map((version) => join(INSTALLED, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
  if (folder === undefined) throw new Error('PostgreSQL is missing. Install it with: apt-get install postgresql')
  return folder
}

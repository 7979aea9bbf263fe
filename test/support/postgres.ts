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

/** Makes a database on a real server, which is started once for the whole run; empty, or a copy of another. Returns its URL. */
export async function createDatabase(like = 'template1'): Promise<string> {
  const url = await (server ??= startServer())
  const name = `suite_${++lastDatabase}`
  await query(`${url}/postgres`, `create database ${name} template ${like}`)
  return pooled(url, name)
}

let pooler: Promise<{ url: string }> | undefined

/** With `TEST_POOLER=transaction`, all stores of a run are used through PgBouncer. */
async function pooled(server: string, name: string): Promise<string> {
  if (process.env.TEST_POOLER !== 'transaction') return `${server}/${name}`
  const { url } = await (pooler ??= startPgbouncer(server, 'transaction'))
  return `${url}/${name}?direct=${new URL(server).host}`
}

/** Runs one statement on its own connection. */
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

/** A real server on loopback with its own folder. It can be crashed and started again. */
export class PostgresServer {
  /** Without a database name. */
  readonly url: string
  /** Its data folder. */
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
    // In a copied checkout all files belong to the person who copied it, and the server accepts only its own.
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

  /** `initdb` takes a second, a copy a moment: the result is kept for later servers, also of later runs. */
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

  /** Gives a folder to the server's user. */
  give(folder: string): void {
    const owner = this.#owner
    if (!owner) return
    for (const each of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) {
      chownSync(each, owner.uid, owner.gid)
    }
  }

  /** A standby of this server, which must be running; it refuses writes until promoted. */
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

  /** Makes it accept writes. */
  promote(): void {
    execFileSync(program('pg_ctl'), ['promote', '-D', this.#data], {
      ...this.#owner,
      cwd: this.folder,
      stdio: 'ignore',
    })
  }

  async start(...more: string[]): Promise<void> {
    // Syncs stay on: without them these tests would prove nothing.
    const port = `port=${this.#port}`
    const usual = [`listen_addresses=${LOOPBACK}`, port, 'unix_socket_directories=', 'max_connections=200']
    const settings = [...usual, ...more]
    const args = ['-D', this.#data, ...settings.flatMap((setting) => ['-c', setting])]
    const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe']
    this.#child = spawn(program('postgres'), args, { ...this.#owner, cwd: this.folder, stdio })
    await untilReady(this.#child)
  }

  /** Simulates a crash: unsynced data is lost, and the next start recovers from the log. */
  crash(): Promise<void> {
    return this.stop('immediate')
  }

  /** `fast` closes every connection cleanly, as in an upgrade of the server. */
  async stop(mode: 'immediate' | 'fast'): Promise<void> {
    const exited = once(this.#child!, 'exit')
    this.#child!.ref()
    this.end(mode)
    await exited
  }

  /** Stops it and deletes its folder; may be called at the very end of the run. */
  remove(): void {
    this.end()
    // Thousands of files: the system's own command is several times faster.
    spawnSync('rm', ['-rf', this.folder])
  }

  /** Stops exactly this server, by the process id in its folder; the folder stays. */
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
  // It must not keep a finished run alive.
  child.unref()
  ;(log as unknown as { unref(): void }).unref()
}

/** PostgreSQL refuses to run as root; Debian's package has a user for it. */
export function serverOwner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const ask = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: ask('-u'), gid: ask('-g') }
}

/** The folder with the programs of the latest server. */
export function programFolder(): string {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a)) : []
  const folder = versions
    .map((version) => join(INSTALLED, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
  if (folder === undefined) throw new Error('PostgreSQL is missing. Install it with: apt-get install postgresql')
  return folder
}

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'

const INSTALLED = '/usr/lib/postgresql'
const LOOPBACK = '127.0.0.1'

let server: Promise<string> | undefined
let lastDatabase = 0

/** Makes an empty database on a real server, which is started once for the whole run, and answers its address. */
export async function createDatabase(): Promise<string> {
  const url = await (server ??= startServer())
  const name = `suite_${++lastDatabase}`
  await query(`${url}/postgres`, `create database ${name}`)
  return `${url}/${name}`
}

/** Runs one statement on a connection of its own. */
export async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

async function startServer(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-postgres-'))
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  const owner = serverOwner()
  if (owner) for (const path of [folder, data]) chownSync(path, owner.uid, owner.gid)
  const program = (name: string) => join(programFolder(), name)
  const initial = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  execFileSync(program('initdb'), initial, { ...owner, cwd: folder, stdio: 'ignore' })
  const port = await freePort()
  // Syncs stay on: what these suites prove is worth nothing without them.
  const settings = [`listen_addresses=${LOOPBACK}`, `port=${port}`, 'unix_socket_directories=', 'max_connections=200']
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  const child = spawn(program('postgres'), args, { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  // An immediate stop of exactly this server, whose process id lies in its folder.
  process.once('exit', () => {
    spawnSync(program('pg_ctl'), ['stop', '-D', data, '-m', 'immediate'], { ...owner, cwd: folder, stdio: 'ignore' })
    // Thousands of files: the system's own command is several times faster.
    spawnSync('rm', ['-rf', folder])
  })
  await untilReady(child)
  return `postgres://postgres@${LOOPBACK}:${port}`
}

async function untilReady(child: ChildProcess): Promise<void> {
  const log = child.stderr!
  await new Promise<void>((resolve, reject) => {
    let text = ''
    log.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-10_000)
      if (text.includes('ready to accept connections')) resolve()
    })
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${text}`)))
  })
  // The server must not keep a finished run alive.
  child.unref()
  ;(log as unknown as { unref(): void }).unref()
}

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
function serverOwner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const ask = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: ask('-u'), gid: ask('-g') }
}

function programFolder(): string {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a)) : []
  const folder = versions
    .map((version) => join(INSTALLED, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
  if (folder === undefined) throw new Error('PostgreSQL is missing. Install it with: apt-get install postgresql')
  return folder
}

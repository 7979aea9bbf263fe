import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

/** A real PgBouncer for a server; returns its URL without a database name. It has few connections, so that they are shared. */
export async function startPgbouncer(server: string, mode: 'transaction' | 'session') {
  const { hostname, port: serverPort } = new URL(server)
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  // It runs as another user.
  chmodSync(folder, 0o755)
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
max_client_conn = 1000
default_pool_size = ${mode === 'session' ? 50 : 8}
server_round_robin = 1
server_idle_timeout = 5
`,
  )
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const child = spawn('/usr/sbin/pgbouncer', ['-q', ...user, file], { stdio: 'ignore' })
  process.once('exit', () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `postgres://postgres@127.0.0.1:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error('PgBouncer did not start.')
    const client = new pg.Client({ connectionString: `${url}/postgres` })
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    )
  })
  // It must not keep a finished run alive.
  child.unref()
  const stop = async () => {
    const exited = once(child, 'exit')
    child.ref()
    child.kill('SIGKILL')
    await exited
  }
  return { url, stop }
}

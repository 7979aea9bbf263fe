import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { query } from '../../test/support/postgres.ts'

/** Long enough for a machine that runs twenty other processes. */
const STARTED_WITHIN = 120_000

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

/** A temporary folder and processes that end with the bench, even if it fails. */
export class Bench implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'nano-gateway-bench-'))
  readonly #children = new Set<ChildProcess>()

  constructor() {
    process.once('exit', () => {
      for (const child of this.#children) child.kill('SIGKILL')
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  /** Starts a process whose output goes to a file in the folder. It is killed at the end, because its data is not needed. */
  spawn(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const log = openSync(join(this.folder, `${name}.log`), 'a')
    const child = spawn(process.execPath, args, { stdio: ['ignore', log, log], env: { ...process.env, ...env } })
    closeSync(log)
    this.#children.add(child)
    return child
  }

  async end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#children].map((child) => this.end(child)))
  }

  /** The last lines of a process's log. */
  readLog(name: string): string {
    return readFileSync(join(this.folder, `${name}.log`), 'utf8')
      .split('\n')
      .slice(-20)
      .join('\n')
  }
}

export async function untilAnswers(port: number, child: ChildProcess): Promise<void> {
  for (const end = performance.now() + STARTED_WITHIN; performance.now() < end;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"action":"block_count"}' })
      await response.text()
      if (response.ok) return
    } catch {
      if (child.exitCode !== null) break
    }
    await delay(20)
  }
  throw new Error(`Nothing answers on port ${port}.`)
}

export function buildGateway(): void {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
}

/** Process id of the PostgreSQL postmaster. */
export async function postmasterOf(url: string): Promise<number> {
  const [row] = (await query(url, 'show data_directory')) as { data_directory: string }[]
  return Number(readFileSync(join(row!.data_directory, 'postmaster.pid'), 'utf8').split('\n')[0])
}

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Ledger } from './ledger.ts'
import type { Closable, LedgerOptions, Running } from './options.ts'

/** The first Node whose `node:sqlite` needs no flag. */
const LOWEST = [22, 13] as const

/** Starts a ledger, and returns once it listens. Any number may run at the same time. */
export async function startLedger(options: LedgerOptions = {}): Promise<Ledger> {
  return new Ledger(await start(options))
}

async function start({ ownProcess = false, ...options }: LedgerOptions): Promise<Closable> {
  const node = typeof ownProcess === 'object' ? ownProcess.node : process.execPath
  if (node === process.execPath) requireSqlite()
  if (ownProcess !== false) return startProcess(options, node)
  const { openLedger } = await import('./engine.ts')
  return openLedger(options)
}

function requireSqlite(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > LOWEST[0] || (major === LOWEST[0] && minor >= LOWEST[1])) return
  throw new Error(
    `The ledger needs Node ${LOWEST.join('.')} or newer, for node:sqlite; this is ${process.version}. ` +
      "Name a newer one with ownProcess: { node: '/path/to/node' }.",
  )
}

type Said = { running: Running } | { failed: string }

/** Starts the ledger in a process of its own, which ends with this one however that ends. */
async function startProcess(options: LedgerOptions, node: string): Promise<Closable> {
  const file = fileURLToPath(new URL('./process.js', import.meta.url))
  const child = fork(file, { execPath: node, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const running = await new Promise<Running>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`The ledger's process ended (${signal ?? code}).`)))
    child.once('message', (said: Said) => {
      if ('failed' in said) reject(new Error(said.failed))
      else resolve(said.running)
    })
    child.send(options)
  })
  return {
    ...running,
    async close() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

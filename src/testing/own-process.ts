import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Closable, LedgerOptions, Running } from './options.ts'

type Said = { running: Running } | { failed: string }

/** Starts the ledger in a process of its own, which ends with this one however that ends. */
export async function startProcess(options: LedgerOptions, node: string): Promise<Closable> {
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

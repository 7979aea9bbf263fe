import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { TYPESCRIPT } from './typescript.ts'

export interface DevnetProcess {
  rpcUrl: string
  wsUrl: string
  /** Kills the process, as a power cut would. */
  kill(): Promise<void>
  /** Stops and continues it. */
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void
}

const script = fileURLToPath(new URL('devnet-process.ts', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Starts a ledger on a file in its own process and waits until it listens. */
export async function spawnDevnet(file: string, { anyWork = false } = {}): Promise<DevnetProcess> {
  const args = [...TYPESCRIPT, script, file, ...(anyWork ? ['any-work'] : [])]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const urls = JSON.parse(await firstLine(child)) as { rpcUrl: string; wsUrl: string }
  return {
    ...urls,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    signal: (name) => void child.kill(name),
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout!.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('\n')) resolve(output.slice(0, output.indexOf('\n')))
    })
    child.on('exit', (code) => reject(new Error(`The ledger's process ended with ${code} before it listened`)))
  })
}

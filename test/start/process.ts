import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { CLI } from '../support/command-line.ts'

type Env = Record<string, string>

/** What a gateway on a busy machine needs least of. */
const SMALL: Env = {
  PORT: '0',
  METRICS_PORT: '0',
  WORK_THREADS: '0',
  PRICE_PROVIDERS: 'sandbox',
  DEVNET_TREASURY_NANO: '0',
}

export interface Ended {
  code: number | null
  output: string
  errors: string
}

/** Our command line with these settings and nothing else of this machine's environment; `said` grows while it runs. */
export function spawnCli(t: TestContext, words: string[], env: Env, umask = '') {
  const own = { PATH: process.env.PATH!, ...env }
  // The umask belongs to a process, so that a shell must set it for one that is not ours.
  const shell = `${umask === '' ? '' : `umask ${umask}; `}exec "$0" "$@"`
  const child = spawn('sh', ['-c', shell, process.execPath, CLI, ...words], { env: own })
  t.after(() => void child.kill('SIGKILL'))
  const said = { output: '', errors: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.output += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => (said.errors += String(chunk)))
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...said })))
  return { child, said, ended }
}

/** Runs a command to its end. */
export function run(t: TestContext, words: string[], env: Env, umask?: string): Promise<Ended> {
  return spawnCli(t, words, { ...SMALL, ...env }, umask).ended
}

/** Starts a gateway and waits until it says where it listens; throws with what it said when it ends before. */
export async function start(t: TestContext, env: Env, umask?: string) {
  const { child, said, ended } = spawnCli(t, ['start'], { ...SMALL, ...env }, umask)
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => said.output.includes('Try it:') && resolve())
    void ended.then(({ output, errors }) => reject(new Error(output + errors)))
  })
  const end = (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal)
    return ended
  }
  const addressOf = (what: string) => new RegExp(`${what}\\s+(\\S+)`).exec(said.output)![1]!
  return {
    pid: child.pid!,
    url: addressOf('RPC'),
    metricsUrl: addressOf('Metrics'),
    /** Everything it has said until it listened. */
    said: said.output,
    ended,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

/** The lines of the log in what a process said. */
export const logOf = ({ output }: Ended) =>
  output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, string>] : []))

interface Banner {
  rpc: string
  data: string
  explorer?: string
  seed?: string
  accounts?: { index: number; address: string; privateKey: string }[]
}

/** A development ledger as the command starts it, with what it prints. */
export async function startLedger(t: TestContext, cwd: string, ...words: string[]) {
  const args = [CLI, 'devnet', '--port', '0', '--ws-port', '0', '--json', ...words]
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  t.after(stop)
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { ...(JSON.parse(line) as Banner), child, ended, stop }
}

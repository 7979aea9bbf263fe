import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { CLI } from '../support/command-line.ts'

type Env = Record<string, string>

/** The cheapest settings, for busy machines. */
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

/** Runs our command line with only these settings, without this process's environment; `said` grows while it runs. */
export function spawnCli(t: TestContext, words: string[], env: Env, umask = '') {
  const own = { PATH: process.env.PATH!, ...env }
  // A child inherits its umask, so a shell must set it.
  const shell = `${umask === '' ? '' : `umask ${umask}; `}exec "$0" "$@"`
  const child = spawn('sh', ['-c', shell, process.execPath, CLI, ...words], { env: own })
  t.after(() => void child.kill('SIGKILL'))
  const said = { output: '', errors: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.output += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => (said.errors += String(chunk)))
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...said })))
  return { child, said, ended }
}

/** Runs a command and waits for its end. */
export function run(t: TestContext, words: string[], env: Env, umask?: string): Promise<Ended> {
  return spawnCli(t, words, { ...SMALL, ...env }, umask).ended
}

/** Starts a gateway and waits for its address; throws with its output if it ends first. */
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
    /** Its output until it listened. */
    said: said.output,
    ended,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

/** The log lines in a process's output. */
export const logOf = ({ output }: Ended) =>
  output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, string>] : []))

interface Banner {
  rpc: string
  data: string
  explorer?: string
  seed?: string
  accounts?: { index: number; address: string; privateKey: string }[]
}

/** Starts a development ledger with the command and collects its output. */
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

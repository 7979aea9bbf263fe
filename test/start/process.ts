import { type ChildProcess, spawn } from 'node:child_process'
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

/** Our command line with these settings and nothing else of this machine's environment. */
function spawnCli(
  t: TestContext,
  words: string[],
  env: Env,
  umask = '',
): { child: ChildProcess; ended: Promise<Ended> } {
  const own = { PATH: process.env.PATH!, ...env }
  // The umask belongs to a process, so that a shell must set it for one that is not ours.
  const shell = `${umask === '' ? '' : `umask ${umask}; `}exec "$0" "$@"`
  const child = spawn('sh', ['-c', shell, process.execPath, CLI, ...words], { env: own })
  t.after(() => void child.kill('SIGKILL'))
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => (output += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => (errors += String(chunk)))
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, output, errors })))
  return { child, ended }
}

/** Runs a command to its end. */
export function run(t: TestContext, words: string[], env: Env, umask?: string): Promise<Ended> {
  return spawnCli(t, words, { ...SMALL, ...env }, umask).ended
}

export interface Started {
  pid: number
  url: string
  /** Everything it has said until it listened. */
  said: string
  stop(): Promise<Ended>
  kill(): Promise<Ended>
}

/** Starts a gateway and waits until it says where it listens; throws with what it said when it ends before. */
export async function start(t: TestContext, env: Env, umask?: string): Promise<Started> {
  const { child, ended } = spawnCli(t, ['start'], { ...SMALL, ...env }, umask)
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (chunk: Buffer) => {
      said += String(chunk)
      if (said.includes('Try it:')) resolve()
    })
    void ended.then(({ output, errors }) => reject(new Error(output + errors)))
  })
  const end = (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal)
    return ended
  }
  return {
    pid: child.pid!,
    url: /RPC\s+(\S+)/.exec(said)![1]!,
    said,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

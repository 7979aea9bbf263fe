import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { read, root } from './documents.ts'
import { openFolder } from '../support/folder.ts'

/** A test or a suite: only `after` is needed. */
interface Ending {
  after(close: () => unknown): unknown
}

const manifest = JSON.parse(read('package.json')) as { scripts: { start: string } }

/**
 * A PATH with an `npx` that runs our built command line and an `npm` whose `start` is that of package.json, both with the Node that npm would use. Both
 * cache their compiled code, to start faster.
 */
function openTools(t: Ending): NodeJS.ProcessEnv {
  // Usually built already; otherwise built here, before a test's time starts.
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' })
  const folder = openFolder(t)
  const shims = {
    npx: `[ "$1" = nano-gateway ] || exit 127\nshift\nexec '${process.execPath}' '${join(root, 'dist/cli.js')}' "$@"`,
    npm: `[ "$1" = start ] || exit 127\ncd '${root}'\nPATH='${join(root, 'node_modules/.bin')}':"$PATH"\nexec ${manifest.scripts.start}`,
  }
  for (const [name, script] of Object.entries(shims)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  const own = { PATH: `${folder}:${process.env.PATH}`, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  // The output is compared, so it must not have colours.
  return { ...process.env, ...own, FORCE_COLOR: '0' }
}

export const tools = openTools({ after })

/** Kills a shell and all processes that it started. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}

export interface Outcome {
  output: string
  errors: string
  code: number | null
}

/** Runs a script; processes that it leaves are killed with the test. */
export async function runScript(t: Ending, script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const shell = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd, env, detached: true })
  t.after(() => endGroup(shell.pid!))
  let output = ''
  let errors = ''
  shell.stdout.on('data', (chunk: Buffer) => (output += String(chunk)))
  shell.stderr.on('data', (chunk: Buffer) => (errors += String(chunk)))
  const [code] = (await once(shell, 'close')) as [number | null]
  return { output, errors, code }
}

export interface Served {
  /** The address that it printed. */
  url: string
  /** Its output until it listened. */
  banner: string
  /** Stops it as a service manager would and returns the exit code. */
  stop(): Promise<number | null>
}

/** Runs a command that starts a server, and waits until it prints its address. */
export async function serve(t: Ending, command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Served> {
  const shell = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', command], { cwd, env, detached: true })
  const ended = once(shell, 'exit') as Promise<[number | null]>
  t.after(() => endGroup(shell.pid!))
  let output = ''
  const url = await new Promise<string>((found, failed) => {
    const listen = (chunk: Buffer) => {
      output += String(chunk)
      // Match whole lines only: a port may arrive in two pieces.
      const [, address] = /^(?: {2}RPC +|Work server .* at )(http:\/\/[\d.]+:\d+)[:\s].*\n/m.exec(output) ?? []
      if (address !== undefined) found(address)
    }
    shell.stdout.on('data', listen)
    shell.stderr.on('data', listen)
    void ended.then(([code]) => failed(new Error(`${command} ended with ${code}:\n${output}`)))
  })
  return {
    url,
    get banner() {
      return output
    },
    async stop() {
      // The shell has become the server. Signal only that process and let it pass the signal on: a gateway that gets two ends at once.
      shell.kill('SIGTERM')
      const [code] = await ended
      return code
    },
  }
}

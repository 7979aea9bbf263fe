import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { read, root } from './documents.ts'
import { openFolder } from '../support/folder.ts'

/** A test, or all of them: only the end matters here. */
interface Ending {
  after(close: () => unknown): unknown
}

const manifest = JSON.parse(read('package.json')) as { scripts: { start: string } }

/**
 * Where commands are found: an `npx` that runs our own command line as it was built, and an `npm` whose `start` is the one
 * of package.json, with the Node that npm would put first. Both keep what they compiled, which makes them start faster.
 */
function openTools(t: Ending): NodeJS.ProcessEnv {
  // `npm test` has built by now, and then this takes no time; where it has not, no test should have to wait for it.
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
  // Where results are shown in colours, what is compared here must have none.
  return { ...process.env, ...own, FORCE_COLOR: '0' }
}

export const tools = openTools({ after })

/** Ends a shell with everything it started. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

export interface Outcome {
  output: string
  errors: string
  code: number | null
}

/** Runs a script to its end; whatever it left running goes with the test. */
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
  /** Where it listens, as it says. */
  url: string
  /** Everything it has said until it listened. */
  banner: string
  /** Ends it as a service manager would, and answers its exit code. */
  stop(): Promise<number | null>
}

/** Runs a command that serves, and waits until it says where. */
export async function serve(t: Ending, command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Served> {
  const shell = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', command], { cwd, env, detached: true })
  const ended = once(shell, 'exit') as Promise<[number | null]>
  t.after(() => endGroup(shell.pid!))
  let output = ''
  const url = await new Promise<string>((found, failed) => {
    const listen = (chunk: Buffer) => {
      output += String(chunk)
      // The line must be whole: a port may come in two pieces.
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
      // The shell has become the command. Others of its group must hear of it from there: told twice, a gateway ends at once.
      shell.kill('SIGTERM')
      const [code] = await ended
      return code
    },
  }
}

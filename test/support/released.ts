import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { openApart } from './apart.ts'
import { openFolder } from './folder.ts'

const root = resolve(import.meta.dirname, '../..')
const PACKED = join(root, 'test/fixtures/releases/nano-gateway-0.1.0.tgz')
/** Pins the file, because tests execute it. */
const DIGEST = '1993181db1e3356f5ab9a6c4c084f681013c274c4146df049722f170e4aa78c4'

type Env = Record<string, string>

/** A running gateway of the last release. */
export interface Released {
  /** Its output so far. */
  said(): string
  /** The administrator key, printed by the first start on a store. */
  adminKey: string
  /** Stops it and returns its exit code. */
  stop(): Promise<number | null>
}

export interface Release {
  start(env: Env): Promise<Released>
  /** Starts it, waits until it exits by itself, and returns its output. */
  refuse(env: Env): Promise<{ code: number | null; said: string }>
}

/** The only package that it needs in another version than this release. */
const findOwn = openApart(join(root, 'test/fixtures/releases/apart'), 'nano-gateway-release', { always: true })

/** Unpacks the last release. It shares all other dependencies with this version. */
export async function openRelease(t: TestContext): Promise<Release> {
  const own = await findOwn()
  if ('missing' in own) throw new Error(`The last release cannot run here: ${own.missing}`)
  const digest = createHash('sha256').update(readFileSync(PACKED)).digest('hex')
  if (digest !== DIGEST) throw new Error(`${PACKED} is another file: ${digest}`)
  const folder = openFolder(t)
  execFileSync('tar', ['-xzf', PACKED, '-C', folder])
  const home = join(folder, 'package')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(home, 'node_modules'))
  symlinkSync(join(own.folder, 'node_modules/kysely'), join(home, 'node_modules/kysely'))

  const spawnIt = (env: Env) => {
    const child = spawn(process.execPath, [join(home, 'dist/cli.js'), 'start'], {
      env: { PATH: process.env.PATH!, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(() => void child.kill('SIGKILL'))
    let said = ''
    const listeners: (() => void)[] = []
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        for (const listener of listeners) listener()
      })
    const ended = once(child, 'close').then(([code]) => code as number | null)
    const hears = (words: string) =>
      new Promise<void>((resolve) => listeners.push(() => said.includes(words) && resolve()))
    return { child, ended, said: () => said, hears }
  }
  return {
    async start(env) {
      const { child, ended, said, hears } = spawnIt(env)
      const failed = ended.then(() => Promise.reject(new Error(said())))
      await Promise.race([hears('Try it:'), failed])
      // From here on its exit is not an error.
      failed.catch(() => undefined)
      return {
        said,
        adminKey: /Admin key\s+(\S+)/.exec(said())?.[1] ?? '',
        stop: () => {
          child.kill('SIGTERM')
          return ended
        },
      }
    },
    async refuse(env) {
      const { ended, said } = spawnIt(env)
      return { code: await ended, said: said() }
    },
  }
}

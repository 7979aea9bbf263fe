import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { openApart } from './apart.ts'
import { openFolder } from './folder.ts'

const root = resolve(import.meta.dirname, '../..')
/** The releases from which upgrades are tested, with the packages that each needs in its own version. Checksums pin the files, because tests execute them. */
const RELEASES = {
  '0.1.0': { digest: '1993181db1e3356f5ab9a6c4c084f681013c274c4146df049722f170e4aa78c4', own: ['kysely'] },
  '0.2.0': { digest: 'f74edbac86b2b1c55caf214f45bd29ff933b4e81f161dbe83309f7926fa2726b', own: ['commander', 'kysely'] },
}
export const RELEASED = Object.keys(RELEASES) as (keyof typeof RELEASES)[]

type Env = Record<string, string>

/** A running gateway of a release. */
export interface Released {
  /** Its output so far. */
  said(): string
  /** The administrator key, made by the first start on a store. */
  adminKey: string
  /** Stops it and returns its exit code. */
  stop(): Promise<number | null>
}

export interface Release {
  start(env: Env): Promise<Released>
  /** Starts it, waits until it exits by itself, and returns its output. */
  refuse(env: Env): Promise<{ code: number | null; said: string }>
}

/** The packages that releases need in other versions than this one. */
const findOwn = openApart(join(root, 'test/fixtures/releases/apart'), 'nano-gateway-release', { always: true })

/** 0.1.0 prints the key; later releases name the file that contains it. */
function readAdminKey(said: string): string {
  const [, file, printed = ''] = /Admin key\s+(?:in (\S+)|(\S+))/.exec(said) ?? []
  return file === undefined ? printed : readFileSync(file, 'utf8').trim()
}

/** Unpacks a release. It shares all other packages with this version. */
export async function openRelease(t: TestContext, version: keyof typeof RELEASES): Promise<Release> {
  const release = RELEASES[version]
  const packed = join(root, `test/fixtures/releases/nano-gateway-${version}.tgz`)
  const own = await findOwn()
  if ('missing' in own) throw new Error(`The release cannot run here: ${own.missing}`)
  const digest = createHash('sha256').update(readFileSync(packed)).digest('hex')
  if (digest !== release.digest) throw new Error(`${packed} is another file: ${digest}`)
  const folder = openFolder(t)
  execFileSync('tar', ['-xzf', packed, '-C', folder])
  const home = join(folder, 'package')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(home, 'node_modules'))
  for (const name of release.own) symlinkSync(join(own.folder, 'node_modules', name), join(home, 'node_modules', name))

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
        adminKey: readAdminKey(said()),
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

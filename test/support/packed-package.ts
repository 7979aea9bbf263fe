import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after } from 'node:test'

const root = resolve(import.meta.dirname, '../..')

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export interface PackedPackage {
  /** A folder with the package and exactly its dependencies installed. */
  folder: string
  /** Size of the packed file. */
  bytes: number
  files: string[]
}

interface Packing {
  /** The folder's name in `packages`. */
  name: string
  /** The build command. */
  script: readonly string[]
  /** Packages it depends on. */
  needs: readonly string[]
}

/** A package of the workspace as published: built, packed, and unpacked into an empty folder, for the duration of the run. */
export function pack({ name, script, needs }: Packing): PackedPackage {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-packed-'))
  folders.push(folder)
  const [file = '', ...flags] = script
  execFileSync(process.execPath, [join(root, file), ...flags], { stdio: 'inherit' })
  const args = ['pack', '--ignore-scripts', '--json', '--offline', '--pack-destination', folder]
  const cwd = join(root, 'packages', name)
  const said = execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  /** npm prints a list, and from version 12 on an object by name. */
  type Said = Record<string, { filename: string; size: number; files: { path: string }[] }>
  const [{ filename, size, files }] = Object.values(JSON.parse(said) as Said) as [Said['']]
  const modules = join(folder, 'node_modules')
  const home = join(modules, '@nano-gateway', name)
  mkdirSync(home, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', home, '--strip-components=1'])
  // Copied instead of linked, so that they find no packages in the repository.
  for (const need of needs) cpSync(join(root, 'node_modules', need), join(modules, need), { recursive: true })
  for (const types of ['@types/node', 'undici-types']) {
    mkdirSync(dirname(join(modules, types)), { recursive: true })
    symlinkSync(join(root, 'node_modules', types), join(modules, types))
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return { folder, bytes: size, files: files.map(({ path }) => path) }
}

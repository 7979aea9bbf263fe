import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after } from 'node:test'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '../..')

interface PackedClient {
  /** A folder in which somebody has installed it, with what it depends on and nothing else. */
  folder: string
  /** Of the packed file. */
  bytes: number
  files: string[]
}

let packed: PackedClient | undefined
after(() => packed && rmSync(packed.folder, { recursive: true, force: true }))

/** The client as it is published: built, packed, and unpacked in an empty folder; once for a run. */
export function packClient(): PackedClient {
  return (packed ??= pack())
}

function pack(): PackedClient {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-packed-'))
  execFileSync(process.execPath, [join(root, 'scripts/build-client.mjs'), '--as-kept'], { stdio: 'inherit' })
  const args = ['pack', '--ignore-scripts', '--json', '--offline', '--pack-destination', folder]
  const cwd = join(root, 'packages/client')
  const said = execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  /** npm answers a list, and from version 12 on an object by name. */
  type Said = Record<string, { filename: string; size: number; files: { path: string }[] }>
  const [{ filename, size, files }] = Object.values(JSON.parse(said) as Said) as [Said['']]
  const modules = join(folder, 'node_modules')
  const home = join(modules, '@nano-gateway/client')
  mkdirSync(home, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', home, '--strip-components=1'])
  // Copied, so that nothing is found beside them.
  for (const name of ['curves', 'hashes']) {
    cpSync(join(root, 'node_modules/@noble', name), join(modules, '@noble', name), { recursive: true })
  }
  mkdirSync(join(modules, '@types'))
  for (const name of ['@types/node', 'undici-types']) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return { folder, bytes: size, files: files.map(({ path }) => path) }
}

/** The client and a program in one file, as a page or a worker would load it. */
export async function bundle(entry: string, outfile: string): Promise<void> {
  const { folder } = packClient()
  await build({
    stdin: { contents: entry, resolveDir: folder, loader: 'js' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'warning',
  })
}

/*
 * Builds packages/medusa: one module of the provider and of the client it uses, and its types. Nothing of Medusa is needed for it: what
 * its packages expect of a provider is written down in `src/medusa/shapes.ts`.
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { keepReached } from './keep-reached.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'packages', 'medusa', 'dist')

rmSync(dist, { recursive: true, force: true })
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const { status } = spawnSync(process.execPath, [tsc, '-p', join('packages', 'medusa')], { cwd: root, stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
keepReached(dist, [join(dist, 'medusa', 'index.d.ts')])
await build({
  entryPoints: [join(root, 'src', 'medusa', 'index.ts')],
  outfile: join(dist, 'index.js'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['@noble/*'],
  legalComments: 'none',
  logLevel: 'warning',
})

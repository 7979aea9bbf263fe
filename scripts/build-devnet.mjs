/*
 * Builds packages/devnet: the ledger and its test helpers as modules that share common code, and their types. The ledger is a separate module that is
 * loaded only when it runs, because it needs `node:sqlite`.
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { keepReached } from './keep-reached.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'packages', 'devnet', 'dist')
const FACES = ['index', 'node-test', 'vitest', 'playwright']

rmSync(dist, { recursive: true, force: true })
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const { status } = spawnSync(process.execPath, [tsc, '-p', join('packages', 'devnet')], { cwd: root, stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
keepReached(
  dist,
  FACES.map((name) => join(dist, 'testing', `${name}.d.ts`)),
)
await build({
  entryPoints: [...FACES, 'process'].map((name) => join(root, 'src', 'testing', `${name}.ts`)),
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['@noble/*', 'ws', 'sodium-native'],
  legalComments: 'none',
  logLevel: 'warning',
})

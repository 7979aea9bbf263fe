/*
 * Builds packages/client: generates its types of the actions from the registry, bundles the client with the parts of the kernel that it uses, and compiles
 * its declarations without Node's types, so that the client cannot use Node.
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { readySources } from './made-sources.mjs'
import { keepReached } from './keep-reached.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'packages', 'client', 'dist')

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

readySources()
rmSync(dist, { recursive: true, force: true })
run(join('node_modules', 'typescript', 'bin', 'tsc'), '-p', join('packages', 'client'))
keepReached(
  dist,
  ['index.d.ts', 'x402.d.ts'].map((file) => join(dist, 'client', file)),
)
await build({
  entryPoints: ['index.ts', 'x402.ts'].map((file) => join(root, 'src', 'client', file)),
  outdir: dist,
  bundle: true,
  // Both entries must share one module, so that they share one signer for each account.
  splitting: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  external: ['@noble/*'],
  legalComments: 'none',
  logLevel: 'warning',
})

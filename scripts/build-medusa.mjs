/*
 * Builds packages/medusa: the provider with the client it uses, its types, and the extension of the dashboard. The build does not need Medusa: the
 * interfaces that Medusa expects of a provider are declared in `src/medusa/shapes.ts`.
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
const shared = { bundle: true, format: 'esm', legalComments: 'none', logLevel: 'warning' }
await build({
  ...shared,
  entryPoints: [join(root, 'src', 'medusa', 'index.ts')],
  outfile: join(dist, 'index.js'),
  platform: 'node',
  target: 'node20',
  external: ['@noble/*'],
})
// The shop bundles this file into its own dashboard, with its own packages.
await build({
  ...shared,
  entryPoints: [join(root, 'src', 'medusa', 'admin', 'index.ts')],
  outfile: join(dist, 'admin', 'index.js'),
  platform: 'browser',
  target: 'es2022',
  // The project's settings name the JSX library of our own pages; this one uses React.
  tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'react' } },
  packages: 'external',
})

// Compiles src/ to dist/ and bundles the command line if a source is newer than the last build. Types are checked by `npm run check`. Declarations are
// written only for a package (`--force`, `--declarations`): without them a build takes a tenth of the time.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.mjs'
import { newestChange, readySources } from './made-sources.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'dist', '.built')
const declared = join(root, 'dist', '.declared')

readySources()
const sources = Math.max(
  newestChange(join(root, 'src')),
  ...['package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/bundle.mjs'].map(
    (file) => statSync(join(root, file)).mtimeMs,
  ),
)
const isFresh = (file) => existsSync(file) && statSync(file).mtimeMs >= sources

function compile(...options) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const args = [tsc, '-p', join(root, 'tsconfig.build.json'), ...options]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

const whole = process.argv.includes('--force')
if (whole || !isFresh(stamp)) {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  compile(...(whole ? [] : ['--noCheck', '--declaration', 'false']))
  cpSync(join(root, 'src', 'web', 'assets'), join(root, 'dist', 'web', 'assets'), { recursive: true })
  cpSync(join(root, 'src', 'modules', 'names', 'known.json'), join(root, 'dist', 'modules', 'names', 'known.json'))
  await bundle(join(root, 'dist'))
  for (const file of whole ? [stamp, declared] : [stamp]) writeFileSync(file, '')
}
if (process.argv.includes('--declarations') && !isFresh(declared)) {
  compile('--noCheck', '--emitDeclarationOnly')
  writeFileSync(declared, '')
}

// Compiles src/ to dist/ with tsc, only when a source is newer than the last build.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'dist', '.built')

function newestChange(folder) {
  let newest = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    const changed = entry.isDirectory() ? newestChange(path) : statSync(path).mtimeMs
    newest = Math.max(newest, changed)
  }
  return newest
}

const sources = Math.max(
  newestChange(join(root, 'src')),
  ...['package.json', 'tsconfig.json', 'tsconfig.build.json'].map((file) => statSync(join(root, file)).mtimeMs),
)
const upToDate = existsSync(stamp) && statSync(stamp).mtimeMs >= sources
if (!upToDate || process.argv.includes('--force')) {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const done = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
  if (done.status !== 0) process.exit(done.status ?? 1)
  cpSync(join(root, 'src', 'web', 'assets'), join(root, 'dist', 'web', 'assets'), { recursive: true })
  cpSync(join(root, 'src', 'modules', 'names', 'known.json'), join(root, 'dist', 'modules', 'names', 'known.json'))
  writeFileSync(stamp, '')
}

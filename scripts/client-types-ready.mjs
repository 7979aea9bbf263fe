// Has `src/client/generated/` made where it is missing, or older than a source: it is built, not kept. `npm ci` runs it, and so does what needs it.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

export function newestChange(folder) {
  const changes = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? newestChange(path) : statSync(path).mtimeMs
  })
  return Math.max(0, ...changes)
}

export function readyClientTypes() {
  const made = join(root, 'src', 'client', 'generated', 'facts.ts')
  const sources = ['kernel', 'modules'].map((folder) => newestChange(join(root, 'src', folder)))
  const writer = join(root, 'scripts', 'client-types.mjs')
  const newest = Math.max(...sources, ...[join(root, 'src', 'offered.ts'), writer].map((file) => statSync(file).mtimeMs))
  if (existsSync(made) && statSync(made).mtimeMs >= newest) return
  const args = ['--import', './scripts/typescript.mjs', writer]
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) readyClientTypes()

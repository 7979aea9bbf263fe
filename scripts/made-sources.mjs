// Generates sources that are missing or older than their inputs: the client's types, and the browser code that verifies proofs. They are not in the
// repository, so whatever needs them runs this first.
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

/** Each generated file, its generator, and further inputs. */
const MADE = [
  { file: 'src/client/generated/facts.ts', writer: 'scripts/client-types.mjs', of: ['src/modules', 'src/kernel'] },
  { file: 'src/web/assets/verify-proof.js', writer: 'scripts/proof-verifier.mjs', of: ['src/kernel'] },
]

export function readySources() {
  for (const { file, writer, of } of MADE) {
    const made = join(root, file)
    const newest = Math.max(
      statSync(join(root, writer)).mtimeMs,
      ...of.map((folder) => newestChange(join(root, folder))),
    )
    if (existsSync(made) && statSync(made).mtimeMs >= newest) continue
    const { status } = spawnSync(process.execPath, ['--import', './scripts/typescript.mjs', writer], {
      cwd: root,
      stdio: 'inherit',
    })
    if (status !== 0) process.exit(status ?? 1)
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) readySources()

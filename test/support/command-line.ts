import { execFile, execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '../..')

/** Our command line as it was built: it starts several times faster than from its sources. `npm test` has built it by now. */
export const CLI = join(root, 'dist/cli.js')
execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' })

/** What a command prints as JSON, beside a gateway with that folder. */
export async function askCommand(folder: string, ...words: string[]): Promise<unknown> {
  const env = { ...process.env, DATA_DIR: folder }
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...words, '--json'], { env })
  return JSON.parse(stdout)
}

import { execFile, execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '../..')

/** Our built command line, which starts several times faster than the sources. `npm test` builds it. */
export const CLI = join(root, 'dist/cli.js')
execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' })

/** The JSON output of a command for the gateway with that data folder. */
export async function askCommand(folder: string, ...words: string[]): Promise<unknown> {
  const env = { ...process.env, DATA_DIR: folder }
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...words, '--json'], { env })
  return JSON.parse(stdout)
}

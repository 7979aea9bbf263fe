import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { openFolder } from './folder.ts'

const root = resolve(import.meta.dirname, '../..')

/** A copy of the repository's files, untracked ones included and ignored ones excluded, with the installed packages, for the duration of a test. */
export function copyRepository(t: TestContext): { folder: string; outside: string } {
  const outside = openFolder(t)
  const folder = join(outside, 'nano-gateway')
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  for (const file of files.filter((name) => existsSync(join(root, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return { folder, outside }
}

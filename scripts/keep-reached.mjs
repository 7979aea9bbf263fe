import { readFileSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Deletes declarations that no exported type refers to. */
export function keepReached(dist, entries) {
  const reached = new Set(entries)
  for (const file of reached) {
    for (const [, target] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g)) {
      reached.add(join(dirname(file), `${target}.d.ts`))
    }
  }
  for (const entry of readdirSync(dist, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && !reached.has(file)) rmSync(file)
  }
}

// Finds the tests that need nothing but Node, by their imports.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

/** The whole gateway, and the code that starts a database server. */
const SERVERS = ['src/app.ts', 'test/support/postgres.ts']

/** The files that each file imports, packages excluded, read once for all tests. */
const imports = new Map()

function importsOf(file) {
  if (!imports.has(file)) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    imports.set(
      file,
      [...text.matchAll(IMPORT)].map(([, path]) => join(dirname(file), path)),
    )
  }
  return imports.get(file)
}

function loads(file, wanted) {
  const seen = new Set()
  const waiting = [file]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (wanted.includes(next)) return true
    if (seen.has(next)) continue
    seen.add(next)
    waiting.push(...importsOf(next))
  }
  return false
}

/** True for a test next to the sources that starts no server: it runs in a moment on any system. */
export function isUnit(root, file) {
  const servers = SERVERS.map((server) => join(root, server))
  return file.startsWith('src/') && !loads(join(root, file), servers)
}

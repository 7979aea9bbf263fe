/*
 * Lets Node run the sources directly: `node --import ./scripts/typescript.mjs test/…`. Node removes the types itself, in half the time of a loader, also
 * in the store's threads. Pages (TSX) are translated once and cached. If Node cannot remove types, tsx does everything.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const KEPT = join(import.meta.dirname, '../node_modules/.cache/nano-gateway-pages')
const require = nodeModule.createRequire(import.meta.url)
const OPTIONS = { loader: 'tsx', jsx: 'automatic', jsxImportSource: 'preact', format: 'esm', target: 'node22' }

/** The result depends only on the text, so it is cached. */
function translate(file) {
  const text = readFileSync(file, 'utf8')
  const kept = join(KEPT, `${createHash('sha256').update(text).digest('hex')}.mjs`)
  if (existsSync(kept)) return readFileSync(kept, 'utf8')
  const { code } = require('esbuild').transformSync(text, OPTIONS)
  mkdirSync(KEPT, { recursive: true })
  // Written to a temporary file and renamed, because another process may read or write the file at the same time.
  const draft = `${kept}.${process.pid}.${performance.now()}`
  writeFileSync(draft, code)
  renameSync(draft, kept)
  return code
}

if (process.features.typescript && nodeModule.registerHooks) {
  nodeModule.registerHooks({
    load(url, context, next) {
      if (!url.startsWith('file:') || !url.endsWith('.tsx')) return next(url, context)
      return { format: 'module', shortCircuit: true, source: translate(fileURLToPath(url)) }
    },
  })
} else await import('tsx')

/*
 * Lets Node run the sources as they are: `node --import ./scripts/typescript.mjs test/…`. Node takes the types out by itself, in half the
 * time of a loader, in every thread of a store, too; pages, which it cannot read, are translated once and kept. Where Node cannot take types out,
 * tsx does it all.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const KEPT = join(import.meta.dirname, '../node_modules/.cache/nano-gateway-pages')
const require = nodeModule.createRequire(import.meta.url)
const OPTIONS = { loader: 'tsx', jsx: 'automatic', jsxImportSource: 'preact', format: 'esm', target: 'node22' }

/** Of the same text always the same: what was translated before is read. */
function translate(file) {
  const text = readFileSync(file, 'utf8')
  const kept = join(KEPT, `${createHash('sha256').update(text).digest('hex')}.mjs`)
  if (existsSync(kept)) return readFileSync(kept, 'utf8')
  const { code } = require('esbuild').transformSync(text, OPTIONS)
  mkdirSync(KEPT, { recursive: true })
  // Others may be at the same file: they find the whole or nothing.
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

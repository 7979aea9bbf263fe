// Writes the code with which pages verify a proof in the browser, from the gateway's own sources. Run by `made-sources.mjs`.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const file = join(root, 'src/web/assets/verify-proof.js')

const { outputFiles } = await build({
  stdin: {
    contents: `export { describeVerdict, verifyProof } from './src/kernel/nano/payment-proof.ts'`,
    resolveDir: root,
  },
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  legalComments: 'none',
  banner: {
    js: '/* Made by `npm run build`; holds @noble/curves and @noble/hashes, MIT, Paul Miller (paulmillr.com). */',
  },
  write: false,
})
// Written to a temporary file and renamed, because another process may read or write the file at the same time.
const draft = `${file}.${process.pid}`
writeFileSync(draft, outputFiles[0].text)
renameSync(draft, file)

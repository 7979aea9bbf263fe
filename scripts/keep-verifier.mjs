/*
 * Writes what pages load to verify a proof in the browser, from the sources of the gateway itself: `npm run keep-verifier`. A test
 * compares the kept file with the sources.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const file = 'src/web/assets/verify-proof.js'

export async function generate() {
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
      js: '/* Made by `npm run keep-verifier`; holds @noble/curves and @noble/hashes, MIT, Paul Miller (paulmillr.com). */',
    },
    write: false,
  })
  return { [file]: outputFiles[0].text }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [name, text] of Object.entries(await generate())) writeFileSync(join(root, name), text)
}

// Checks format, lint, types, architecture and commit subjects. Needs no services and takes a few seconds.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readySources } from './made-sources.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const tool = (name) => join(root, 'node_modules', name, 'bin', name)
/** TypeScript's incremental state: the next check looks only at changes, in a tenth of the time. */
const KNOWN_TYPES = join(root, '.cache', 'types.tsbuildinfo')
const TSC = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const fix = process.argv.includes('--fix')
const folders = ['src', 'test', 'bench', 'demo', 'scripts', 'bin']
const steps = [
  ['format', [tool('oxfmt'), fix ? '--write' : '--check', ...folders]],
  ['lint', [tool('oxlint'), '--type-aware', '--quiet', ...folders.filter((folder) => folder !== 'bin')]],
  ['types', [TSC, '-p', root, '--incremental', '--tsBuildInfoFile', KNOWN_TYPES]],
  ['tidy', ['--import', './scripts/typescript.mjs', '--test', '--test-reporter=dot', 'test/tidy.test.ts']],
  ['commits', [join(root, 'scripts', 'check-commits.mjs')]],
]

function run([name, args]) {
  return new Promise((resolve) => {
    const started = performance.now()
    let output = ''
    const child = spawn(process.execPath, args, { cwd: root })
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`)
      if (code !== 0) console.log(output.trimEnd())
      resolve(code === 0)
    })
  })
}

readySources()
const results = []
for (const step of steps) results.push(await run(step))
process.exit(results.every(Boolean) ? 0 : 1)

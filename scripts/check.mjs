// Format, lint, types and architecture in one go; no services, a few seconds.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const bin = (name) => join(root, 'node_modules', '.bin', name)
const fix = process.argv.includes('--fix')
const folders = ['src', 'test', 'bench', 'demo', 'scripts', 'bin']
const steps = [
  ['format', bin('oxfmt'), [fix ? '--write' : '--check', ...folders]],
  ['lint', bin('oxlint'), ['--type-aware', '--quiet', ...folders.filter((folder) => folder !== 'bin')]],
  ['types', process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', root]],
  ['tidy', process.execPath, ['--import', 'tsx', '--test', '--test-reporter=dot', 'test/tidy.test.ts']],
]

function run([name, command, args]) {
  return new Promise((resolve) => {
    const started = performance.now()
    let output = ''
    const child = spawn(command, args, { cwd: root })
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

const results = []
for (const step of steps) results.push(await run(step))
process.exit(results.every(Boolean) ? 0 : 1)

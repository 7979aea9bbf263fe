// Prints figures about the structure of the code, to compare before and after a change: `npm run measures`. `-- --walks` adds the number of files that a
// payment and a send pass through, `--names` their names.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { countWithOneImporter, exportsOf } from './exports.mjs'

const root = join(import.meta.dirname, '..')
const read = (file) => readFileSync(join(root, file), 'utf8')
const listed = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
const isTest = (file) => /\.test\.tsx?$/.test(file) || file.startsWith('test/')
const linesOf = (file) => read(file).split('\n').length - 1
const sum = (files) => files.reduce((total, file) => total + linesOf(file), 0)

const all = [...listed('src'), ...listed('test')]
// Generated files are not counted.
const sources = all.filter((file) => !isTest(file) && !file.startsWith('src/client/generated/'))
const tests = all.filter(isTest)

/** Runtime imports of a file; type imports do not count. */
function importsOf(file, pattern) {
  return [...read(file).matchAll(pattern)].map(([, path]) => join(dirname(file), path).replaceAll('\\', '/'))
}
const ALL = /^(?:import|export) [^'"]*?from '(\.[^']+)'/gm
const VALUES = /^(?:import|export) (?!type\b)(?!\{(?:\s*type \w+(?: as \w+)?,?)+\s*\})[^'"]*?from '(\.[^']+)'/gm

/** The longest chain of imports. Import cycles are reported. */
function longestChain(pattern) {
  const graph = new Map(sources.map((file) => [file, importsOf(file, pattern).filter((to) => sources.includes(to))]))
  const longest = new Map()
  const circles = []
  const walk = (file, path) => {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file])
    if (longest.has(file)) return
    let best = []
    for (const to of graph.get(file)) {
      walk(to, [...path, file])
      if ((longest.get(to)?.length ?? 0) > best.length) best = longest.get(to)
    }
    longest.set(file, [file, ...best])
  }
  for (const file of sources) walk(file, [])
  return { chain: [...longest.values()].sort((a, b) => b.length - a.length)[0], circles }
}

/** Functions that exceed the linter's line limit. Migrations are left out, because released ones never change. */
function longFunctions(most) {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-measures-'))
  const config = join(folder, 'oxlint.json')
  const rules = { 'max-lines-per-function': ['error', { max: most }] }
  writeFileSync(config, JSON.stringify({ plugins: [], categories: { correctness: 'off' }, rules }))
  const lint = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint')
  const { stdout } = spawnSync(process.execPath, [lint, '-c', config, '--format=unix', 'src'], {
    cwd: root,
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('src/') && !/^[^:]*(?:\.test\.tsx?|\/migrations\/)/.test(line))
}

const rootFiles = sources.filter((file) => file.split('/').length === 2)
const usual = [...read('CONTRIBUTING.md').matchAll(/^## (.*)\n\nFiles: ([\s\S]*?)\.\n\n/gm)].map(([, name, files]) => [
  name,
  files.match(/`[^`]+`/g).length,
])
const byValue = longestChain(VALUES)
const withTypes = longestChain(ALL)
const say = (name, value) => console.log(`${name.padEnd(52)}${value}`)

say('files of source, of tests', `${sources.length}, ${tests.length}`)
say(
  'lines of source, of tests, tests for one',
  `${sum(sources)}, ${sum(tests)}, ${(sum(tests) / sum(sources)).toFixed(2)}`,
)
say(
  'lines of src/app.ts, of all files at the root',
  `${linesOf('src/app.ts')}, ${sum(rootFiles)} (${rootFiles.length} files)`,
)
const exported = sources.reduce((total, file) => total + exportsOf(read(file)).length, 0)
const once = countWithOneImporter(root, sources)
say('exports, with one importer', `${exported}, ${once} (${Math.round((once / exported) * 100)} %)`)
say('longest chain of imports, with types', `${byValue.chain.length}, ${withTypes.chain.length}`)
say('circles of imports, with types', `${byValue.circles.length}, ${withTypes.circles.length}`)
say(
  'files over 350 lines',
  all
    .filter((file) => linesOf(file) > 350)
    .map((file) => `${file} (${linesOf(file)})`)
    .join(', ') || 'none',
)
say(
  'functions over 80 lines in src',
  longFunctions(80)
    .map((line) => line.split(':').slice(0, 2).join(':'))
    .join(', ') || 'none',
)
for (const [name, count] of usual) say(`files to touch: ${name.toLowerCase()}`, count)
if (process.argv.includes('--names')) {
  for (const { chain, circles } of [byValue, withTypes])
    console.log([chain, ...circles].map((files) => files.join(' → ')).join('\n'))
}
if (process.argv.includes('--walks')) {
  const { walkThrough } = await import('./measure-paths.mjs')
  for (const { name, files } of await walkThrough(root)) {
    const inModules = files.filter((file) => file.startsWith('src/modules/'))
    say(`files that ${name} passes, of these in modules`, `${files.length}, ${inModules.length}`)
    if (process.argv.includes('--names')) console.log(files.map((file) => `  ${file}`).join('\n'))
  }
}

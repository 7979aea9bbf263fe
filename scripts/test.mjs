// Runs the test suites, several at a time. Finds or installs the servers and browsers they need, and says which one is missing.
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { provide } from './test-needs.mjs'
import { runSuite } from './test-suite.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const unitOnly = process.argv.includes('--unit')
// What only time can find, as the chaos run and the fuzzer, gets its time.
if (process.argv.includes('--thorough')) process.env.THOROUGH = 'true'
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

/** Suites that take longest start first, so that none of them is left over for the end. */
const LONGEST =
  `test/pages test/chaos test/spec/part4 test/node test/stores test/wallets test/sim test/docs test/hostile`.split(' ')

/** A suite with fewer files is packed together with others, up to so many. */
const SMALL = 6
const PACKED = 12

function listTests(folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

/** A folder of `test`, a part of the specification, or all of `src`: its files share a process, a database server and a browser. */
function suiteOf(file) {
  const [top, folder, ...rest] = file.split('/')
  if (top !== 'test' || rest.length === 0) return top
  return /^test\/spec\/part\d/.exec(file)?.[0] ?? `${top}/${folder}`
}

function groupBySuite(files) {
  const suites = new Map()
  for (const file of files) {
    const name = suiteOf(file)
    suites.set(name, [...(suites.get(name) ?? []), file])
  }
  return pack([...suites].map(([name, files]) => ({ name, files })))
}

/** Small suites share a process: starting one, with its database server, takes longer than most of them. */
function pack(suites) {
  const packs = []
  for (const suite of suites) {
    const isSmall = suite.files.length < SMALL && !LONGEST.includes(suite.name)
    const last = packs.findLast(({ files, open }) => open && files.length + suite.files.length <= PACKED)
    if (isSmall && last) {
      last.name += `, ${suite.name}`
      last.files.push(...suite.files)
    } else packs.push({ ...suite, open: isSmall })
  }
  const rank = (name) => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length)
  return packs.sort((a, b) => rank(a.name) - rank(b.name))
}

/** Works off the suites, one more at a time than there are processors, because some wait; prints what each said when it has ended. */
async function runAll(suites) {
  const waiting = [...suites]
  const failed = []
  let broken = false
  const lane = async () => {
    for (let suite = waiting.shift(); suite; suite = waiting.shift()) {
      const result = await runSuite(root, suite.files)
      const left = waiting.length === 0 ? '' : `, ${waiting.length} more to begin`
      console.log(
        `\n── ${suite.name}: ${result.passed ? 'passed' : 'FAILED'} in ${result.seconds} s${left}\n${result.output}`,
      )
      failed.push(...result.failed)
      broken ||= !result.ended || (!result.passed && result.failed.length === 0)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, lane))
  return { failed, broken }
}

const wanted = named.length > 0 ? named : [...listTests('src'), ...(unitOnly ? [] : listTests('test'))]
const suites = groupBySuite(provide(wanted))
console.log(`${suites.length} suites; each is printed when it has ended.`)
const started = Date.now()
const { failed, broken } = await runAll(suites)
console.log(`\n${suites.length} suites in ${Math.round((Date.now() - started) / 1000)} s.`)
if (failed.length === 0 && !broken) process.exit(0)
// On a machine that others use as well, a test may run out of its time. It gets a second chance by itself, and is named, because
// a test that fails once in many runs is a bug of the test or of what it tests. A simulation that found a broken promise keeps it.
const names = failed.map((file) => relative(root, file))
console.log(`FAILED: ${names.join(', ') || 'see above'}.`)
const mayRepeat = !broken && names.length <= 3 && !names.some((file) => /^test\/(sim|chaos)\//.test(file))
if (!mayRepeat) process.exit(1)
console.log('Once more, alone:')
const second = await runSuite(root, failed)
console.log(second.output)
if (!second.passed) process.exit(1)
console.log(`UNSTEADY: ${names.join(', ')} failed once (see above) and passed alone. Please mend it.`)

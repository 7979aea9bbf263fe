import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ORDER } from '../src/guard/dispatch.ts'

/* Checks of the architecture: import directions, banned words, and that documents name existing files. */

const root = resolve(import.meta.dirname, '..')

function listFiles(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

const sources = listFiles('src', /\.tsx?$/).filter((file) => !/\.test\.tsx?$/.test(file))
const testCode = [...listFiles('test', /\.(?:tsx?|mjs)$/), ...listFiles('src', /\.test\.tsx?$/)]
const read = (file: string) => readFileSync(join(root, file), 'utf8')
/** Matching lines of test code, as `file:line`. */
const linesOfTests = (words: RegExp, except: readonly string[]) =>
  testCode
    .filter((file) => !except.includes(file))
    .flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((text, at) => (words.test(text) ? [`${file}:${at + 1}`] : [])),
    )

/** Earlier modules may be used by later ones, through their `index.ts`. */
const MODULE_ORDER =
  `names ledger accounts market reps webhooks work x402 wallets email checkout links pos billing usernames
  faucet swap admin`.split(/\s+/)

const LAYERS: Record<string, string[]> = {
  kernel: [],
  infra: ['kernel'],
  devnet: ['kernel'],
  web: ['kernel'],
  modules: ['kernel', 'web', 'modules'],
  client: ['kernel', 'infra'],
  exports: ['kernel', 'infra', 'client'],
  medusa: ['client'],
  testing: ['kernel', 'infra', 'devnet'],
  guard: ['kernel', 'modules'],
  http: ['kernel', 'web', 'modules', 'guard'],
  root: ['kernel', 'infra', 'devnet', 'web', 'modules', 'guard', 'http'],
}
/** Folders of the composition root, which may import everything. */
const ROOT = new Set(['app', 'config', 'store', 'processes', 'cli'])

function layerOf(file: string): string {
  const [, folder = '', inside] = file.split('/')
  return inside === undefined || ROOT.has(folder) ? 'root' : folder
}
const moduleOf = (file: string) => (layerOf(file) === 'modules' ? file.split('/')[2]! : undefined)

function importsOf(file: string): string[] {
  return [...read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    relative(root, resolve(root, dirname(file), match[1]!)),
  )
}

test('imports follow the direction of the layers', () => {
  const wrong: string[] = []
  for (const file of sources) {
    const layer = layerOf(file)
    if (!LAYERS[layer]) wrong.push(`${file} lies in an unknown layer`)
    for (const target of importsOf(file)) {
      const allowed = layerOf(target) === layer || LAYERS[layer]?.includes(layerOf(target))
      // Only the composition root uses the configuration's values; others may import its type.
      if (!allowed && target !== 'src/config/config.ts') wrong.push(`${file} imports ${target}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('a module imports only earlier modules, and only through their index.ts', () => {
  const wrong: string[] = []
  for (const file of sources) {
    const own = moduleOf(file)
    for (const target of importsOf(file)) {
      const other = moduleOf(target)
      if (other === undefined || other === own) continue
      const face = target === `src/modules/${other}/index.ts`
      // The composition root opens modules, and uses data that is needed before any is open, also in commands.
      const isRoots =
        layerOf(file) === 'root' &&
        /^src\/modules\/\w+\/(open|tables|settings|migrations\/index|routes|routes\/(described|api))\.tsx?$/.test(
          target,
        )
      if (!face && !isRoots) wrong.push(`${file} imports ${target} instead of the module's index.ts`)
      if (own !== undefined && MODULE_ORDER.indexOf(other) >= MODULE_ORDER.indexOf(own)) {
        wrong.push(`${file} imports the later module ${other}`)
      }
    }
  }
  assert.deepEqual(wrong, [])
})

test('who imports a function from the public API of a module loads none of its pages and routes', () => {
  const valuesOf = (file: string) =>
    [...read(file).matchAll(/^(?:import|export) (?!type\b)[^']*? from '(\.[^']+)'/gm)].map((match) =>
      relative(root, resolve(root, dirname(file), match[1]!)),
    )
  const wrong: string[] = []
  for (const face of sources.filter((source) => /^src\/modules\/\w+\/index\.ts$/.test(source))) {
    const loaded = new Set([face])
    for (const file of loaded) for (const target of valuesOf(file)) loaded.add(target)
    const shown = [...loaded].filter((file) => /^src\/modules\/\w+\/(pages|routes)\b/.test(file))
    if (shown.length > 0) wrong.push(`${face} leads to ${shown.join(', ')}`)
  }
  assert.deepEqual(wrong, [])
})

test("one file is one action, and its name is the action's; several are together if one function makes them all, or in a family of reads", () => {
  const wrong: string[] = []
  for (const file of sources.filter((source) => /^src\/modules\/\w+\/actions\//.test(source))) {
    const text = read(file)
    const made = [...text.matchAll(/^\w.* = (\w+)\(\n? *'\w+'/gm)].map((match) => match[1]!)
    if (made.length > 1 && text.includes(`\nfunction ${made[0]}(`) && new Set(made).size === 1) continue
    const names = [...text.matchAll(/^(?: {2,4}name: |\w.* = \w+\(\n? *)'(\w+)'/gm)].map((match) => match[1]!)
    const reads = text.match(/ = nodeRead\(/g)?.length ?? 0
    if (reads > 1 && reads >= names.length - 1) continue
    const [name] = names
    if (names.length !== 1 || !file.endsWith(`/${name!.replaceAll('_', '-')}.ts`)) {
      wrong.push(`${file} declares ${names.join(', ') || 'nothing'}`)
    }
  }
  assert.deepEqual(wrong, [])
})

const BANNED: { words: RegExp; instead: string; except: RegExp }[] = [
  {
    words: /\bDate\.now\(|\bMath\.random\(|\bset(?:Timeout|Interval)\(|(?<![.\w])fetch\(|\brandomUUID\(/,
    instead: 'the clock, random and network ports',
    // Code that runs in other people's programs.
    except: /^src\/(infra|web|client|medusa|processes|testing)\//,
  },
  { words: /process\.env\b/, instead: 'the Config', except: /^src\/(config\/config|infra\/work\/card\/process)\.ts$/ },
  // Modules declare routes as plain data (`src/kernel/route.ts`).
  { words: /'@?fastify(?:\/[^']*)?'/, instead: 'src/http', except: /^src\/http\// },
  {
    words: /'node:http2?'/,
    instead: 'src/http',
    except: /^src\/(http\/|infra\/|devnet\/(server|websocket)\.ts)/,
  },
  { words: /\bas any\b|: any\b|@ts-(ignore|nocheck)/, instead: 'a type', except: /^$/ },
  { words: /\b(TODO|FIXME|XXX)\b/, instead: 'doing it, or an issue', except: /^$/ },
]

test('time, randomness, network and environment are touched in one place only', () => {
  const wrong: string[] = []
  for (const file of sources) {
    for (const { words, instead, except } of BANNED) {
      const line = read(file)
        .split('\n')
        .findIndex((text) => words.test(text))
      if (line >= 0 && !except.test(file)) wrong.push(`${file}:${line + 1} says ${words}; use ${instead}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('a test makes a wrong key or address with `another`, which never hits the right one by chance', () => {
  const wrong = linesOfTests(/\.slice\(0, -\d+\)(?:\}[\w!]|\s*\+\s*['"`])/, ['test/support/another.ts'])
  assert.deepEqual(wrong, [])
})

/** Files that use real randomness, with the reason. */
const CHANCE: Record<string, string[]> = {
  'makes the seed': ['test/support/random.ts'],
  'a port is free or not beside other processes': ['test/support/free-port.ts'],
  'a ledger that was given remembers the accounts of earlier runs': ['test/chaos/world.ts', 'test/scenario/run.ts'],
  'a process of its own: two on one store may not make the same ids': [
    'test/chaos/instance-process.ts',
    'test/power/make-key.ts',
    ...['devnet-process', 'holding-gateway', 'store-writer', 'wallet-process'].map((name) => `test/support/${name}.ts`),
  ],
}

test('what a test makes at random comes from the printed seed (`testRandom`, `SeededRandom`), which repeats it', () => {
  const words =
    /\bsystemRandom\b|\brandom(?:Bytes|Int|UUID|Fill\w*)\b|\bMath\.random\b|\bgetRandomValues\b|\bgenerateKey\w*/
  assert.deepEqual(linesOfTests(words, Object.values(CHANCE).flat()), [])
  // Unused exceptions must be removed.
  const unused = Object.values(CHANCE)
    .flat()
    .filter((file) => !words.test(read(file)))
  assert.deepEqual(unused, [])
})

/**
 * An error is reported, rethrown, or recorded as a loss with a reason (`Failures`); it must not be dropped. Code that returns nothing because something
 * could not be read must say why in a comment.
 */
const NOTHING = String.raw`(?:undefined|null|void 0|true|false|\[\]|''|\{\s*(?:\/\/[^\n]*\s*)*\})`
const DROPPED: { pattern: RegExp; what: string }[] = [
  {
    pattern: new RegExp(String.raw`\.catch\(\s*(?:async )?\(\w*\)(?:: \w+)? => \(?${NOTHING}\)?,?\s*\)`, 'g'),
    what: 'a bare catch',
  },
  { pattern: /\.catch\(\s*(?:noop|ignore|Function\.prototype)\b/g, what: 'a bare catch' },
  {
    pattern: new RegExp(String.raw`\.then\([^;]{0,400}?,\s*\(\w*\) => ${NOTHING},?\s*\)`, 'g'),
    what: 'a rejection that is dropped',
  },
  {
    pattern: new RegExp(String.raw`\.on\('error', \(\w*\) => ${NOTHING}\)`, 'g'),
    what: 'an error event that is dropped',
  },
  { pattern: /^\s*(?:await |void )?Promise\.allSettled\(/gm, what: 'outcomes that nobody looks at' },
  { pattern: /\bcatch(?: \(\w+\))? \{\s*(?:\/\/[^\n]*\s*)*\}/g, what: 'an empty catch' },
  {
    pattern: /\bcatch(?: \(\w+\))? \{\s*return(?: undefined| null| false| \[\])?;?\s*\}/g,
    what: 'a catch that answers nothing without a reason',
  },
]
/** These fall through to a common error, or concern nothing important: a thread's priority. */
const FALLS_THROUGH =
  /^src\/(kernel\/setting|modules\/wallets\/domain\/master-keys|infra\/vanity\/search-worker|infra\/work\/card\/device-process)\.ts$/
/** The only place that may ignore a promise's outcome, because another holder handles it. */
const WAITS = 'src/kernel/when-over.ts'

const findDropped = (text: string) =>
  DROPPED.flatMap(({ pattern, what }) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => {
      const blank = found.length - found.trimStart().length
      return { what, line: text.slice(0, index + blank).split('\n').length }
    }),
  )

test('no error is dropped: every failure is reported', () => {
  const wrong = sources
    .filter((file) => file !== WAITS && !FALLS_THROUGH.test(file))
    .flatMap((file) => findDropped(read(file)).map(({ what, line }) => `${file}:${line} has ${what}; use Failures`))
  assert.deepEqual(wrong, [])
})

test('every way to drop an error is seen, and nothing else is taken for one', () => {
  const drops = [
    'work().catch(() => undefined)',
    'work().catch(() => {})',
    'work().catch((_error) => null)',
    'work().catch(() => false)',
    'work().catch(() => [])',
    'work()\n  .catch(() => {\n    // fine\n  })',
    'work().catch(noop)',
    'work().then(\n  (found) => found,\n  () => undefined,\n)',
    "socket.on('error', () => undefined)",
    '  await Promise.allSettled(all)',
    'try {\n  work()\n} catch {}',
    'try {\n  work()\n} catch (error) {\n  // never mind\n}',
    'try {\n  work()\n} catch {\n  return undefined\n}',
    'try {\n  work()\n} catch {\n  return\n}',
  ]
  for (const text of drops) assert.equal(findDropped(text).length, 1, text)
  const fine = [
    "work().catch(failures.lost('wallets.lease'))",
    'work().catch((error: unknown) => tell(error))',
    "work().catch(() => 'nobody knows' as const)",
    'work().then(() => again(), tell)',
    "socket.on('error', () => socket.terminate())",
    'const outcomes = await Promise.allSettled(all)',
    'try {\n  work()\n} catch {\n  throw invalidBlock()\n}',
    'try {\n  work()\n} catch {\n  // Not a token.\n  return undefined\n}',
    'try {\n  work()\n} catch (error) {\n  tell(error)\n  return undefined\n}',
  ]
  for (const text of fine) assert.deepEqual(findDropped(text), [], text)
})

test('no file is named after nothing in particular', () => {
  const vague = /(^|[/-])(utils?|common|manager|service|misc|helpers?|types)\.tsx?$/
  assert.deepEqual(
    [...sources, ...listFiles('test', /\.ts$/)].filter((file) => vague.test(file)),
    [],
  )
})

test('nothing is exported that no other file imports', async () => {
  const { findUnusedExports } = (await import(pathToFileURL(join(root, 'scripts/exports.mjs')).href)) as {
    findUnusedExports(root: string): Record<string, string[]>
  }
  assert.deepEqual(findUnusedExports(root), {})
})

test('every module has tests beside it, so that `npm run test:quick` says something of each', async () => {
  const { isUnit } = (await import(pathToFileURL(join(root, 'scripts/test-imports.mjs')).href)) as {
    isUnit(root: string, file: string): boolean
  }
  const tests = listFiles('src/modules', /\.test\.tsx?$/).filter((file) => isUnit(root, file))
  const modules = readdirSync(join(root, 'src/modules'))
  assert.deepEqual(
    modules.filter((name) => !tests.some((file) => moduleOf(file) === name)),
    [],
  )
})

test('the page about the architecture has the order of a request as it is executed', () => {
  const rows = [...read('ARCHITECTURE.md').matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, what]) => ({
    name,
    what,
  }))
  assert.deepEqual(
    rows,
    ORDER.map(({ name, what }) => ({ name, what })),
  )
})

test('documents name files that exist', () => {
  const documents = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...listFiles('docs', /\.md$/),
  ].filter((file) => existsSync(join(root, file)))
  const gone: string[] = []
  for (const file of documents) {
    for (const match of read(file).matchAll(/(?:\]\(|src=")(?!https?:|#|mailto:)([^)#\s"]+)/g)) {
      if (!existsSync(resolve(root, dirname(file), match[1]!))) gone.push(`${file} links to ${match[1]}`)
    }
    for (const match of read(file).matchAll(/`((?:src|test|bench|docs|scripts)\/[\w./-]+\.(?:tsx?|md|mjs|json))`/g)) {
      if (!existsSync(join(root, match[1]!))) gone.push(`${file} names ${match[1]}`)
    }
  }
  assert.deepEqual(gone, [])
})

test('the README leads to every guide, and its pictures are small', () => {
  const text = read('README.md')
  const guides = listFiles('docs', /\.md$/).filter((file) => file.split('/').length === 2)
  const wanted = [...guides, 'docs/contract/README.md', 'docs/decisions/', 'SECURITY.md', 'CHANGELOG.md']
  assert.deepEqual(
    wanted.filter((file) => !text.includes(`](${file})`)),
    [],
  )
  const heavy = listFiles('docs/pictures', /./).filter((file) => statSync(join(root, file)).size > 150_000)
  assert.deepEqual(heavy, [])
})

// Without a checksum, the registry could deliver different contents on any day.
test('every package of the lock file is held to its contents', () => {
  interface Lock {
    packages: Record<string, { version: string; integrity?: string; link?: boolean; resolved?: string }>
  }
  const { '': own, ...packages } = (JSON.parse(read('package-lock.json')) as Lock).packages
  const versionOf = (file: string) => (JSON.parse(read(file)) as { version: string }).version
  assert.equal(own!.version, versionOf('package.json'))
  const ours = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)
  for (const folder of ours) {
    assert.deepEqual([packages[folder]?.version, versionOf(`${folder}/package.json`)], [own!.version, own!.version])
    delete packages[folder]
  }
  const isOurs = ({ link, resolved }: Lock['packages'][string]) => link === true && ours.includes(resolved ?? '')
  const loose = Object.entries(packages).filter(
    ([, entry]) => !isOurs(entry) && !/^sha512-[\w+/]{86}==$/.test(entry.integrity ?? ''),
  )
  assert.deepEqual(
    loose.map(([name]) => name),
    [],
  )
  assert.ok(Object.keys(packages).length > 100)
})

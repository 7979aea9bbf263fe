// Groups test files that run in one process.

/** The longest suites start first, so that none of them runs alone at the end. */
const LONGEST = [
  ...[
    'test/chaos',
    'test/medusa',
    'test/scenario',
    'test/pages/l-z',
    'test/pages/a-k',
    'test/client',
    'test/integrations',
    'test/spec/part4',
    'test/stores',
    'test/node',
    'test/start',
    'test/docs',
    'test/work',
  ],
  ...[
    'src/modules/wallets',
    'test/sim',
    'test/devnet',
    'test/cluster',
    'src/modules/checkout',
    'test/spec/part6',
    'test/hostile',
    'test/http',
  ],
]

/** Suites with fewer files are merged up to this size, because starting a process takes as long as three tests. */
const SMALL = 12
const PACKED = 30

/**
 * The suite of a file: a folder of `test` or `src`, a module, an adapter, or a part of the contract. Its files share a process, a database server and a
 * browser.
 */
function suiteOf(file) {
  const [top, folder, ...rest] = file.split('/')
  if (rest.length === 0) return top
  // Tests with a browser mostly wait. In a single process they would end long after all others.
  if (folder === 'pages') return `test/pages/${rest[0] < 'l' ? 'a-k' : 'l-z'}`
  // This file takes as long as all other simulations together.
  if (file === 'test/sim/watches.test.ts') return 'test/sim/watches'
  return /^(?:test\/spec\/part\d|src\/(?:modules|infra)\/\w+(?=\/))/.exec(file)?.[0] ?? `${top}/${folder}`
}

export function groupBySuite(files) {
  const suites = new Map()
  for (const file of files) {
    const name = suiteOf(file)
    suites.set(name, [...(suites.get(name) ?? []), file])
  }
  return pack([...suites].map(([name, files]) => ({ name, files })))
}

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

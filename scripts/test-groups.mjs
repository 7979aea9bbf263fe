// Which test files run together in one process.

/** Suites that take longest start first, so that none of them is left over for the end. */
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

/** A suite with fewer files is packed together with others, up to so many: each process pays for its start with the work of three tests. */
const SMALL = 12
const PACKED = 30

/** A folder of `test` or `src`, a module, an adapter, or a part of the specification: its files share a process, a database server and a browser. */
function suiteOf(file) {
  const [top, folder, ...rest] = file.split('/')
  if (rest.length === 0) return top
  // Browsers wait more than they work: in one process after the other their pages would be the last to end, long after all else.
  if (folder === 'pages') return `test/pages/${rest[0] < 'l' ? 'a-k' : 'l-z'}`
  // Half of all the simulations, which are the longest of a thorough run as it is.
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

// Which test files run together in one process.

/** Suites that take longest start first, so that none of them is left over for the end. */
const LONGEST =
  `test/pages/l-z test/pages/a-k test/chaos test/medusa test/spec/part4 test/node test/stores src/modules/wallets test/sim/watches test/sim test/docs test/hostile src/infra/work src/modules/checkout`.split(
    ' ',
  )

/** A suite with fewer files is packed together with others, up to so many. */
const SMALL = 6
const PACKED = 12

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

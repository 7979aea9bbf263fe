// Prints every row and rule of the contract with the tests that cite it, in a title or next to an assertion (`row(…)`). `--check` prints only problems:
// rows that no test in `test/spec` cites, where tests call a running gateway; citations of a heading, of rows that do not exist, or of a field that the
// test never reads; and rules with the same number.
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PARTS = [1, 2, 3, 4, 5, 6, 7, 8, 9]

const plain = (cell) =>
  cell
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()

/** The cells of a table row; `\|` is a bar inside code. */
const cellsOf = (line) =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())

/** Every statement of the contract that a test can check: table rows, numbered rules, lists of actions. */
export function readRows() {
  const rows = []
  for (const part of PARTS) {
    const lines = readFileSync(join(root, `docs/contract/part-${part}.md`), 'utf8').split('\n')
    let heading = ''
    let section = String(part)
    lines.forEach((line, at) => {
      const title = /^#{2,4} (.*)$/.exec(line)?.[1]
      if (title !== undefined) {
        section = /^(\d\.\d+) /.exec(plain(title))?.[1] ?? section
        heading = plain(title).replace(/^\d\.\d+ /, '')
        return
      }
      const rule = /^(\d+)\. (.*)$/.exec(line)
      if (rule) {
        let text = rule[2]
        for (let next = at + 1; /^ {2,}\S/.test(lines[next] ?? ''); next++) text += ` ${lines[next].trim()}`
        rows.push({ section, heading, key: `rule ${rule[1]}`, rule: Number(rule[1]), text: plain(text) })
        return
      }
      // The table of contents of part 4 is skipped.
      if (!line.startsWith('|') || heading === '') return
      const isHead = /^\|[-| :]+\|$/.test(lines[at + 1] ?? '')
      const cells = cellsOf(line)
      if (isHead || /^[-: ]+$/.test(cells[0]) || cells[0] === '') return
      rows.push({ section, heading, key: plain(cells[0]), text: plain(cells.slice(1).filter(Boolean).join(' · ')) })
    })
  }
  return numbered(rows)
}

/** Rows of one heading that begin alike are numbered: `active 2` is the second one that begins with `active`. */
function numbered(rows) {
  const titleOf = ({ section, heading, key }) => `${section}, ${heading}: ${key}`
  const counts = new Map()
  for (const row of rows) counts.set(titleOf(row), (counts.get(titleOf(row)) ?? 0) + 1)
  const seen = new Map()
  return rows.map((row) => {
    if (counts.get(titleOf(row)) === 1 || row.rule !== undefined) return row
    seen.set(titleOf(row), (seen.get(titleOf(row)) ?? 0) + 1)
    return { ...row, key: `${row.key} ${seen.get(titleOf(row))}` }
  })
}

function listTests() {
  return ['src', 'test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && /\.test\.tsx?$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    .sort()
}

const numbersOf = (text) =>
  text
    .replace(/^rules? /, '')
    .split(/, | and /)
    .flatMap((range) => {
      const [first, last = first] = range.split(' to ').map(Number)
      return Array.from({ length: last - first + 1 }, (_, at) => first + at)
    })

/** Parses `4.1, rules 2 and 3` or `2, Price: symbol, currency`. */
function readCitation(one) {
  const [, section, what] = /^(\d(?:\.\d+)?), (.+)$/s.exec(one.trim()) ?? []
  if (section === undefined) return undefined
  if (/^rules? \d/.test(what)) return { section, one, rules: numbersOf(what) }
  const [, heading, key] = /^(.*?)(?:: (.*))?$/s.exec(what)
  return { section, one, heading, keys: key?.split(', ') ?? [] }
}

const TITLE = /\b(?:test|it|describe)\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g
const ROW = /\brow\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g

/** The citations of tests: titles that end in `(contract 4.1, rules 2 and 3; 2, Price: source)`, and `row('2, Price: source', …)`. */
export function readCitations() {
  const citations = []
  for (const file of listTests()) {
    const source = readFileSync(file, 'utf8')
    const found = [...source.matchAll(TITLE)]
    // All words of the file, except in its citations.
    const words = source.replaceAll(TITLE, 'test(').replaceAll(ROW, 'row(')
    found.forEach(([, , title], at) => {
      const body = source.slice(found[at].index + found[at][0].length, found[at + 1]?.index)
      const inside = /\(contract ([^()]*(?:\([^()]*\)[^()]*)*)\)\s*$/.exec(title)?.[1] ?? ''
      const named = [
        ...inside.split(/; (?:contract )?/),
        ...[...body.matchAll(ROW)].flatMap(([, , name]) => name.split('; ')),
      ]
      for (const citation of named.map(readCitation).filter(Boolean)) {
        const test = { title: title.replace(/\s*\(contract .*$/, ''), file: relative(root, file), words }
        citations.push({ ...citation, ...test })
      }
    })
  }
  return citations
}

/** The fields of a row that a citation names. A row may have several, and each needs its own assertion. */
function namesOf(row, citation) {
  if (citation.section !== row.section && citation.section !== row.section[0]) return []
  if (citation.rules) return citation.section === row.section && citation.rules.includes(row.rule) ? [row.key] : []
  if (row.rule !== undefined || citation.heading !== row.heading) return []
  return row.key.split(', ').filter((name) => citation.keys.includes(name))
}

/** A file that cites a field but never mentions it elsewhere proves nothing about it. */
function neverRead({ keys = [], words }) {
  return keys.filter((key) => /^[a-z]+(_[a-z]+)+$/.test(key) && !words.includes(key))
}

export function cover(rows, citations) {
  const covered = rows.map((row) => {
    const tests = citations.filter((citation) => namesOf(row, citation).length > 0)
    const names = tests.filter(asksGateway).flatMap((citation) => namesOf(row, citation))
    const missing = (row.rule === undefined ? row.key.split(', ') : [row.key]).filter((name) => !names.includes(name))
    return { ...row, tests, missing }
  })
  const wrong = citations.flatMap((citation) => {
    const { rules, keys = [], heading } = citation
    const mine = rows.filter((row) => namesOf(row, citation).length > 0)
    const known = new Set(mine.flatMap((row) => namesOf(row, citation)))
    const unknown = rules
      ? rules.filter((rule) => !mine.some((row) => row.rule === rule)).map((rule) => `rule ${rule}`)
      : keys.filter((key) => !known.has(key))
    return [
      ...(rules || keys.length > 0 ? [] : [`cites the heading ${heading}, not a row of it`]),
      ...unknown.map((key) => `cites ${key} of ${citation.one}, which the contract does not have`),
      ...neverRead(citation).map((key) => `cites ${key} of ${citation.one}, and never reads it`),
    ].map((what) => ({ ...citation, what }))
  })
  return { covered, wrong }
}

/** Rules with the same number in one section: a citation would cover both but prove only one. */
export function listTwice(rows) {
  const titles = rows.filter(({ rule }) => rule !== undefined).map(({ section, key }) => `${section}, ${key}`)
  return [...new Set(titles.filter((title, at) => titles.indexOf(title) !== at))]
}

/** Tests in `test/spec` call a running gateway over HTTP. Other tests may cite a row in addition, but not instead. */
const asksGateway = ({ file }) => file.startsWith('test/spec/')
export const isHeld = ({ missing }) => missing.length === 0

const escapeBar = (text) => text.replaceAll('|', '\\|')
const shorten = (text) => (text.length > 140 ? `${text.slice(0, 137)}…` : text)

function write({ covered }) {
  const held = covered.filter(isHeld).length
  const lines = [
    '# What the contract says, and which test holds it',
    '',
    `${covered.length} rows and rules, ${held} of them asserted over HTTP against a running gateway in \`test/spec\`.`,
  ]
  let heading
  for (const row of covered) {
    const title = `${row.section}, ${row.heading}`
    if (title !== heading) lines.push('', `## ${title}`, '', '| row | says | test |', '|---|---|---|')
    heading = title
    const seen = new Set()
    const tests = row.tests
      .filter(({ title, file }) => !seen.has(`${file} ${title}`) && seen.add(`${file} ${title}`))
      .sort((one, other) => asksGateway(other) - asksGateway(one))
      .slice(0, 4)
      .map(({ title, file }) => `${escapeBar(title)} (${file})`)
    lines.push(`| ${escapeBar(row.key)} | ${escapeBar(shorten(row.text))} | ${tests.join('<br>')} |`)
  }
  return `${lines.join('\n')}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const result = cover(readRows(), readCitations())
  const isCheck = process.argv.includes('--check')
  if (!isCheck) console.log(write(result))
  for (const { file, title, what } of result.wrong) console.log(`${file}: “${title}” ${what}.`)
  const empty = result.covered.filter((row) => !isHeld(row))
  for (const { section, heading, missing } of empty)
    console.log(`no test: ${section}, ${heading}: ${missing.join(', ')}`)
  const twice = listTwice(result.covered)
  for (const title of twice) console.log(`two rules have one number: ${title}`)
  console.log(`${result.covered.length - empty.length} of ${result.covered.length} rows have a test in test/spec.`)
  if (isCheck && result.wrong.length + empty.length + twice.length > 0) process.exitCode = 1
}

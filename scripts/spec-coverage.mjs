// Prints every row and rule of the contract with the tests whose titles cite it.
// `--check` only says which rows no test of `test/spec` cites, where tests ask a running gateway.
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

/** The cells of a table row; a bar in code is written `\|`. */
const cellsOf = (line) =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())

/** Everything the contract says that can be true or false: rows of tables, numbered rules, lists of actions. */
export function readRows() {
  const rows = []
  for (const part of PARTS) {
    const lines = readFileSync(join(root, `docs/contract/part-${part}.md`), 'utf8').split('\n')
    let heading = ''
    let section = String(part)
    lines.forEach((line, at) => {
      const title = /^#{2,4} (.*)$/.exec(line)?.[1]
      if (title !== undefined) {
        section = /^(\d\.\d) /.exec(plain(title))?.[1] ?? section
        heading = plain(title).replace(/^\d\.\d /, '')
        return
      }
      const rule = /^(\d+)\. (.*)$/.exec(line)
      if (rule) {
        let text = rule[2]
        for (let next = at + 1; /^ {2,}\S/.test(lines[next] ?? ''); next++) text += ` ${lines[next].trim()}`
        rows.push({ section, heading, key: `rule ${rule[1]}`, rule: Number(rule[1]), text: plain(text) })
        return
      }
      // The table that lists the sections of part 4 says nothing by itself.
      if (!line.startsWith('|') || heading === '') return
      const isHead = /^\|[-| :]+\|$/.test(lines[at + 1] ?? '')
      const cells = cellsOf(line)
      if (isHead || /^[-: ]+$/.test(cells[0]) || cells[0] === '') return
      // Two columns of equal kind, as in the lists of texts, are two rows.
      rows.push({ section, heading, key: plain(cells[0]), text: plain(cells.slice(1).filter(Boolean).join(' · ')) })
    })
  }
  return rows
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

/** What titles cite: `(contract 4.1, rules 2 and 3; 2, Balance object; 2, Price: source)`. */
export function readCitations() {
  const citations = []
  for (const file of listTests()) {
    const source = readFileSync(file, 'utf8')
    const titles = source.matchAll(/\b(?:test|it|describe)\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g)
    for (const [, , title] of titles) {
      const inside = /\(contract ([^()]*(?:\([^()]*\)[^()]*)*)\)\s*$/.exec(title)?.[1]
      if (inside === undefined) continue
      for (const one of inside.split(/; (?:contract )?/)) {
        const [, section, what] = /^(\d(?:\.\d)?), (.+)$/.exec(one.trim()) ?? []
        if (section === undefined) continue
        const isRules = /^rules? \d/.test(what)
        const [, heading, key] = isRules ? [] : /^(.*?)(?:: (.*))?$/.exec(what)
        citations.push({
          title: title.replace(/\s*\(contract .*$/, ''),
          file: relative(root, file),
          section,
          one,
          ...(isRules ? { rules: numbersOf(what) } : { heading, key }),
        })
      }
    }
  }
  return citations
}

export function cover(rows, citations) {
  const cites = (citation, row) => {
    if (citation.section !== row.section && citation.section !== row.section[0]) return false
    if (citation.rules)
      return row.rule !== undefined && citation.section === row.section && citation.rules.includes(row.rule)
    if (row.rule !== undefined || citation.heading !== row.heading) return false
    return citation.key === undefined || citation.key.split(', ').some((key) => row.key.split(', ').includes(key))
  }
  const covered = rows.map((row) => ({ ...row, tests: citations.filter((citation) => cites(citation, row)) }))
  const wrong = citations.filter((citation) => !rows.some((row) => cites(citation, row)))
  return { covered, wrong }
}

/** Tests that ask a running gateway over HTTP live in `test/spec`; others may hold a row as well, never instead. */
const asksGateway = ({ file }) => file.startsWith('test/spec/')
export const isHeld = ({ tests }) => tests.some(asksGateway)

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
  for (const { file, title, one } of result.wrong)
    console.log(`${file}: “${title}” cites ${one}, which the contract does not have.`)
  const empty = result.covered.filter((row) => !isHeld(row))
  for (const { section, heading, key, tests } of empty)
    console.log(`${tests.length === 0 ? 'no test' : 'no test in test/spec'}: ${section}, ${heading}: ${key}`)
  console.log(`${result.covered.length - empty.length} of ${result.covered.length} rows have a test in test/spec.`)
  if (isCheck && (result.wrong.length > 0 || empty.length > 0)) process.exitCode = 1
}

// Single wrong lines: what a slip of a hand could have made of a line of source.
import { stripTypeScriptTypes } from 'node:module'

/** Each turns a line into another that still parses, or answers undefined where it does not apply. */
const SLIPS = [
  { name: 'condition inverted', of: invertedIf },
  { name: 'guard removed', of: (line) => replaced(line, /^(\s*)if \(.*\) (?:throw|return)\b.*[^{([,]$/, '$1') },
  { name: 'condition of a query removed', of: (line) => replaced(line, /^(\s*)\.where\(.*\)$/, '$1', balanced) },
  {
    name: 'call removed',
    of: (line) => replaced(line, /^(\s*)(?:await |void )?[a-z#][\w.!?]*\(.*\)$/, '$1', balanced),
  },
  { name: '=== made !==', of: (line) => replaced(line, / === /, ' !== ') },
  { name: '!== made ===', of: (line) => replaced(line, / !== /, ' === ') },
  { name: '&& made ||', of: (line) => replaced(line, / && (?!\{)/, ' || ') },
  { name: '|| made &&', of: (line) => replaced(line, / \|\| /, ' && ') },
  { name: '< made <=', of: (line) => replaced(line, / < /, ' <= ') },
  { name: '<= made <', of: (line) => replaced(line, / <= /, ' < ') },
  { name: '> made >=', of: (line) => replaced(line, / > /, ' >= ') },
  { name: '>= made >', of: (line) => replaced(line, / >= /, ' > ') },
  { name: '+ made -', of: (line) => replaced(line, /(?<=[\w)\]]) \+ (?=[\w(])/, ' - ') },
  { name: '- made +', of: (line) => replaced(line, /(?<=[\w)\]]) - (?=[\w(])/, ' + ') },
  { name: 'true made false', of: (line) => replaced(line, /\btrue\b/, 'false') },
  { name: 'false made true', of: (line) => replaced(line, /\bfalse\b/, 'true') },
]

/** The condition of an `if` ends where its bracket closes, which may be before the end of the line. */
function invertedIf(line) {
  const start = /^\s*(?:\} else )?if \(/.exec(line)?.[0].length
  if (start === undefined) return undefined
  let depth = 1
  let end = start
  for (; end < line.length && depth > 0; end++) depth += line[end] === '(' ? 1 : line[end] === ')' ? -1 : 0
  if (depth > 0) return undefined
  return `${line.slice(0, start)}!(${line.slice(start, end - 1)})${line.slice(end - 1)}`
}

function replaced(line, pattern, by, holds = () => true) {
  if (!pattern.test(line) || !holds(line)) return undefined
  const other = line.replace(pattern, by)
  return other === line ? undefined : other
}

/** A line whose brackets close on it can go without leaving half a statement behind. */
function balanced(line) {
  const count = (signs) => [...line].filter((sign) => signs.includes(sign)).length
  return count('(') === count(')') && count('[') === count(']')
}

/** Lines that only speak of types, texts and documents change nothing that a test could see. */
const SILENT =
  /^\s*(?:\/\/|\/\*|\*|import |export (?:type|interface)|interface |type |summary:|description:|[a-z_]+\??: (?:string|number|boolean|bigint|Raw)\b)/

/** Every slip that could be made in a file: line, what it said, what it says. */
export function listSlips(file, source) {
  return source.split('\n').flatMap((line, at) => {
    if (SILENT.test(line) || line.trim() === '') return []
    // Inside a text, a sign is only a sign.
    const bare = line.replaceAll(/'[^']*'|`[^`]*`/g, (text) => '·'.repeat(text.length))
    return SLIPS.flatMap(({ name, of }) => {
      if (of(bare) === undefined) return []
      const mutated = of(line)
      return mutated === undefined ? [] : [{ file, line: at + 1, slip: name, was: line.trim(), is: mutated }]
    })
  })
}

/** What no engine would read is no slip that a test has to find. */
export function parses(source) {
  try {
    stripTypeScriptTypes(source)
    return true
  } catch {
    return false
  }
}

/** The source with one slip in it. */
export function slipped(source, { line, is }) {
  const lines = source.split('\n')
  lines[line - 1] = is
  return lines.join('\n')
}

/** Numbers in the same order for the same seed. */
export function seeded(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function shuffled(list, random) {
  const result = [...list]
  for (let at = result.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[result[at], result[other]] = [result[other], result[at]]
  }
  return result
}

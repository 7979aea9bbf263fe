// Mutations: single wrong lines, as a slip of the hand could make them.
import { stripTypeScriptTypes } from 'node:module'

/** Each mutation returns a line that still parses, or undefined if it does not apply. */
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

/** Finds the bracket that closes the condition of an `if`; it may not be the last one of the line. */
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

/** A line with balanced brackets can be removed without leaving half a statement. */
function balanced(line) {
  const count = (signs) => [...line].filter((sign) => signs.includes(sign)).length
  return count('(') === count(')') && count('[') === count(']')
}

/** Lines with only types, strings or documentation: a test cannot see their mutations. */
const SILENT =
  /^\s*(?:\/\/|\/\*|\*|import |export (?:type|interface)|interface |type |summary:|description:|[a-z_]+\??: (?:string|number|boolean|bigint|Raw)\b)/

/** Every mutation of a file: line, text before and after. */
export function listSlips(file, source) {
  return source.split('\n').flatMap((line, at) => {
    if (SILENT.test(line) || line.trim() === '') return []
    // Operators inside strings are not mutated.
    const bare = line.replaceAll(/'[^']*'|`[^`]*`/g, (text) => '·'.repeat(text.length))
    return SLIPS.flatMap(({ name, of }) => {
      if (of(bare) === undefined) return []
      const mutated = of(line)
      return mutated === undefined ? [] : [{ file, line: at + 1, slip: name, was: line.trim(), is: mutated }]
    })
  })
}

/** Mutations that do not parse are dropped. */
export function parses(source) {
  try {
    stripTypeScriptTypes(source)
    return true
  } catch {
    return false
  }
}

/** The source with one mutation applied. */
export function slipped(source, { line, is }) {
  const lines = source.split('\n')
  lines[line - 1] = is
  return lines.join('\n')
}

/** Random numbers that are the same for the same seed. */
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

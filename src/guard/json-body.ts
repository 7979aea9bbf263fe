import { AppError } from '../kernel/errors.ts'
import { toPlainDecimal } from '../kernel/money.ts'
import { refuseNul } from '../kernel/refuse-nul.ts'

const DEPTH_MAX = 20

/** Parses a request body, whatever its content type says; refuses anything but an object of bounded depth. */
export function parseBody(text: string): Record<string, unknown> {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid_json', 'Unable to parse JSON', { body: { detail: 'The body must be a JSON object.' } })
  }
  const body = value as Record<string, unknown>
  // In JSON, NUL can only appear as an escape, so most bodies skip the search. Unknown actions are refused later.
  if (text.includes('\\u0000')) refuseNul({ ...body, action: undefined })
  return body
}

/** Parses JSON of limited depth; `around` is the depth of a batch around its requests. */
export function parseJson(text: string, around = 0): unknown {
  if (exceedsDepth(text, DEPTH_MAX + around)) throw new AppError('invalid_json', 'Max JSON depth exceeded')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new AppError('invalid_json', 'Unable to parse JSON')
  }
  return LONG_NUMBER.test(text) ? JSON.parse(text.replace(STRING_OR_NUMBER, keepDigits)) : value
}

/** Only such a number can have more digits than `JSON.parse` keeps; most bodies have none. */
const LONG_NUMBER = /[-\s:,[][0-9][0-9.]{15}/
/** Longer than any amount. Numbers beyond it are not compared, because for one as long as the body that would take long. */
const NUMBER_LENGTH_MAX = 100
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.]*(?:[eE][+-]?[0-9]+)?/g

/**
 * Raw amounts and the order numbers of other programs have more digits than a JavaScript number. Where parsing would change a number,
 * its text is kept instead: every amount may be text, and `metadata` comes back with the digits that were sent.
 */
function keepDigits(token: string): string {
  if (token.startsWith('"') || token.length < 16) return token
  if (token.length > NUMBER_LENGTH_MAX) return `"${token}"`
  return toDigits(token) === toDigits(String(Number(token))) ? token : `"${token}"`
}

function toDigits(number: string): string {
  const plain = toPlainDecimal(number.replace(/^-/, ''))
  return plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain
}

/** Counts real nesting: brackets inside strings do not count. */
function exceedsDepth(text: string, max: number): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > max) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}

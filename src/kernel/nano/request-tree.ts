import { LedgerRefusal } from '../errors.ts'

/**
 * A request as a node reads it: a tree in which every value is text, the elements of an array are members without
 * names, and the first of two members with one name counts. `JSON.parse` would keep the last one and round numbers, so
 * the node's endpoint has its own parser.
 */
export interface RequestTree {
  text: string
  members: { name: string; tree: RequestTree }[]
}

/** What a node answers if it cannot read the request, or a required member is missing. */
export class UnreadableRequest extends LedgerRefusal {
  constructor() {
    super('Unable to parse JSON')
  }
}

/** The node counts brackets before parsing, even those inside strings. */
const BRACKETS_MAX = 20
/** A parsed member takes a hundred times the memory of its text, so limiting the size of the body is not enough. */
const MEMBERS_MAX = 1_000_000

export function exceedsDepth(body: string): boolean {
  let brackets = 0
  for (let at = 0; at < body.length; at++) {
    const code = body.charCodeAt(at)
    if ((code === 0x5b || code === 0x7b) && ++brackets > BRACKETS_MAX) return true
  }
  return false
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const LITERAL = /true|false|null/y
const PLAIN = /[^"\\\u0000-\u001f]*/y
const SPACE = /[ \t\r\n]*/y
const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** A node cannot read half a character, so both halves must be escaped, one after the other. */
const CODE = /u(?:[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?![dD][89a-fA-F])[0-9a-fA-F]{4})/y

/** The character of the escape that begins after this backslash. */
function unescape(body: string, at: number): string {
  if (body[at] === 'u') {
    CODE.lastIndex = at
    const codes = CODE.exec(body)?.[0].match(/[0-9a-fA-F]{4}/g)
    if (!codes) throw new UnreadableRequest()
    return String.fromCharCode(...codes.map((digits) => Number.parseInt(digits, 16)))
  }
  const character = ESCAPES[body[at] ?? '']
  if (character === undefined) throw new UnreadableRequest()
  return character
}

/** Parses a body whose depth `exceedsDepth` has already limited. */
export function parseRequest(body: string, membersMax = MEMBERS_MAX): RequestTree {
  let at = body.charCodeAt(0) === 0xfeff ? 1 : 0
  let count = 0

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(body)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const skipSpace = () => take(SPACE)
  const expect = (character: string) => {
    if (body[at] !== character) throw new UnreadableRequest()
    at++
  }
  const readString = (): string => {
    expect('"')
    let text = ''
    for (;;) {
      text += take(PLAIN) ?? ''
      if (body[at] === '"') break
      expect('\\')
      const character = unescape(body, at)
      at += body[at] === 'u' ? 6 * character.length - 1 : 1
      text += character
    }
    at++
    return text
  }
  const readMembers = (close: string, readMember: () => RequestTree['members'][number]): RequestTree => {
    const members: RequestTree['members'] = []
    at++
    skipSpace()
    if (body[at] === close) {
      at++
      return { text: '', members }
    }
    for (;;) {
      skipSpace()
      if (++count > membersMax) throw new UnreadableRequest()
      members.push(readMember())
      skipSpace()
      if (body[at] === close) break
      expect(',')
    }
    at++
    return { text: '', members }
  }
  const readNamed = () => {
    const name = readString()
    skipSpace()
    expect(':')
    return { name, tree: readValue() }
  }
  const readValue = (): RequestTree => {
    skipSpace()
    switch (body[at]) {
      case '{':
        return readMembers('}', readNamed)
      case '[':
        return readMembers(']', () => ({ name: '', tree: readValue() }))
      case '"':
        return { text: readString(), members: [] }
      default: {
        const text = take(LITERAL) ?? take(NUMBER)
        if (text === undefined) throw new UnreadableRequest()
        return { text, members: [] }
      }
    }
  }

  const tree = readValue()
  skipSpace()
  if (at !== body.length) throw new UnreadableRequest()
  return tree
}

export function findMember(tree: RequestTree, name: string): RequestTree | undefined {
  return tree.members.find((member) => member.name === name)?.tree
}

const UINT64_MAX = 2n ** 64n - 1n
/** Longer than any 64-bit number with leading zeros; converting longer texts would take more than linear time. */
const NUMBER_LENGTH_MAX = 64

/** A count as a node reads it; a negative one wraps around. */
export function toUnsigned(text: string): bigint | undefined {
  const match = text.length > NUMBER_LENGTH_MAX ? null : /^\s*([+-]?)([0-9]+)$/.exec(text)
  if (!match) return undefined
  const value = BigInt(match[2]!)
  if (value > UINT64_MAX) return undefined
  return match[1] === '-' ? BigInt.asUintN(64, -value) : value
}

import { LedgerRefusal } from '../errors.ts'

/**
 * A request the way the node reads it: a tree in which every scalar is text, arrays are members without names,
 * and of two members with one name the first counts. `JSON.parse` keeps the last one and rounds numbers, so the
 * node's endpoints have a parser of their own.
 */
export interface RequestTree {
  text: string
  members: { name: string; tree: RequestTree }[]
}

/** The node's answer to anything that it cannot read, and to a missing required member. */
export class UnreadableRequest extends LedgerRefusal {
  constructor() {
    super('Unable to parse JSON')
  }
}

/** The node counts brackets before it parses, so brackets inside strings count as well. */
const BRACKETS_MAX = 20
/** Parsed, a member takes a hundred times the memory of its two bytes of text, so limiting the size of the body is not enough. */
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

/** Half a character is unreadable to a node, so both halves have to be escaped, one behind the other. */
const CODE = /u(?:[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?![dD][89a-fA-F])[0-9a-fA-F]{4})/y

/** The character whose escape begins here, after its backslash. */
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

/** Parses a body whose nesting `exceedsDepth` has bounded. */
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
/** More than any 64-bit number has, leading zeros included; converting longer texts would take more than linear time. */
const NUMBER_LENGTH_MAX = 64

/** A count as the node reads it: a negative one wraps around. */
export function toUnsigned(text: string): bigint | undefined {
  const match = text.length > NUMBER_LENGTH_MAX ? null : /^\s*([+-]?)([0-9]+)$/.exec(text)
  if (!match) return undefined
  const value = BigInt(match[2]!)
  if (value > UINT64_MAX) return undefined
  return match[1] === '-' ? BigInt.asUintN(64, -value) : value
}

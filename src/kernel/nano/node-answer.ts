import { textOf } from '../shape.ts'

/** An answer before it is written: text, lists and named members. Empty containers are written as `""`. */
export type Answer = string | Answer[] | Entries | Members
export type Members = { [name: string]: Answer | undefined }

/** Members whose names come from outside, in the order in which they were added. A name may occur twice. */
export class Entries {
  readonly list: [name: string, value: Answer][] = []
  readonly #places = new Map<string, number>()

  get(name: string): Answer | undefined {
    const place = this.#places.get(name)
    return place === undefined ? undefined : this.list[place]![1]
  }

  /** Replaces the first member with this name, or adds one. */
  put(name: string, value: Answer): void {
    const place = this.#places.get(name)
    if (place === undefined) this.add(name, value)
    else this.list[place]![1] = value
  }

  /** Adds a member, even if the name exists already. */
  add(name: string, value: Answer): void {
    if (!this.#places.has(name)) this.#places.set(name, this.list.length)
    this.list.push([name, value])
  }
}

const INDENT = '    '
const PLAIN = /^[\u0020\u0021\u0023-\u002e\u0030-\u005b\u005d-\uffff]*$/
const ESCAPED = /["\\/\u0000-\u001f]/g
const ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function quote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`
  const escape = (character: string) =>
    ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  return `"${text.replace(ESCAPED, escape)}"`
}

function write(value: unknown, line: string): string {
  if (value === null || value === undefined) return quote(String(value))
  if (typeof value !== 'object') return quote(textOf(value))
  const inner = line + INDENT
  if (Array.isArray(value))
    return enclose(
      '[',
      ']',
      line,
      value.map((one) => write(one, inner)),
    )
  const entries = value instanceof Entries ? value.list : Object.entries(value)
  const members: string[] = []
  for (const [name, one] of entries) if (one !== undefined) members.push(`${quote(name)}: ${write(one, inner)}`)
  return enclose('{', '}', line, members)
}

function enclose(open: string, close: string, line: string, items: readonly string[]): string {
  return items.length === 0 ? '""' : `${open}${line}${INDENT}${items.join(`,${line}${INDENT}`)}${line}${close}`
}

/**
 * Writes an answer byte for byte like a node: four spaces, a line end, escaped slashes, only text, and `""` for
 * everything empty.
 */
export function writeNodeAnswer(answer: unknown): string {
  return `${write(answer, '\n')}\n`
}

import type { Reply } from '../support/gateway.ts'

/** The structure of an answer: its status, and the kind of value at each path. */
export interface Shape {
  status: number
  places: ReadonlyMap<string, string>
}

/** Values that differ in every run, and their placeholder names; the first match counts. */
const KINDS: readonly [RegExp, string][] = [
  [/data:[\w/+;,=-]+/g, '<data>'],
  [/https?:\/\/[^\s"]+/g, '<url>'],
  [/nano:nano_[13][13-9a-km-uw-z]{59}(\?\S*)?/g, '<link>'],
  [/\b(nano|xrb)_[13][13-9a-km-uw-z]{59}\b/g, '<address>'],
  [/\b[0-9A-Fa-f]{128}\b/g, '<signature>'],
  [/\b[0-9A-Fa-f]{64}\b/g, '<hash>'],
  [/\b[a-z]{3}_[A-Za-z0-9]{16,}\b/g, '<id>'],
  [/\b[0-9a-f]{16}\b/g, '<id>'],
  [/\b\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, '<time>'],
  [/\d+(\.\d+)?/g, '<number>'],
]

const nameText = (text: string) => KINDS.reduce((named, [pattern, kind]) => named.replaceAll(pattern, kind), text)

/** Reads the shape of an answer. All entries of a list share one path. */
export function shapeOf({ status, json }: Pick<Reply, 'status' | 'json'>): Shape {
  const places = new Map<string, string>()
  const note = (place: string, kind: string) => {
    const kinds = new Set([...(places.get(place)?.split(' or ') ?? []), kind])
    places.set(place, [...kinds].sort().join(' or '))
  }
  const walk = (value: unknown, place: string): void => {
    if (Array.isArray(value)) {
      note(place, 'list')
      for (const entry of value) walk(entry, `${place}[]`)
    } else if (typeof value === 'object' && value !== null) {
      note(place, 'object')
      for (const [name, member] of Object.entries(value)) walk(member, `${place}.${nameText(name)}`)
    } else if (typeof value === 'string') note(place, `text ${nameText(value)}`)
    else if (typeof value === 'number') note(place, 'number')
    else note(place, String(value))
  }
  walk(json<unknown>(), '')
  return { status, places }
}

/** Differences between two answers to the same request, a sentence for each. */
export function compareShapes(here: Shape, there: Shape): string[] {
  const differences: string[] = []
  if (here.status !== there.status) differences.push(`status ${here.status} here, ${there.status} there`)
  const show = (kind: string | undefined) => kind ?? 'absent'
  for (const place of new Set([...here.places.keys(), ...there.places.keys()])) {
    const [ours, theirs] = [here.places.get(place), there.places.get(place)]
    if (ours !== theirs) differences.push(`${place || 'the answer'}: ${show(ours)} here, ${show(theirs)} there`)
  }
  return differences
}

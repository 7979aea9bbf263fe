import { badField } from './errors.ts'

/** The character that PostgreSQL cannot store: a text with it is refused before any module sees it, by the name of its field. */
export function refuseNul<T extends object>(fields: T): T {
  const field = findNul(fields, '')
  if (field !== undefined) throw badField(field, `${field} cannot contain the character U+0000.`)
  return fields
}

/** Where the character stands, as errors name it: `invoice.lines[0].title`. Depth is bounded by the reader of the body. */
function findNul(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const own = name.replaceAll('\0', '')
    const at = Array.isArray(value) ? `${path}[${own}]` : path === '' ? own : `${path}.${own}`
    const found = own === name ? findNul(inner, at) : at
    if (found !== undefined) return found
  }
  return undefined
}

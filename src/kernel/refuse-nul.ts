import { badField } from './errors.ts'

/** The character that PostgreSQL cannot store: a text with it is refused before any module sees it, by the name of its field. */
export function refuseNul<T extends object>(fields: T): T {
  for (const [name, value] of Object.entries(fields)) {
    if (hasNul(name) || hasNul(value)) {
      const field = name.replaceAll('\0', '')
      throw badField(field, `${field} cannot contain the character U+0000.`)
    }
  }
  return fields
}

/** Depth is bounded by who has read it. */
function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => hasNul(name) || hasNul(inner))
}

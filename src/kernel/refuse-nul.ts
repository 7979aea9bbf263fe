import { badField } from './errors.ts'

/** PostgreSQL cannot store NUL. Fields that contain it are refused by name before any module sees them. */
export function refuseNul<T extends object>(fields: T): T {
  const field = findNul(fields, '')
  if (field !== undefined) throw badField(field, `${field} cannot contain the character U+0000.`)
  return fields
}

/** The path of the character as in errors: `invoice.lines[0].title`. The depth was limited by the parser. */
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

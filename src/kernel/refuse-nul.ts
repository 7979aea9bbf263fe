import { badField } from './errors.ts'

/** PostgreSQL cannot store NUL, so texts that contain it are refused, with the name of the field, before any module sees them. */
export function refuseNul<T extends object>(fields: T): T {
  const field = findNul(fields, '')
  if (field !== undefined) throw badField(field, `${field} cannot contain the character U+0000.`)
  return fields
}

/** Path of the character as errors name it: `invoice.lines[0].title`. The parser of the body bounds the depth. */
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

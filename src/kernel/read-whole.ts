import { badField } from './errors.ts'

/** A whole number of a query. */
export function readWhole(
  field: string,
  value: unknown,
  { min, max, otherwise }: { min: number; max: number; otherwise: number },
): number {
  if (value === undefined || value === '') return otherwise
  const number = typeof value === 'string' && /^[0-9]{1,7}$/.test(value) ? Number(value) : NaN
  if (!(number >= min && number <= max)) throw badField(field, `${field} must be a whole number from ${min} to ${max}.`)
  return number
}

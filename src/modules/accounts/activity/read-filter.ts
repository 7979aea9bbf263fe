import { KINDS } from './sentences.ts'
import type { DeedFilter } from './store.ts'

const DAY = 86_400_000

/** The names of what a list of deeds can be narrowed by. */
export const FILTERS = ['person', 'kind', 'from', 'to'] as const

/** What was asked for of a list; what means nothing narrows nothing. */
export function readFilter(accountId: string, given: Readonly<Record<string, unknown>>): DeedFilter {
  const { person, kind, from, to } = given
  const end = readDay(to)
  return {
    accountId,
    actor: typeof person === 'string' && /^\w{1,60}$/.test(person) ? person : undefined,
    kind: typeof kind === 'string' && Object.hasOwn(KINDS, kind) ? kind : undefined,
    from: readDay(from),
    // The last day counts as a whole.
    to: end === undefined ? undefined : end + DAY,
  }
}

function readDay(text: unknown): number | undefined {
  const at = typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? undefined : at
}

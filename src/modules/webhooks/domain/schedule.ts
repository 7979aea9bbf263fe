const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** The wait after the first, second … failed attempt (contract 6). */
const STEPS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  24 * HOUR,
]
const JITTER = 0.2

/**
 * How long to wait after so many failed attempts; undefined after the last one. A receiver may ask for a longer wait, up to twice as long.
 * `chance` is between 0 and 1.
 */
export function waitAfter(
  attempts: number,
  { chance, retryAfter }: { chance: number; retryAfter: number | undefined },
): number | undefined {
  const step = STEPS[attempts - 1]
  if (step === undefined) return undefined
  if (retryAfter !== undefined) return Math.min(Math.max(retryAfter, step), 2 * step)
  return Math.round(step * (1 - JITTER + 2 * JITTER * chance))
}

/** The milliseconds that a `Retry-After` header asks for, given as seconds or a date. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

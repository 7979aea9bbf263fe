const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** The wait after the first, second … attempt that failed (contract 6). */
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
 * How long to wait after so many failed attempts; undefined when that was the last. A receiver may ask for more time than
 * planned, up to twice as much. `chance` is anywhere from 0 to 1.
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

/** Milliseconds that a `Retry-After` header asks for: seconds, or a date. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

/**
 * JSON lines. Callers log named fields, never bodies or headers, so that no secret can come along. Lines are written
 * in batches, at the latest after a second and when the process ends.
 */
export function openLog(level: string, destination?: DestinationStream): Log {
  const output = destination ?? pino.destination({ sync: false, minLength: 4_096, periodicFlush: 1_000 })
  return pino({ level, base: null }, output)
}

/** Type and text of a failure for the log; never the objects it carries, nor what a parser quotes of a text. */
export function describeError(error: unknown): string {
  if (error instanceof SyntaxError) return `SyntaxError\n${(error.stack ?? '').match(/^ +at .*/gm)?.join('\n') ?? ''}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

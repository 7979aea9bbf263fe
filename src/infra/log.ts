import { type Logger, pino } from 'pino'

export type Log = Logger

/** JSON lines. Callers log named fields, never bodies or headers, so that no secret can come along. */
export function openLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime })
}

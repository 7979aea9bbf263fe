import { type DestinationStream, type Logger, pino, symbols } from 'pino'

export type Log = Logger

/** The longest time that lines wait to be written together. */
const FLUSHED_AFTER = 1_000

/**
 * Writes JSON lines. Callers log named fields, never bodies or headers, so that no secret gets into the log. Lines are
 * written in batches, after one second, or two at most, and when the process ends.
 */
export function openLog(level: string, destination?: DestinationStream): Log {
  return pino({ level, base: null }, destination ?? openOutput({ minLength: 4_096 }))
}

/**
 * The library's own timer would wake the process every second even if nothing is to be written. A flush does nothing
 * while a batch is being written, so another flush follows the last line.
 */
export function openOutput(options: { minLength: number; dest?: string }): DestinationStream {
  const output = pino.destination({ sync: false, ...options })
  const write = output.write.bind(output)
  let hasNews = false
  let timer: NodeJS.Timeout | undefined
  const flushLater = () => {
    timer = setTimeout(() => {
      timer = undefined
      if ('destroyed' in output && output.destroyed === true) return
      output.flush()
      if (hasNews) flushLater()
      hasNews = false
    }, FLUSHED_AFTER).unref()
  }
  output.write = (line) => {
    hasNews = true
    if (timer === undefined) flushLater()
    return write(line)
  }
  return output
}

/** The log line of a successful request; none of its fields is text of a client. */
interface RequestLine {
  requestId: string
  action: string
  status: number
  cache: string | undefined
  caller: string | undefined
  ms: number
}

/**
 * Writes a request's line like the logger would, at a tenth of the cost: every request has one, and nothing in it needs
 * escaping.
 */
export function openRequestLog(log: Log): (line: RequestLine) => void {
  const output = outputOf(log)
  if (!log.isLevelEnabled('info')) return () => undefined
  return ({ requestId, action, status, cache, caller, ms }) => {
    const start = `{"level":30,"time":${Date.now()},"requestId":"${requestId}","action":"${action}","status":${status}`
    const from = cache === undefined ? '' : `,"cache":"${cache}"`
    const who = caller === undefined ? '' : `,"caller":"${caller}"`
    output.write(`${start}${from}${who},"ms":${ms}}\n`)
  }
}

/** pino exports the symbol of this member for this purpose. */
function outputOf(log: Log): DestinationStream {
  return (log as unknown as Record<symbol, DestinationStream>)[symbols.streamSym]!
}

/**
 * The type and message of an error, for the log; not the objects that it carries, nor the text that a parser quotes.
 */
export function describeError(error: unknown): string {
  if (error instanceof SyntaxError) return `SyntaxError\n${(error.stack ?? '').match(/^ +at .*/gm)?.join('\n') ?? ''}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

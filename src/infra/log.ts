import { type DestinationStream, type Logger, pino, symbols } from 'pino'

export type Log = Logger

/** Lines wait so long at the most for others to be written with. */
const FLUSHED_AFTER = 1_000

/**
 * JSON lines. Callers log named fields, never bodies or headers, so that no secret can come along. Lines are written
 * in batches, after a second, two at the latest, and when the process ends.
 */
export function openLog(level: string, destination?: DestinationStream): Log {
  return pino({ level, base: null }, destination ?? openOutput({ minLength: 4_096 }))
}

/** A pipe takes so many bytes at once from one of several who write to it; more may end up in the midst of another's line. */
const PIPE_BYTES = 4_096

/** The log of one of several processes that write to the same place. */
export const openSharedLog = (level: string): Log =>
  openLog(level, openOutput({ minLength: PIPE_BYTES / 2, maxWrite: PIPE_BYTES }))

/**
 * The library's own timer would wake the process every second, also one that has nothing to say. A flush does nothing while a batch is
 * being written, so that another one follows the last line.
 */
export function openOutput(options: { minLength: number; maxWrite?: number; dest?: string }): DestinationStream {
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

/** What is told of a request that went well. None of it is a text that a client wrote. */
interface RequestLine {
  requestId: string
  action: string
  status: number
  cache: string | undefined
  caller: string | undefined
  ms: number
}

/**
 * Writes the line of a request as the logger would, at a tenth of the cost: it is written with every request, and has nothing in it
 * that would have to be escaped.
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

/** pino keeps where it writes under a name of its own, which it gives away for this. */
function outputOf(log: Log): DestinationStream {
  return (log as unknown as Record<symbol, DestinationStream>)[symbols.streamSym]!
}

/** Type and text of a failure for the log; never the objects it carries, nor what a parser quotes of a text. */
export function describeError(error: unknown): string {
  if (error instanceof SyntaxError) return `SyntaxError\n${(error.stack ?? '').match(/^ +at .*/gm)?.join('\n') ?? ''}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

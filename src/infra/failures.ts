import {
  FAILURES,
  type FailureIds,
  type FailurePlace,
  type Failures,
  LOSSES,
  type LossPlace,
  isOutage,
} from '../kernel/failures.ts'
import { AppError } from '../kernel/errors.ts'
import type { Clock } from '../kernel/ports.ts'
import { type Log, describeError } from './log.ts'
import type { Metrics } from './metrics.ts'

/** An alarm alerts the operator; an outage is temporary and has alarms of its own; a loss is harmless. */
type Kind = 'alarm' | 'failure' | 'outage' | 'loss'

const MINUTE = 60_000
/**
 * Most log lines of one place per minute; the rest is only counted, so that a storm of failures does not fill the disk.
 */
const LINES_MAX = 20

interface FailuresOptions {
  log: Log
  metrics: Metrics
  clock: Clock
}

/** Reports failures in the log and in metrics. An error is reported once, by the first place that catches it. */
export function openFailures({ log, metrics, clock }: FailuresOptions): Failures {
  const reported = new WeakMap<object, number>()
  const lines = new Map<string, LineQuota>()
  // Every series starts with 0. Rates are differences, so a series that started with its first failure would hide it.
  for (const [place, stake] of Object.entries(FAILURES)) {
    metrics.backgroundFailures.inc({ place, kind: stake === 'money' ? 'alarm' : 'failure' }, 0)
    metrics.backgroundFailures.inc({ place, kind: 'outage' }, 0)
  }
  for (const place of Object.keys(LOSSES)) metrics.backgroundFailures.inc({ place, kind: 'loss' }, 0)

  const report = (place: FailurePlace | LossPlace, kind: Kind, error: unknown, ids: FailureIds = {}) => {
    const now = clock.now()
    if (typeof error === 'object' && error !== null) {
      if (now < (reported.get(error) ?? -Infinity) + MINUTE) return
      reported.set(error, now)
    }
    metrics.backgroundFailures.inc({ place, kind })
    const known = lines.get(place) ?? new LineQuota()
    lines.set(place, known)
    const text = describeChain(error, kind)
    const suppressed = known.take(`${Object.values(ids).join(' ')} ${text}`, now)
    if (suppressed === undefined) return
    const line = {
      event: 'background_failure',
      place,
      kind,
      ...ids,
      error: text,
      ...(suppressed > 0 && { suppressed }),
    }
    if (kind === 'loss') log.debug(line)
    else if (kind === 'outage') log.warn(line)
    else log.error(line)
  }
  return {
    failed: (place, ids) => (error) => {
      report(place, judge(place, error), error, ids)
    },
    lost: (place) => (error) => {
      report(place, 'loss', error)
    },
  }
}

/** An uncaught error is our own fault, even if another service was unavailable. */
function judge(place: FailurePlace, error: unknown): Kind {
  if (place !== 'process' && isOutage(error)) return 'outage'
  return FAILURES[place] === 'money' ? 'alarm' : 'failure'
}

const CAUSES_MAX = 3

function describeChain(error: unknown, kind: Kind): string {
  const texts: string[] = []
  for (let at = error; at !== undefined && texts.length < CAUSES_MAX; at = at instanceof Error ? at.cause : undefined) {
    // If we refused because a service was unavailable, only that service matters, not the stack.
    texts.push(kind === 'outage' && at instanceof AppError ? at.message : describeError(at))
  }
  return texts.join('\ncaused by ')
}

/** Counts the log lines of one place in the current minute. */
class LineQuota {
  #since = -Infinity
  #said = new Set<string>()
  #suppressed = 0

  /** How many lines were left out before this one; undefined if this one is left out as well. */
  take(text: string, now: number): number | undefined {
    if (now >= this.#since + MINUTE) {
      this.#since = now
      this.#said = new Set()
    }
    if (this.#said.has(text) || this.#said.size >= LINES_MAX) {
      this.#suppressed++
      return undefined
    }
    this.#said.add(text)
    const suppressed = this.#suppressed
    this.#suppressed = 0
    return suppressed
  }
}

/** For commands at a terminal, which have no metrics. */
export const terminalFailures: Failures = {
  failed: (place) => (error) => {
    process.stderr.write(`${place}: ${describeChain(error, judge(place, error))}\n`)
  },
  lost: () => () => undefined,
}

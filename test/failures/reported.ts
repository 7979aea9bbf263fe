import { pino } from 'pino'
import { openFailures } from '../../src/infra/failures.ts'
import { Metrics } from '../../src/infra/metrics.ts'
import type { Failures } from '../../src/kernel/failures.ts'
import { TestClock } from '../support/clock.ts'

/** A log line about a background failure. */
export interface Reported {
  level: number
  event: string
  place: string
  kind: string
  error: string
  suppressed?: number
  [id: string]: unknown
}

export const ERROR = 50
export const WARNING = 40
export const DEBUG = 20

export const readLines = (log: string): Reported[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Reported)
    .filter(({ event }) => event === 'background_failure')

/** A series as Prometheus would read it; undefined if it does not exist. */
export function readSeries(text: string, name: string, labels: Record<string, string>): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const line = text.split('\n').find((at) => at.startsWith(`${name}{`) && wanted.every((label) => at.includes(label)))
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}

export const BACKGROUND = 'gateway_background_failures_total'

export interface Reporter extends Failures {
  clock: TestClock
  lines(): Reported[]
  count(place: string, kind: string): Promise<number | undefined>
}

/** The reporter as in a gateway, with its log and metrics. */
export function openReporter(clock = new TestClock()): Reporter {
  const written: string[] = []
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => void written.push(line) })
  const metrics = new Metrics()
  return {
    ...openFailures({ log, metrics, clock }),
    clock,
    lines: () => readLines(written.join('')),
    count: async (place, kind) => readSeries(await metrics.text(), BACKGROUND, { place, kind }),
  }
}

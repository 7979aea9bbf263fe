import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Request {
  method?: 'GET' | 'POST'
  path?: string
  body?: object
}

let lists = 0

/** Writes requests to a file for the load generator, which reads each file once, so every list needs its own name. */
export function writeRequests(folder: string, name: string, requests: readonly Request[]): string {
  const list = join(folder, `${++lists}-${name}.txt`)
  const toLine = ({ method = 'POST', path = '/', body }: Request) =>
    `${method}\t${path}\t${body ? JSON.stringify(body) : ''}`
  writeFileSync(list, requests.map(toLine).join('\n'))
  return list
}

/** Repeats an operation from several concurrent callers and returns the rate and the time of each call. */
export async function measure(
  { callers, seconds }: { callers: number; seconds: number },
  run: () => Promise<unknown>,
): Promise<{ rate: number; count: number; p50: number; p99: number }> {
  const times: number[] = []
  const started = performance.now()
  const end = started + seconds * 1_000
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let begun = performance.now(); begun < end; begun = performance.now()) {
        await run()
        times.push(performance.now() - begun)
      }
    }),
  )
  const rate = (times.length / (performance.now() - started)) * 1_000
  return { rate, count: times.length, p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

export const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN
export const median = (values: readonly number[]) => quantile(values, 0.5)

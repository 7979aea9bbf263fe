import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Run {
  rate: number
  requests: number
  p50: number
  p99: number
  errors: number
}

export interface Request {
  method?: 'GET' | 'POST'
  path?: string
  body?: object
}

/** Writes requests down for `writeScript`; many of them take a while. */
export function writeRequests(folder: string, name: string, requests: readonly Request[]): string {
  const list = join(folder, `${name}.txt`)
  const toLine = ({ method = 'POST', path = '/', body }: Request) =>
    `${method}\t${path}\t${body ? JSON.stringify(body) : ''}`
  writeFileSync(list, requests.map(toLine).join('\n'))
  return list
}

let scripts = 0

/** A script that walks through requests again and again, each connection where the last one stopped. */
export function writeScript(list: string, headers: Readonly<Record<string, string>> = {}): string {
  const set = Object.entries({ 'Content-Type': 'application/json', ...headers })
    .map(([header, value]) => `wrk.headers[${JSON.stringify(header)}] = ${JSON.stringify(value)}`)
    .join('\n')
  const script = `${list}-${++scripts}.lua`
  writeFileSync(
    script,
    `${set}
    local requests = {}
    local at = 0
    init = function()
      for line in io.lines(${JSON.stringify(list)}) do
        local method, path, body = line:match("^(%u+)\t(%S+)\t(.*)$")
        requests[#requests + 1] = wrk.format(method, path, nil, body ~= "" and body or nil)
      end
    end
    request = function() at = at % #requests + 1 return requests[at] end`,
  )
  return script
}

/** 32 connections of one thread ask for so many seconds. */
export function wrk(url: string, script: string, seconds: number, connections = 32): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, url])
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('error', reject)
    child.on('close', () => {
      const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1])
      const requests = Number(/(\d+) requests in/.exec(output)?.[1])
      const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0)
      const broken = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output)?.slice(1) ?? []
      const errors = broken.map(Number).reduce((sum, one) => sum + one, refused)
      if (Number.isNaN(rate)) reject(new Error(`wrk: ${output}`))
      else resolve({ rate, requests, p50: latency(output, '50%'), p99: latency(output, '99%'), errors })
    })
  })
}

function latency(output: string, share: string): number {
  const [, value = 'NaN', unit = 'ms'] = new RegExp(`${share}\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? []
  return Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1)
}

/** Runs an operation over and over from so many callers; answers how often a second, and how long each took. */
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

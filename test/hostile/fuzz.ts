import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SeededRandom } from '../support/random.ts'
import { type Hostile, RequestMaker, toBytes } from './requests.ts'
import { type Target, openTarget } from './target.ts'
import { firstPool, harvest } from './values.ts'
import { type Answer, Wire, once } from './wire.ts'

export interface FuzzOptions {
  inputs: number
  seed: number
  /** Called now and then. */
  onProgress?(done: number): void
}

export interface FuzzReport {
  inputs: number
  seconds: number
  /** Answers by status. 0 is a connection that closed without an answer, which is allowed only for bytes that are not a valid request. */
  statuses: Record<string, number>
  /** Expected answers with status 500 and above, by code. */
  justified: Record<string, number>
  /** Actions and routes that were called, and those that succeeded at least once. */
  asked: number
  answered: number
  /** Memory in use after a tenth of the inputs, and at the end, in MiB. */
  memory: { before: number; after: number }
  findings: string[]
}

/**
 * Codes with status 500 and above that the contract allows here. All others are defects: ledger, prices, swaps and work are all local, so nothing can be
 * unreachable.
 */
const JUSTIFIED: Readonly<Record<string, string>> = {
  vanity_not_found: 'An address that begins as wished is searched for as long as the contract says.',
  amount_space_exhausted: 'A stranger has used the amounts of an address up, which are finite.',
  wallet_busy: 'A send waits for its block as long as the setting says; many at once wait longer.',
  no_work: 'The queue for work is bounded.',
  settlement_pending: 'A payment whose outcome is not known yet.',
}

const WIRES = 12
const DEPTH = 8
const ACCOUNTS_EVERY = 4_000
const HARVESTED_EVERY = 7
const FINDINGS_MAX = 30

/** Sends hostile requests of all kinds to a whole gateway, and collects wrong answers. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const target = await openTarget()
  const rejections: string[] = []
  const onRejection = (reason: unknown) => void rejections.push(`unhandled rejection: ${String(reason)}`)
  process.on('unhandledRejection', onRejection)
  // Most answers are errors, and full stack traces would be half of their cost.
  Error.stackTraceLimit = 2
  try {
    const run = new Run(target, options)
    const report = await run.whole()
    const polluted = Object.keys(Object.prototype).concat('polluted' in {} ? ['polluted'] : [])
    if (polluted.length > 0) report.findings.push(`Object.prototype has got ${polluted.join(', ')}`)
    report.findings.push(...rejections, ...target.failures.slice(0, FINDINGS_MAX))
    return report
  } finally {
    process.off('unhandledRejection', onRejection)
    await target.close()
  }
}

class Run {
  readonly #target: Target
  readonly #options: FuzzOptions
  readonly #pool = firstPool()
  readonly #maker: RequestMaker
  readonly #statuses = new Map<string, number>()
  readonly #justified = new Map<string, number>()
  readonly #asked = new Set<string>()
  readonly #answered = new Set<string>()
  readonly #findings = new Map<string, string>()
  #made = 0
  #done = 0
  #before = 0

  constructor(target: Target, options: FuzzOptions) {
    this.#target = target
    this.#options = options
    this.#maker = new RequestMaker(new SeededRandom(options.seed), target.app.endpoints, this.#pool)
  }

  async whole(): Promise<FuzzReport> {
    const startedAt = performance.now()
    this.#maker.credentials = await this.#target.join()
    await Promise.all(Array.from({ length: WIRES }, () => this.#work()))
    const seconds = (performance.now() - startedAt) / 1000
    return {
      inputs: this.#done,
      seconds,
      statuses: Object.fromEntries([...this.#statuses].sort()),
      justified: Object.fromEntries(this.#justified),
      asked: this.#asked.size,
      answered: this.#answered.size,
      memory: { before: this.#before, after: memoryInUse() },
      findings: [...this.#findings.values()],
    }
  }

  /** One connection at a time, with some requests in flight. */
  async #work(): Promise<void> {
    let wire = new Wire(this.#target.port, this.#target.clock)
    const running = new Set<Promise<void>>()
    while (this.#made < this.#options.inputs) {
      const request = this.#maker.next()
      this.#made++
      if (this.#made % ACCOUNTS_EVERY === 0) this.#maker.credentials = await this.#target.join()
      if (!wire.open) {
        await Promise.all(running)
        wire.close()
        wire = new Wire(this.#target.port, this.#target.clock)
      }
      const asking: Promise<void> = this.#ask(wire, request).finally(() => running.delete(asking))
      running.add(asking)
      if (running.size >= DEPTH) await Promise.race(running)
    }
    await Promise.all(running)
    wire.close()
  }

  async #ask(wire: Wire, request: Hostile): Promise<void> {
    const bytes = toBytes(request)
    const { port, clock } = this.#target
    const { method } = request
    let answer = request.raw ? await once(port, bytes, { isWhole: false, clock }) : await wire.send(bytes, method)
    // The server closed the connection after an earlier request, so this one is sent again.
    if (answer.status === 0 && !request.raw) answer = await once(port, bytes, { method, clock })
    this.#judge(request, answer)
    this.#done++
    if (this.#done === Math.ceil(this.#options.inputs / 10)) this.#before = memoryInUse()
    if (this.#done % 10_000 === 0) this.#options.onProgress?.(this.#done)
  }

  #judge(request: Hostile, answer: Answer): void {
    const { status, headers, body } = answer
    this.#statuses.set(String(status), (this.#statuses.get(String(status)) ?? 0) + 1)
    if (!request.raw) this.#asked.add(request.at)
    if (status < 0) {
      this.#find(status === -1 ? 'hang' : 'no HTTP', request, answer)
      return
    }
    if (status === 0) {
      if (!request.raw) this.#find('no answer', request, answer)
      return
    }
    if (status < 300) {
      if (!request.raw) this.#answered.add(request.at)
      if (this.#done % HARVESTED_EVERY === 0) harvest(this.#pool, body)
    }
    // In batches and tool calls an internal error has no status line of its own.
    if (status >= 500 || /\\?"code\\?":\\?"internal_error/.test(body)) this.#judgeFailure(request, answer)
    else if (status >= 400 && request.method !== 'HEAD' && !isRefusal(body)) this.#find('no refusal', request, answer)
    if (!/^x-request-id: /im.test(headers) && status !== 101) this.#find('no request id', request, answer)
    if (/\n\s+at .*:\d+:\d+/.test(body) || /node_modules|\.ts:\d+/.test(body)) this.#find('stack', request, answer)
  }

  #judgeFailure(request: Hostile, answer: Answer): void {
    const code = /"code":"([a-z_]+)"/.exec(answer.body)?.[1] ?? 'none'
    if (Object.hasOwn(JUSTIFIED, code)) this.#justified.set(code, (this.#justified.get(code) ?? 0) + 1)
    else this.#find('failure', request, answer)
  }

  #find(what: string, request: Hostile, { status, body }: Answer): void {
    const code = /"code":"([a-z_]+)"/.exec(body)?.[1] ?? ''
    const name = `${what} ${status} ${code} at ${request.at}`
    if (this.#findings.has(name) || this.#findings.size >= FINDINGS_MAX) return
    const sent = toBytes(request).toString('latin1').slice(0, 1_500)
    this.#findings.set(name, `${name}\n  sent ${JSON.stringify(sent)}\n  got ${body.slice(0, 300)}`)
  }
}

/** Programs get an error object; browsers get a page. */
function isRefusal(body: string): boolean {
  if (body.startsWith('<!doctype html>')) return true
  try {
    const { error, message, code } = JSON.parse(body) as Record<string, unknown>
    return typeof error === 'string' && error === message && typeof code === 'string'
  } catch {
    return false
  }
}

let collect: (() => void) | undefined

/** Memory after garbage collection, in MiB. */
function memoryInUse(): number {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return Math.round((heapUsed + external) / 1024 / 1024)
}

export function describe(report: FuzzReport, seed: number): string {
  const { inputs, seconds, statuses, justified, asked, answered, memory, findings } = report
  return [
    `${inputs} inputs in ${seconds.toFixed(1)} s (${Math.round(inputs / seconds)} a second), seed ${seed}`,
    `${asked} actions and routes asked, ${answered} of them answered`,
    `statuses ${JSON.stringify(statuses)}, justified ${JSON.stringify(justified)}`,
    `memory ${memory.before} MiB after a tenth, ${memory.after} MiB at the end`,
    ...(findings.length > 0 ? findings : ['nothing found']),
  ].join('\n')
}

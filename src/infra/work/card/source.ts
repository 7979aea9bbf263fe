import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { isHex } from '../../../kernel/nano/hex.ts'
import { formatWork } from '../../../kernel/nano/work.ts'
import type { Clock, Random } from '../../../kernel/ports.ts'
import type { Target, WorkSource } from '../source.ts'
import { type FoundDevice, SLOTS } from './device.ts'
import { type FromDevice, type ToDevice, cardProcess } from './process.ts'
import type { MeasuredShape } from './tune.ts'

/** After so many crashes in a row, the driver is not used until the gateway restarts. */
const ENDS_MAX = 3
const RESTART_MILLISECONDS = 1_000
/** Crashes that are further apart do not count as in a row. */
const WELL_MILLISECONDS = 600_000
/** A launch takes a twentieth of a second, so a driver that has not ended one after this time hangs. */
const STOP_MILLISECONDS_MAX = 5_000
/** A card that computes wrongly is useless, but a single wrong result is tolerated. */
const WRONG_ANSWERS_MAX = 3

interface CardOptions {
  name: string
  device: FoundDevice
  random: Random
  clock: Clock
  /** For the processor; cards ignore it. */
  threads: number
  onReady(source: CardSource): void
  /** Called when its process has ended; `last` if it is not started again. */
  onLost(source: CardSource, reason: string, last: boolean): void
}

interface Running {
  resolve(work: string | undefined): void
  reject(error: Error): void
}

/** A device with its driver in a separate process: a graphics card, or the processor through OpenCL. */
export class CardSource implements WorkSource {
  readonly name: string
  readonly kind: FoundDevice['kind']
  readonly slots = SLOTS
  readonly spare = true
  /** The selected variant of the search, and the speed of each. */
  shape = ''
  shapes: readonly MeasuredShape[] = []
  rate = 0
  readonly #options: CardOptions
  readonly #running = new Map<number, Running>()
  #process: ChildProcess | undefined
  /** Cancelled searches that have not ended yet. */
  readonly #stopping = new Map<number, () => void>()
  #ready = false
  #readyAt = 0
  #closed = false
  #ends = 0
  #wrongAnswers = 0
  #lastId = 0

  constructor(options: CardOptions) {
    this.#options = options
    this.name = options.name
    this.kind = options.device.kind
    this.#start()
  }

  get usable(): boolean {
    return this.#ready && !this.#closed && this.#wrongAnswers < WRONG_ANSWERS_MAX
  }

  /** The process that has loaded the driver. */
  get pid(): number | undefined {
    return this.#process?.pid
  }

  search({ root, threshold }: Target, stop: AbortSignal): Promise<string | undefined> {
    assert(isHex(root, 64), 'a root has 64 hexadecimal digits')
    // A larger threshold would be truncated to 64 bits, so that any nonce might reach it.
    assert(threshold >= 0n && threshold < 2n ** 64n, 'a threshold has 64 bits')
    if (stop.aborted) return Promise.resolve(undefined)
    if (!this.usable) return Promise.reject(new Error('The card is not available.'))
    const id = ++this.#lastId
    const start = Buffer.from(this.#options.random.bytes(8)).readBigUInt64LE()
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#stop(id)
        this.#end(id)?.resolve(undefined)
      }
      const release = () => stop.removeEventListener('abort', onAbort)
      stop.addEventListener('abort', onAbort, { once: true })
      this.#running.set(id, {
        resolve: (work) => (release(), resolve(work)),
        reject: (error) => (release(), reject(error)),
      })
      this.#holdOpen()
      this.#sendToDevice({ search: id, root, threshold, start })
    })
  }

  distrust(): void {
    this.#wrongAnswers++
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const id of [...this.#stopping.keys()]) this.#ended(id)
    for (const id of [...this.#running.keys()]) this.#end(id)?.resolve(undefined)
    const ending = this.#process
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const ended = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill('SIGKILL')
    await ended
  }

  #start(): void {
    const { device, threads } = this.#options
    const child = cardProcess('device-process', [device.library, String(device.index), device.kind], threads)
    this.#process = child
    let reason = 'The process of the card ended.'
    child.on('message', (message: FromDevice) => {
      if ('broken' in message) reason = message.broken
      else if ('ready' in message) this.#begin(message.ready)
      else if ('ended' in message) this.#ended(message.ended)
      else this.#end(message.found)?.resolve(formatWork(message.nonce))
    })
    child.once('error', (error) => (reason = error.message))
    child.once('exit', () => this.#lost(reason))
    this.#holdOpen()
  }

  #begin({ shape, rate, shapes }: Extract<FromDevice, { ready: unknown }>['ready']): void {
    Object.assign(this, { shape, rate, shapes })
    this.#ready = true
    this.#readyAt = this.#options.clock.now()
    this.#options.onReady(this)
  }

  /** If the driver hangs, its process is ended, which is then reported like any other exit. */
  #stop(id: number): void {
    this.#sendToDevice({ stop: id })
    const child = this.#process
    this.#stopping.set(
      id,
      this.#options.clock.after(STOP_MILLISECONDS_MAX, () => child?.kill('SIGKILL')),
    )
  }

  #ended(id: number): void {
    this.#stopping.get(id)?.()
    this.#stopping.delete(id)
  }

  #lost(reason: string): void {
    if (this.#closed) return
    for (const id of [...this.#stopping.keys()]) this.#ended(id)
    if (this.#options.clock.now() - this.#readyAt > WELL_MILLISECONDS) this.#ends = 0
    // A process that never became ready would fail again.
    this.#ends = this.#ready ? this.#ends + 1 : ENDS_MAX
    this.#ready = false
    const last = this.#ends >= ENDS_MAX
    for (const id of [...this.#running.keys()]) this.#end(id)?.reject(new Error(reason))
    this.#options.onLost(this, reason, last)
    if (!last) this.#options.clock.after(RESTART_MILLISECONDS, () => this.#closed || this.#start())
  }

  #end(id: number): Running | undefined {
    const running = this.#running.get(id)
    this.#running.delete(id)
    this.#holdOpen()
    return running
  }

  /** The process keeps the gateway running only while a caller waits for a search. */
  #holdOpen(): void {
    const child = this.#process
    if (!child) return
    if (this.#running.size > 0) {
      child.ref()
      child.channel?.ref()
    } else {
      child.unref()
      child.channel?.unref()
    }
  }

  #sendToDevice(message: ToDevice): void {
    // The process may have just ended; its exit then rejects all searches.
    if (this.#process?.connected) this.#process.send(message, () => undefined)
  }
}

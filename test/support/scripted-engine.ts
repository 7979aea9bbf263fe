import type { WorkSource, Target } from '../../src/infra/work/source.ts'
import { formatWork, workValue } from '../../src/kernel/nano/work.ts'

interface Search extends Target {
  finish(work: string | undefined): void
  fail(error: Error): void
}

/** An engine that finds work when the test says so. */
export class ScriptedEngine implements WorkSource {
  readonly name: string
  readonly kind: WorkSource['kind']
  readonly slots: number
  readonly spare: boolean
  rate: number
  usable = true
  distrusted = 0
  closed = false
  /** Roots, in the order of their start. */
  readonly begun: string[] = []
  readonly #running: Search[] = []

  constructor({ name = 'cpu', kind = 'cpu', slots = 1, spare = true, rate = 1_000_000 }: Partial<WorkSource> = {}) {
    this.name = name
    this.kind = kind
    this.slots = slots
    this.spare = spare
    this.rate = rate
  }

  get running(): readonly Search[] {
    return this.#running
  }

  search(target: Target, stop: AbortSignal): Promise<string | undefined> {
    this.begun.push(target.root)
    return new Promise((resolve, reject) => {
      const end = () => this.#running.splice(this.#running.indexOf(search), 1)
      const search: Search = {
        ...target,
        finish(work) {
          end()
          resolve(work)
        },
        fail(error) {
          end()
          reject(error)
        },
      }
      this.#running.push(search)
      stop.addEventListener('abort', () => {
        if (this.#running.includes(search)) search.finish(undefined)
      })
    })
  }

  distrust(): void {
    this.distrusted++
  }

  async close(): Promise<void> {
    this.closed = true
  }

  /** Completes a running search with work of at least `atLeast`; returns its root. */
  async find(root: string, atLeast?: bigint): Promise<void> {
    const search = this.#running.find((running) => running.root === root)
    if (!search) throw new Error(`${this.name} does not look for ${root}`)
    search.finish(workFor(root, atLeast ?? search.threshold))
    await turn()
  }
}

/** Work of at least `threshold` and, if given, less than `below`. */
export function workFor(root: string, threshold: bigint, below = 2n ** 64n): string {
  for (let nonce = 0n; ; nonce++) {
    const work = formatWork(nonce)
    const value = workValue(root, work)
    if (value >= threshold && value < below) return work
  }
}

/** Lets all pending promises settle. */
export const turn = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve)
  })

import type { Clock } from '../kernel/ports.ts'

export const FAULT_KINDS = ['delay', 'error', 'drop', 'lag'] as const
type FaultKind = (typeof FAULT_KINDS)[number]

/** A fault of an action. It lasts until it is ended, unless a count limits it. */
export interface Fault {
  kind: FaultKind
  milliseconds: number
  left?: number
}

/** A copy of all faults, for a snapshot. */
export type FaultsThen = ReadonlyMap<string, Fault>

/** Every action that is not a control. */
export const EVERY_ACTION = '*'
/** The fault applies to messages of the websocket. */
export const WEBSOCKET = 'websocket'

/** The client gets no answer: its connection is closed. */
export class LostAnswer extends Error {}

interface Waiting {
  cancel: () => void
  lose: () => void
}

/** The faults that a test has ordered. Their delays follow the machine's clock, not that of the ledger. */
export class Faults {
  readonly #clock: Clock
  readonly #set = new Map<string, Fault>()
  readonly #waiting = new Set<Waiting>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  time(): number {
    return this.#clock.now()
  }

  get hasLag(): boolean {
    return [...this.#set.values()].some(({ kind }) => kind === 'lag')
  }

  set(target: string, fault: Fault): void {
    this.#set.set(target, fault)
  }

  end(target: string): void {
    this.#set.delete(target)
  }

  /** The fault that this call of an action gets, if any; uses up one of its count. */
  take(action: string): Fault | undefined {
    if (this.#set.size === 0) return undefined
    const everywhere = action === WEBSOCKET ? undefined : EVERY_ACTION
    const target = this.#set.has(action) ? action : everywhere
    const fault = target === undefined ? undefined : this.#set.get(target)
    if (fault?.left !== undefined && --fault.left === 0) this.#set.delete(target!)
    return fault
  }

  /** Waits. Reverting or closing the ledger ends the wait, and the request gets no answer. */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.later(milliseconds, resolve, () => reject(new LostAnswer()))
    })
  }

  later(milliseconds: number, run: () => void, lose: () => void = () => undefined): void {
    const waiting: Waiting = {
      lose,
      cancel: this.#clock.after(milliseconds, () => {
        this.#waiting.delete(waiting)
        run()
      }),
    }
    this.#waiting.add(waiting)
  }

  now(): FaultsThen {
    return copy(this.#set)
  }

  /** Restores a copy. Requests that still wait belong to the old ledger and get no answer. */
  goBackTo(then: FaultsThen): void {
    this.#set.clear()
    for (const [target, fault] of copy(then)) this.#set.set(target, fault)
    for (const { cancel, lose } of this.#waiting) {
      cancel()
      lose()
    }
    this.#waiting.clear()
  }
}

const copy = (faults: FaultsThen) => new Map([...faults].map(([target, fault]) => [target, { ...fault }]))

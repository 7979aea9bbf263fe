import type { PublicKey } from '../kernel/nano/address.ts'
import type { Block } from '../kernel/nano/block.ts'
import { refusal } from '../kernel/nano/node-request.ts'
import type { Elections, ElectionsThen } from './elections.ts'
import type { Faults, FaultsThen } from './faults.ts'
import type { LedgerClock } from './ledger-clock.ts'
import type { Ledger } from './ledger.ts'
import type { UncheckedBlocks } from './unchecked.ts'

/** The parts of a node that a snapshot needs. */
interface Kept {
  readonly ledger: Ledger
  readonly clock: LedgerClock
  readonly elections: Elections
  readonly faults: Faults
  readonly unchecked: UncheckedBlocks
  writeAlone(run: () => void, then?: () => void): Promise<void>
  replace(build: () => void, then: () => void): Promise<void>
  lookAtWeight(): void
}

/** The state that is not in the file, copied for a snapshot. */
interface Memory {
  elections: ElectionsThen
  faults: FaultsThen
  impersonated: PublicKey[]
  unchecked: [need: string, hash: string, block: Block][]
  shift: number
}

/** Each snapshot takes memory until the ledger is reverted to an earlier one, so their number is limited. */
const KEPT_MAX = 1_000

const NOTHING: Memory = {
  elections: { held: false, past: [], asked: [] },
  faults: new Map(),
  impersonated: [],
  unchecked: [],
  shift: 0,
}

/** The snapshots of a ledger. They are lost with the process. */
export class Snapshots {
  readonly #node: Kept
  readonly #kept = new Map<string, { mark: number; memory: Memory }>()
  #count = 0

  constructor(node: Kept) {
    this.#node = node
  }

  get isEmpty(): boolean {
    return this.#kept.size === 0
  }

  async take(): Promise<string> {
    if (this.#kept.size >= KEPT_MAX) throw refusal(`id: there are ${KEPT_MAX} snapshots already; revert or reset first`)
    const { undo } = this.#node.ledger.store
    const id = `${++this.#count}`
    let mark = 0
    await this.#node.writeAlone(
      () => {
        undo.start(() => this.#node.faults.time())
        mark = undo.mark()
      },
      () => this.#kept.set(id, { mark, memory: this.#look() }),
    )
    return id
  }

  /** Reverts the ledger. The snapshot stays unless it is ended, and can be used again; later ones are deleted. */
  async revert(id: string, { end = false } = {}): Promise<void> {
    await this.#node.replace(
      () => this.#node.ledger.store.undo.undoTo(this.#find(id).mark),
      () => {
        this.#recall(this.#find(id).memory)
        const ids = [...this.#kept.keys()]
        for (const later of ids.slice(ids.indexOf(id) + (end ? 0 : 1))) this.#kept.delete(later)
      },
    )
    if (end) await this.stopIfUnneeded()
  }

  /** Stops recording changes when no snapshot or lag needs them. */
  async stopIfUnneeded(): Promise<void> {
    const { faults, ledger } = this.#node
    const isNeeded = () => !this.isEmpty || faults.hasLag
    if (isNeeded()) return
    await this.#node.writeAlone(() => {
      if (!isNeeded()) ledger.store.undo.stop()
    })
  }

  /** Replaces the ledger: earlier snapshots and faults do not apply to the new one. */
  async replaceBy(build: () => void): Promise<void> {
    const { store } = this.#node.ledger
    await this.#node.replace(
      () => {
        store.undo.stop()
        build()
      },
      () => {
        this.#kept.clear()
        this.#recall(NOTHING)
        this.#node.lookAtWeight()
      },
    )
  }

  #find(id: string) {
    const kept = this.#kept.get(id)
    if (!kept) throw refusal(`id: no such snapshot: ${id.slice(0, 20)}`)
    return kept
  }

  #look(): Memory {
    const { elections, faults, ledger, unchecked, clock } = this.#node
    return {
      elections: elections.now(),
      faults: faults.now(),
      impersonated: [...ledger.impersonated],
      unchecked: unchecked.list(),
      shift: clock.shift,
    }
  }

  #recall(memory: Memory): void {
    const { elections, faults, ledger, unchecked, clock } = this.#node
    elections.goBackTo(memory.elections)
    faults.goBackTo(memory.faults)
    ledger.impersonated.clear()
    for (const account of memory.impersonated) ledger.impersonated.add(account)
    unchecked.clear()
    for (const [need, hash, block] of memory.unchecked) unchecked.keep(need, hash, block)
    clock.shiftTo(memory.shift)
  }
}

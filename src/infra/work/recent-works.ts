import { type FoundWork } from '../../kernel/work-port.ts'

const ROOTS_MAX = 100

/** Work that was just found. A caller who asks for it at the same moment must not cause a second search. */
export class RecentWorks {
  /** In the order of finding, so that the first entry is the oldest. */
  readonly #byRoot = new Map<string, FoundWork>()

  find(root: string, threshold: bigint): FoundWork | undefined {
    const found = this.#byRoot.get(root)
    return found && found.value >= threshold ? found : undefined
  }

  remember(root: string, found: FoundWork): void {
    this.#byRoot.delete(root)
    this.#byRoot.set(root, found)
    if (this.#byRoot.size > ROOTS_MAX) this.#byRoot.delete(this.#byRoot.keys().next().value!)
  }
}

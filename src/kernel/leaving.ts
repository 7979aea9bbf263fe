/**
 * Reports that the caller has left. The platform's AbortController does the same at several times the cost, and a read
 * needs three.
 */
export class Leaving {
  #listeners: Set<() => void> | undefined
  left = false
  reason: Error | undefined

  /** Calls back once, or immediately if the caller has left already. The returned function removes the listener. */
  onLeave(listener: () => void): () => void {
    if (this.left) {
      listener()
      return () => undefined
    }
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
    return () => this.#listeners?.delete(listener)
  }

  leave(reason?: Error): void {
    if (this.left) return
    this.left = true
    this.reason = reason
    for (const listener of this.#listeners ?? []) listener()
    this.#listeners = undefined
  }
}

import { isOutage } from '../../../kernel/failures.ts'

/**
 * Runs a function for each item, several at a time, until the signal aborts. A failing item, which reports its own failure, does not stop the
 * others. Our own errors are rethrown at the end, so that the round does not count as done.
 */
export async function forEachOf<T>(
  items: Iterable<T>,
  { atOnce, signal }: { atOnce: number; signal: AbortSignal },
  run: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = items[Symbol.iterator]()
  const faults: unknown[] = []
  const work = async () => {
    for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) {
      try {
        await run(next.value)
      } catch (error) {
        if (!isOutage(error)) faults.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  if (faults.length > 0) throw faults[0]
}

/** Runs something for each, so many at once, until told to stop. */
export async function forEachOf<T>(
  items: Iterable<T>,
  { atOnce, signal }: { atOnce: number; signal: AbortSignal },
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]()
  const work = async () => {
    for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) await run(next.value)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

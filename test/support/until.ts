import { setImmediate } from 'node:timers/promises'

const LONGEST = 60_000

/** Waits for what has no event of its own; gives up rather than keep a failed run alive. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + LONGEST
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('It never came true.')
    await setImmediate()
  }
}

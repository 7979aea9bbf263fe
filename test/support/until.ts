import { setImmediate } from 'node:timers/promises'

/** Waits for what has no event of its own. The test's own time limit is the limit here. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setImmediate()
}

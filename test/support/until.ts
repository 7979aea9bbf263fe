import { setImmediate, setTimeout } from 'node:timers/promises'

/** Far more than anything takes on the busiest machine: only a failed run gets there. */
const LONGEST = 120_000
/** The first checks come without a pause. Later ones pause, because what takes longer needs the processor more. */
const EAGER = 100
const PAUSE = 2

/** Waits for a condition that has no event; fails after a time limit. With `eager` it never pauses, for conditions that advance with each check. */
export async function until(isSo: () => boolean | Promise<boolean>, eager = EAGER): Promise<void> {
  const end = performance.now() + LONGEST
  for (let looks = 0; ; looks++) {
    if (await isSo()) return
    if (performance.now() > end) throw new Error('It never came true.')
    await (looks < eager ? setImmediate() : setTimeout(PAUSE))
  }
}

const LOOK_EVERY = 20

/** Waits for a remote network or gateway; the failure says what never happened. */
export async function waitFor(
  what: string,
  isSo: () => Promise<boolean>,
  { patience, tell = () => '' }: { patience: number; tell?: () => string },
): Promise<void> {
  const end = performance.now() + patience
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It never came true: ${what} ${tell()}`)
    await setTimeout(LOOK_EVERY)
  }
}

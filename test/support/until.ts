import { setImmediate, setTimeout } from 'node:timers/promises'

/** Far more than anything takes, on the busiest machine: only a failed run gets there. */
const LONGEST = 120_000
/** Looks without a pause. What takes longer than they do needs the processor more than we do: others have it, too. */
const EAGER = 100
const PAUSE = 2

/** Waits for what has no event of its own; gives up rather than keep a failed run alive. Whoever brings it about with each look looks eagerly to the end. */
export async function until(isSo: () => boolean | Promise<boolean>, eager = EAGER): Promise<void> {
  const end = performance.now() + LONGEST
  for (let looks = 0; ; looks++) {
    if (await isSo()) return
    if (performance.now() > end) throw new Error('It never came true.')
    await (looks < eager ? setImmediate() : setTimeout(PAUSE))
  }
}

const LOOK_EVERY = 20

/** Waits for what somebody else's network or gateway does in its own time, and says what never came true. */
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

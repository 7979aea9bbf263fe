import type { Clock } from '../../../kernel/ports.ts'

/** Waits for something, but not longer than so many milliseconds: undefined then, and what it waits for goes on by itself. */
export async function waitAtMost<T>(clock: Clock, milliseconds: number, something: Promise<T>): Promise<T | undefined> {
  if (milliseconds <= 0) return undefined
  let cancel = () => {}
  const timer = new Promise<undefined>((resolve) => {
    cancel = clock.after(milliseconds, () => resolve(undefined))
  })
  try {
    return await Promise.race([something, timer])
  } finally {
    cancel()
  }
}

import type { Clock } from '../../../kernel/ports.ts'

/** Waits for something, but not longer than so many milliseconds. What it waits for goes on by itself. */
export async function waitAtMost(clock: Clock, milliseconds: number, something: Promise<void>): Promise<void> {
  if (milliseconds <= 0) return
  let cancel = () => {}
  const timer = new Promise<void>((resolve) => {
    cancel = clock.after(milliseconds, resolve)
  })
  try {
    await Promise.race([something, timer])
  } finally {
    cancel()
  }
}

import { whenOver } from '../../kernel/when-over.ts'
import type { Clock } from '../../kernel/ports.ts'

/** Runs something that may take for ever; its caller waits this long at most. */
export async function withTimeLimit<T>(
  clock: Clock,
  milliseconds: number,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController()
  const { promise: timedOut, reject } = Promise.withResolvers<never>()
  // It is not waited for any more when something else has failed before.
  void whenOver(timedOut)
  const cancelTimer = clock.after(milliseconds, () => {
    abort.abort()
    reject(new Error('no answer in time'))
  })
  try {
    return await Promise.race([run(abort.signal), timedOut])
  } finally {
    cancelTimer()
  }
}

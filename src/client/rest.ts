/** Waits so many milliseconds; a signal ends the wait early, with its reason. */
export function rest(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** Longer after each failure, and never at the same moment as everybody else. */
export const backOff = (failures: number, { first = 100, most = 30_000 } = {}): number =>
  Math.min(most, first * 2 ** failures) * (0.5 + Math.random() / 2)

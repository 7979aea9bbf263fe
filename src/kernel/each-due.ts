import { isOutage } from './failures.ts'

const RETRY_AFTER = 30_000

interface DueOf {
  signal: AbortSignal
  /** Tells that one has failed. */
  failed(id: string): (error: unknown) => undefined
  /** Has one that failed wait so many milliseconds. */
  postpone(id: string, milliseconds: number): Promise<unknown>
}

/** Takes up what is due, one after another. One that fails keeps no other waiting; a round in which one of our own faults showed is not done. */
export async function forEachDue(
  ids: readonly string[],
  { signal, failed, postpone }: DueOf,
  run: (id: string) => Promise<unknown>,
): Promise<void> {
  const faults: unknown[] = []
  for (const id of ids) {
    if (signal.aborted) return
    try {
      await run(id)
    } catch (error) {
      failed(id)(error)
      await postpone(id, RETRY_AFTER)
      if (!isOutage(error)) faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}

/** Resolves when a promise has settled, whatever its outcome, for callers that leave the outcome to others. */
export async function whenOver(something: Promise<unknown>): Promise<void> {
  await Promise.allSettled([something])
}

/** Resolves when a promise has settled, whatever its outcome. For callers that leave the outcome to another holder. */
export async function whenOver(something: Promise<unknown>): Promise<void> {
  await Promise.allSettled([something])
}

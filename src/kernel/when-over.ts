/** Resolves when something is over, however it ended. For what another holder hears the outcome of. */
export async function whenOver(something: Promise<unknown>): Promise<void> {
  await Promise.allSettled([something])
}

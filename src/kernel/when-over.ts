/** Resolves when something is over, however it ended. For what somebody else holds as well, who hears how it ended. */
export async function whenOver(something: Promise<unknown>): Promise<void> {
  await Promise.allSettled([something])
}

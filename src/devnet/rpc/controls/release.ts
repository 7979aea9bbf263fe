import type { Handler } from '../handler.ts'

/** Confirms everything that waits and goes back to confirming by itself. */
export const devnetRelease: Handler = async (node) => {
  await node.release()
  return { success: '' }
}

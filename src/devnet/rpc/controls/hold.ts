import type { Handler } from '../handler.ts'

/** From now on blocks stay unconfirmed. */
export const devnetHold: Handler = (node) => {
  node.hold()
  return { success: '' }
}

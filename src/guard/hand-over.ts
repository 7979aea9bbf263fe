import type { KeyLookup } from '../kernel/ports.ts'
import { type RegisteredAction, Registry } from './registry.ts'

/** Not answered here, and not counted here: the owner takes the whole request. One value, because it is thrown often. */
export const HANDED_OVER = new Error('Handed over.')

/** The actions of a process that answers some of them; who asks for another is handed over. */
export class PartRegistry extends Registry {
  override find(name: string): RegisteredAction {
    const found = super.find(name)
    if (!found) throw HANDED_OVER
    return found
  }
}

/** A request with a key is handed over: whose it is, and what it still may, is known elsewhere. */
export const KEYS_ELSEWHERE: KeyLookup = {
  find() {
    throw HANDED_OVER
  },
  findNow() {
    throw HANDED_OVER
  },
}

import type { KeyLookup } from '../kernel/ports.ts'
import { type RegisteredAction, Registry } from './registry.ts'

/** This process neither answers nor counts the request: the owner takes it. One value, because it is thrown often. */
export const HANDED_OVER = new Error('Handed over.')

/** The actions of a process that answers only some of them; requests for any other are handed over. */
export class PartRegistry extends Registry {
  override find(name: string): RegisteredAction {
    const found = super.find(name)
    if (!found) throw HANDED_OVER
    return found
  }
}

/** Requests with a key are handed over: only the owner knows whose a key is and what it may still do. */
export const KEYS_ELSEWHERE: KeyLookup = {
  find() {
    throw HANDED_OVER
  },
  findNow() {
    throw HANDED_OVER
  },
}

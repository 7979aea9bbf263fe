import type { StoreCtx } from '../../kernel/in-tx.ts'
import { type Module, offer } from '../../kernel/module.ts'
import type { KnownName, Names, Notices } from '../../kernel/ports.ts'
import { aliases } from './actions/aliases.ts'
import { known } from './actions/known.ts'
import { NameIndex } from './name-index.ts'
import { type BuiltIn, exchangesOf } from './built-in.ts'
import { nameRoutes } from './routes.ts'

/** Notifies other instances that a name has changed. */
const NOTICE = 'name'

export const NAME_ACTIONS = [known, aliases]

interface NamePorts {
  store: StoreCtx
  notices: Notices
  /** Names for the development ledger, available once the other modules are open. */
  play: (() => Promise<readonly KnownName[]>) | undefined
}

export interface NamesModule extends Module {
  names: Names
  /** Whether the address belongs to an exchange, where a refund would not reach the person who paid. */
  isExchange(address: string): boolean
  /** Announces a changed lease, so that every instance on the store reads it again. */
  announceChange(key: string): void
  /** Reads a lease again before anyone is notified of a change, because the notice may be late or lost. */
  learn(key: string): Promise<void>
}

/** Opens the names module, which follows every change of a lease on any instance. */
export function openNames({ store, notices, play }: NamePorts, builtIn: BuiltIn): NamesModule {
  const { db, clock, failures } = store
  const book = new NameIndex({ db, clock, builtIn, onError: failures.failed('names.book') })
  const exchanges = exchangesOf(builtIn)
  notices.subscribe(NOTICE, (key) => book.note(key))
  notices.onGap(() => book.reload())
  return {
    ...offer<Names>('names', book, NAME_ACTIONS),
    routes: nameRoutes(book),
    names: book,
    isExchange: (address) => exchanges.has(address),
    announceChange: (key) => notices.publish(NOTICE, key),
    learn: (key) => book.learn(key),
    load: async () => book.start(await play?.()),
    close: () => book.stop(),
  }
}

import type { StoreCtx } from '../../kernel/in-tx.ts'
import { type Module, offer } from '../../kernel/module.ts'
import type { KnownName, Names, Notices } from '../../kernel/ports.ts'
import { aliases } from './actions/aliases.ts'
import { known } from './actions/known.ts'
import { NameIndex } from './name-index.ts'
import { type BuiltIn, exchangesOf } from './built-in.ts'
import { nameRoutes } from './routes.ts'

/** The notice by which instances learn that a name has changed. */
const NOTICE = 'name'

export const NAME_ACTIONS = [known, aliases]

interface NamePorts {
  store: StoreCtx
  notices: Notices
  /** Names of those who try things out, which are known once the rooms are open. */
  play: (() => Promise<readonly KnownName[]>) | undefined
}

export interface NamesModule extends Module {
  names: Names
  /** Whether what is sent to an address reaches an exchange and not the payer who paid from it. */
  isExchange(address: string): boolean
  /** A lease has changed, here: everybody who shares the store reads it again. */
  tellChanged(key: string): void
  /** Reads a lease again before anybody is told of it: a notice may be late or lost. */
  learn(key: string): Promise<void>
}

/** The book of names, which hears of every lease that changes, on whichever instance. */
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
    tellChanged: (key) => notices.publish(NOTICE, key),
    learn: (key) => book.learn(key),
    load: async () => book.start(await play?.()),
    close: () => book.stop(),
  }
}

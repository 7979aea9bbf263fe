import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../../kernel/db.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { Clock, Ids } from '../../kernel/ports.ts'
import { keepFile } from '../private-files.ts'
import { findFact, keepFact, moveFact, replaceFact } from './facts.ts'
import type { Store } from './open.ts'

/** Each time costs a commit, also in a gateway that has nothing else to do. */
const MOVED_EVERY = 5_000
/** Each restore begins a new line; this many are remembered. */
const LINES_MAX = 20
const NAME = 'mark'

export const RESTORED_BENEATH =
  'The store was restored from a backup: this gateway has seen a newer state of it. Until the restore is settled, requests with an unknown Idempotency-Key send nothing.'

/** A counter in the store that every gateway increases. If it is lower than before, on the same line, a backup was restored. */
interface Mark {
  line: string
  count: number
}

type Needs = Pick<Store, 'db' | 'isReplaced' | 'onConnection'> & {
  clock: Clock
  ids: Ids
  failures: Failures
  dataDir: string
}

/**
 * Recognises that a backup of the store was restored: while the gateway runs, and, by a file in its data folder, while it was stopped. A gateway remembers
 * keys, names and claims that a restored store may not have, so it ends; its next start declares the store restored.
 */
export class StoreMark {
  readonly #needs: Needs
  readonly #file: string
  /** The highest count seen of each line. */
  readonly #seen: Map<string, number>
  #own: Mark
  /** Whether the store is older than what this data folder has seen of it. */
  readonly isOlder: boolean

  private constructor(needs: Needs, { file, seen, found }: { file: string; seen: Map<string, number>; found: Mark }) {
    this.#needs = needs
    this.#file = file
    this.#seen = seen
    this.#own = found
    this.isOlder = found.count < (seen.get(found.line) ?? 0)
    if (!this.isOlder) this.#remember(found)
  }

  static async open(needs: Needs): Promise<StoreMark> {
    const { db, ids, clock, dataDir } = needs
    const file = join(dataDir, 'store-mark')
    const text = await keepFact(db, {
      name: NAME,
      value: toText({ line: ids.next('lin'), count: 0 }),
      now: clock.now(),
    })
    return new StoreMark(needs, { file, seen: readSeen(file), found: toMark(text)! })
  }

  /** Begins a new line, so that gateways that have seen the old one end. */
  async renew(): Promise<void> {
    this.#own = await renewMark(this.#needs)
    this.#remember(this.#own)
  }

  /** Calls once when the store went back. Returns a function that stops looking. */
  watch(onRestored: (reason: string) => void): () => void {
    const { clock, failures, isReplaced, onConnection } = this.#needs
    let state: 'watching' | 'over' | 'back' = 'watching'
    let cancel = () => {}
    const end = () => {
      if (state !== 'watching') return
      state = 'back'
      onRestored(RESTORED_BENEATH)
    }
    const again = () => {
      if (state === 'watching') cancel = clock.after(MOVED_EVERY, look)
    }
    const look = () => {
      if (isReplaced()) return end()
      void this.#move().then(
        (went) => (went === 'back' ? end() : again()),
        (error) => {
          failures.lost('store.mark')(error)
          again()
        },
      )
    }
    // A restored server has closed its connections, so the mark is read first on each new one.
    onConnection(() => {
      const known = this.#own
      return ({ value, isReadOnly }) => {
        if (state !== 'watching' || !wentBack(known, toMark(value))) return state !== 'back'
        // A lagging replica has an old mark as well, until it accepts writes.
        if (!isReadOnly) end()
        return false
      }
    })
    again()
    return () => {
      state = 'over'
      cancel()
    }
  }

  /**
   * Increases the mark, unless another gateway does so at this moment. Reports a restore only if the write succeeds, because a lagging replica has an old
   * mark too.
   */
  async #move(): Promise<'on' | 'back'> {
    const { db, clock } = this.#needs
    const value = await findFact(db, NAME)
    const found = toMark(value)
    if (found === undefined) return 'back'
    const isBack = wentBack(this.#own, found)
    // Where it went back the mark stays, for the next start to see: the write only shows that the store takes one.
    const next = isBack ? found : { line: found.line, count: found.count + 1 }
    const isOurs = await moveFact(db, { name: NAME, from: value!, to: toText(next), now: clock.now() })
    if (isBack) return isOurs ? 'back' : 'on'
    this.#own = isOurs ? next : found
    this.#remember(this.#own)
    return 'on'
  }

  #remember({ line, count }: Mark): void {
    this.#seen.delete(line)
    this.#seen.set(line, count)
    for (const old of [...this.#seen.keys()].slice(0, -LINES_MAX)) this.#seen.delete(old)
    keepFile(this.#file, JSON.stringify(Object.fromEntries(this.#seen)))
  }
}

/** Begins a new line of a store that was declared as restored. */
export async function renewMark({ db, clock, ids }: { db: Db; clock: Clock; ids: Ids }): Promise<Mark> {
  const mark = { line: ids.next('lin'), count: 0 }
  await replaceFact(db, { name: NAME, value: toText(mark), now: clock.now() })
  return mark
}

function wentBack(known: Mark, found: Mark | undefined): boolean {
  return found === undefined || found.line !== known.line || found.count < known.count
}

const toText = ({ line, count }: Mark): string => `${line} ${count}`

function toMark(text: string | null | undefined): Mark | undefined {
  const [line, count] = text?.split(' ') ?? []
  return line !== undefined && count !== undefined ? { line, count: Number(count) } : undefined
}

/** If the file cannot be read, a restore is noticed only by a running gateway. */
function readSeen(file: string): Map<string, number> {
  if (!existsSync(file)) return new Map()
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>))
  } catch {
    return new Map()
  }
}

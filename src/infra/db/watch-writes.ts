import type { Clock } from '../../kernel/ports.ts'
import type { Db } from '../../kernel/db.ts'
import { systemRandom } from '../random.ts'
import { replaceFact } from './facts.ts'
import type { StoreHealth } from './store-failure.ts'

const LOOK_EVERY = 2_000
/** More than fits into half-empty pages of a full disk; random, so that it cannot be compressed. */
const PROBE_BYTES = 65_536

/**
 * Tests a store that accepted no writes until it does again, so that no request has to find out. Returns a function
 * that stops it.
 */
export function watchWrites(db: Db, clock: Clock, health: StoreHealth): () => void {
  let stopped = false
  let cancel = () => {}
  const look = () => {
    if (!stopped) cancel = clock.after(LOOK_EVERY, () => void probe(db, clock).then(() => health.recover(), look))
  }
  health.onUnwritable = look
  return () => {
    stopped = true
    cancel()
  }
}

async function probe(db: Db, clock: Clock): Promise<void> {
  for (const value of [Buffer.from(systemRandom.bytes(PROBE_BYTES)).toString('base64'), '']) {
    await replaceFact(db, { name: 'probe', value, now: clock.now() })
  }
}

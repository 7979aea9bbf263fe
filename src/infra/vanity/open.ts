import type { Vanity } from '../../kernel/key-vault.ts'
import type { Clock, Random } from '../../kernel/ports.ts'
import { findVanity } from './find.ts'
import { VanityTurns } from './turns.ts'

/** Vanity searches of this process, a few at a time and each account in its turn. */
export function openVanity({ random, clock }: { random: Random; clock: Clock }): Vanity {
  const turns = new VanityTurns(clock)
  return {
    find: ({ payer, prefix, timeLimitMilliseconds, leaving }) =>
      turns.take({ payer, waitMilliseconds: timeLimitMilliseconds, leaving }, async () => {
        const abort = new AbortController()
        const stay = leaving.onLeave(() => abort.abort())
        try {
          return await findVanity({ prefix, timeLimitMilliseconds, random, clock, signal: abort.signal })
        } finally {
          stay()
        }
      }),
  }
}

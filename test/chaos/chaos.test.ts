import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SEED } from '../support/random.ts'
import { isThorough } from '../support/thorough.ts'
import { runChaos } from './run.ts'

const SECONDS = isThorough ? 60 : 20
/** Generous, for slow machines. Leases, retries and waits are never judged by their duration. */
const TIMEOUT = 2_400_000

test(
  `${SECONDS} seconds of random faults lose no payment, send or credit, double none, and tell every shop once`,
  { timeout: TIMEOUT },
  async (t) => {
    const { breaches, figures } = await runChaos({
      seed: SEED,
      milliseconds: SECONDS * 1_000,
      tell: (line) => t.diagnostic(line),
      signal: t.signal,
    })
    for (const line of figures) t.diagnostic(line)
    assert.deepEqual(breaches, [], `seed ${SEED}`)
  },
)

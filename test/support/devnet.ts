import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Devnet, type DevnetOptions, startDevnet } from '../../src/devnet/index.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { networkClock } from './clock.ts'
import { openFolder } from './folder.ts'
import { testRandom } from './random.ts'

/** Milliseconds until a ledger in tests confirms, at least and at most. */
export const CONFIRMED_AFTER = [50, 300] as const

/**
 * A ledger of the test's own, in memory unless told otherwise, closed when the test ends. It confirms like the network, unless
 * it is told a time to confirm after.
 */
export async function openDevnet(
  t: TestContext,
  { clock = systemClock, confirmAfterMilliseconds, ...options }: Partial<DevnetOptions> = {},
): Promise<Devnet> {
  const devnet = await startDevnet({
    file: ':memory:',
    random: testRandom,
    ...(confirmAfterMilliseconds === undefined
      ? { clock: networkClock(clock), confirmAfterMilliseconds: CONFIRMED_AFTER }
      : { clock, confirmAfterMilliseconds }),
    ...options,
  })
  t.after(() => devnet.close())
  return devnet
}

/** Where a ledger file of the test may lie; the folder goes away with the test. */
export function ledgerFile(t: TestContext): string {
  const folder = openFolder(t)
  return join(folder, 'ledger.db')
}

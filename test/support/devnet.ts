import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Devnet, type DevnetOptions, startDevnet } from '../../src/devnet/index.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { networkClock } from './clock.ts'
import { openFolder } from './folder.ts'
import { testRandom } from './random.ts'

/** Minimum and maximum milliseconds until a test ledger confirms a block. */
export const CONFIRMED_AFTER = [50, 300] as const

/** A ledger for one test, in memory by default. It confirms with a random delay like the network, unless a time is given. */
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

/** A path for a ledger file; its folder is deleted after the test. */
export function ledgerFile(t: TestContext): string {
  const folder = openFolder(t)
  return join(folder, 'ledger.db')
}

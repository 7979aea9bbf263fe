import { startDevnet } from '../../src/devnet/index.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { systemRandom } from '../../src/infra/random.ts'
import { NO_WORK } from './blocks.ts'
import { CONFIRMED_AFTER } from './devnet.ts'

/*
 * A ledger in its own process, so that a test can kill it: `node --import tsx test/support/devnet-process.ts FILE [any-work]`. It prints its address as a
 * line of JSON.
 */
const [file, work] = process.argv.slice(2)
if (file === undefined) throw new Error('Which file?')
const devnet = await startDevnet({
  file,
  clock: systemClock,
  random: systemRandom,
  confirmAfterMilliseconds: CONFIRMED_AFTER,
  ...(work === 'any-work' && { thresholds: NO_WORK }),
})
console.log(JSON.stringify({ rpcUrl: devnet.rpcUrl, wsUrl: devnet.wsUrl }))

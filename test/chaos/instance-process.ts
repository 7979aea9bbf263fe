/*
 * A whole gateway in its own process, as `nano-gateway start` runs it, except that its clock can be set from outside: `{ offset: milliseconds }` over its
 * channel. It sends `{ url, createdKey }` once it listens.
 */
import { startApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { FollowingClock } from '../../src/infra/clock.ts'
import { openLog } from '../../src/infra/log.ts'
import { systemRandom } from '../../src/infra/random.ts'
import { onStop } from '../../src/cli/stop.ts'

let offset = Number(process.env.CLOCK_OFFSET_MS ?? 0)
process.on('message', (message: { offset: number }) => {
  offset = message.offset
})
const clock = new FollowingClock(() => Date.now() + offset)
const config = loadConfig()
const app = await startApp(config, { clock, random: systemRandom, log: openLog(config.logLevel) })
onStop(() => app.close())
process.send!({ url: app.url, createdKey: app.createdKey })

/*
 * A whole gateway in its own process that can be stopped in the middle of requests with an `Idempotency-Key`. The message `reserved` makes such requests
 * stop right after they began; `made` lets them do everything but store their answer. It sends `{ url, createdKey }` once it listens, and `{ held }` with
 * the action for each request so far.
 */
import { DefaultQueryExecutor } from 'kysely'
import { pino } from 'pino'
import { startApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { systemRandom } from '../../src/infra/random.ts'

let moment: 'reserved' | 'made' | undefined
process.on('message', (message: typeof moment) => {
  moment = message
})

const BEGINS = /^insert into "idempotency"/
const ENDS = /^update "idempotency" set "status"/

const { executeQuery } = DefaultQueryExecutor.prototype
DefaultQueryExecutor.prototype.executeQuery = async function hold(
  this: DefaultQueryExecutor,
  ...given: Parameters<typeof executeQuery>
) {
  const [{ sql, parameters }] = given
  const hangs = (held: unknown) => new Promise<never>(() => process.send!({ held }))
  if (moment === 'made' && ENDS.test(sql)) return hangs(parameters.at(-4))
  const result = await executeQuery.apply(this, given)
  return moment === 'reserved' && BEGINS.test(sql) ? hangs(parameters[1]) : result
} as typeof executeQuery

const app = await startApp(loadConfig(), { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) })
process.send!({ url: app.url, createdKey: app.createdKey })

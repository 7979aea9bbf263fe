/*
 * A whole gateway in a process of its own, which can be stopped in the middle of requests with an `Idempotency-Key`. Told
 * `reserved` over its channel, it begins such requests and goes no further; told `made`, it does everything they ask for
 * and never writes down what it would answer. It tells `{ url, createdKey }` once it listens, and `{ held }`, the action,
 * for each request that has come so far.
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

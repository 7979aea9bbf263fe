import { startApp } from './app.ts'
import { checkStart } from './config/check-start.ts'
import { onUncaught } from './cli/last-resort.ts'
import { openProcessLog } from './cli/log-lines.ts'
import { onStop } from './cli/stop.ts'
import { reportAll } from './config/config.ts'
import { keptTuning } from './cli/kept.ts'
import { keepAdministratorKey } from './store/data-folder.ts'
import { FollowingClock } from './infra/clock.ts'
import { systemRandom } from './infra/random.ts'
import { printStart } from './cli/print-start.ts'

/** The process: starts the gateway, prints its address, and stops it when asked. */
export async function runGateway(): Promise<void> {
  const clock = new FollowingClock()
  const { config, problems, warnings } = checkStart(clock)
  if (!config) throw new Error(reportAll(problems))
  const log = openProcessLog(config)
  for (const reason of warnings) {
    log.warn({ event: 'setting_misspelt', reason })
    process.stderr.write(`nano-gateway: ${reason}\n`)
  }
  const keepKey = (key: string) => keepAdministratorKey(config, key)
  // Not in order: every request that is still answered is answered from what is not true any more.
  const leave = () => log.flush(() => process.exit(1))
  const app = await startApp(config, { clock, random: systemRandom, log, keepKey, leave, tuning: keptTuning() })
  const end = async () => {
    log.info({ event: 'draining' })
    await app.close()
    log.info({ event: 'stopped' })
    await new Promise<void>((resolve) => log.flush(() => resolve()))
  }
  let ending: Promise<void> | undefined
  const stop = () => (ending ??= end())
  onStop(stop)
  onUncaught(app.failures, stop)
  await printStart(config, { app, log })
}

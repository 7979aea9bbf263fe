import type { Config } from '../config/config.ts'
import { measureStore } from '../infra/db/measure.ts'
import { forgetDoneJobs } from '../infra/jobs/queue.ts'
import { JobRunner } from '../infra/jobs/runner.ts'
import { forgetMails } from '../infra/mail/captured.ts'
import type { Module } from '../kernel/module.ts'
import { listenForCommands } from '../infra/db/command-socket.ts'
import { TABLES } from '../store/schema.ts'
import type { Ports } from './ports.ts'

/** The jobs of all modules and of the store itself. They run once the runner is started. */
export function openJobs(
  config: Config,
  { ports, modules }: { ports: Ports; modules: readonly Module[] },
  stack: AsyncDisposableStack,
): JobRunner {
  const { store, opened, notices, metrics, searches } = ports
  const jobs = modules.flatMap(({ jobs: own = [] }) => own)
  const { db, clock } = store
  const upkeep = [
    forgetDoneJobs(store, jobs, config),
    forgetMails(store, config),
    measureStore({ db, clock, engine: opened.engine, tables: TABLES }),
  ]
  const runner = new JobRunner({
    ...store,
    engine: opened.engine,
    jobs: [...upkeep, ...jobs],
    onOutcome: ({ kind, outcome }) => metrics.jobs.inc({ kind, outcome }),
  })
  stack.defer(async () => {
    const stopped = runner.stop()
    // No requests are running now, but a job may wait for work, and would delay the shutdown until that work is found.
    searches.dismiss()
    await stopped
  })
  notices.subscribe('jobs', () => runner.wake())
  return runner
}

/**
 * Applies changes that commands make to an embedded store before the command returns. If the folder can have no socket,
 * the gateway starts without this.
 */
export async function openCommandSocket(
  config: Config,
  { notices, failures, log, opened: { own } }: Ports,
  stack: AsyncDisposableStack,
) {
  try {
    stack.defer(await listenForCommands(config, { notices, failures, own }))
  } catch (error) {
    log.warn({ event: 'command_socket', reason: error instanceof Error ? error.message : String(error) })
  }
}

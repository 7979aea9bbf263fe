import { once } from 'node:events'
import { startApp } from '../app.ts'
import { onUncaught } from '../cli/last-resort.ts'
import { keptTuning } from '../cli/kept.ts'
import { openProcessLog } from '../cli/log-lines.ts'
import { exitAfter, onParentGone } from '../cli/stop.ts'
import { printStart } from '../cli/print-start.ts'
import type { Config } from '../config/config.ts'
import { FollowingClock } from '../infra/clock.ts'
import type { Log } from '../infra/log.ts'
import { systemRandom } from '../infra/random.ts'
import { keepAdministratorKey } from '../store/data-folder.ts'
import { startFront } from './front.ts'
import type { Begun, FrontFacts, Order, Place } from './lines.ts'

/** The process with the store, wallets, jobs and every action; fronts hand over to it. */
export async function runOwner(config: Config): Promise<void> {
  const { place } = await firstOrder()
  const log = openProcessLog(config, { shared: true })
  const keepKey = (key: string) => keepAdministratorKey(config, key)
  const surroundings = { clock: new FollowingClock(), random: systemRandom, log, tuning: keptTuning() }
  const app = await startApp(config, { ...surroundings, keepKey, place })
  const stop = onOrders(log, () => app.close(), {
    goodbye: () => void app.goodbye(),
    announce: (fronts) => void printStart(config, { app, log, fronts }),
  })
  onUncaught(app.failures, stop)
  reportBegun(app.facts)
}

/** One of the processes that share the port. */
export async function runFront(config: Config): Promise<void> {
  const { place, facts } = await firstOrder()
  const log = openProcessLog(config, { shared: true })
  const front = await startFront(
    config,
    { place, facts: facts! },
    { clock: new FollowingClock(), random: systemRandom, log },
  )
  onUncaught(
    front.failures,
    onOrders(log, () => front.close()),
  )
  reportBegun(true)
}

const reportBegun = (begun: Begun['begun']) => process.send!({ begun } satisfies Begun)

/** Set when the process was asked to end before it had started. */
let isOver = false

async function firstOrder(): Promise<{ place: Place; facts: FrontFacts | undefined }> {
  if (!process.send) throw new Error('This is started by the first process of a gateway: nano-gateway start.')
  // The first process ends all others in the right order; a terminal and systemd send signals to all at once, which are ignored here.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.on('message', (order: Order) => (isOver ||= order === 'stop'))
  // Until the first order, nothing else keeps this process alive.
  process.channel!.ref()
  const [order] = (await once(process, 'message')) as [{ begin: Place; facts?: FrontFacts }]
  return { place: order.begin, facts: order.facts }
}

/** Shuts down when asked to, or when the first process is gone. */
function onOrders(
  log: Log,
  close: () => Promise<void>,
  { goodbye, announce }: { goodbye?(): void; announce?(fronts: number): void } = {},
): () => Promise<void> {
  const end = async () => {
    await close()
    await new Promise<void>((resolve) => log.flush(() => resolve()))
  }
  let ending: Promise<void> | undefined
  const stop = () => (ending ??= end())
  const leave = () => exitAfter(stop)
  onParentGone(leave)
  process.on('message', (order: Order) => {
    if (order === 'stop') leave()
    else if (order === 'goodbye') goodbye?.()
    else if ('announce' in order) announce?.(order.announce)
  })
  if (isOver) leave()
  return stop
}

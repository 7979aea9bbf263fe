import { setTimeout as sleep } from 'node:timers/promises'
import { SeededRandom } from '../support/random.ts'
import { type Faults, injectFaults } from './faults.ts'
import { askEach, findBreaches, listUnsettled } from './invariants.ts'
import { type Made, runLoad } from './load.ts'
import { type ChaosWorld, openChaosWorld } from './world.ts'

const TELL_EVERY = 10_000
/** Leases of the dead, clocks that were ahead and retries of webhooks all take their time; none of it is a defect. */
const SETTLE_MAX = 900_000
const LOOK_EVERY = 1_000

export interface ChaosOptions {
  seed: number
  milliseconds: number
  tell(line: string): void
}

export interface ChaosReport {
  /** What must not be, each in a sentence. */
  breaches: string[]
  figures: string[]
}

/** Lets everything go wrong for a while, waits until it is whole again, and looks for what must not be. */
export async function runChaos({ seed, milliseconds, tell }: ChaosOptions): Promise<ChaosReport> {
  const startedAt = performance.now()
  const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(0)} s`
  tell(`seed ${seed}, ${milliseconds / 1_000} s of faults`)
  const world = await openChaosWorld(new SeededRandom(seed + 1))
  try {
    tell(`${seconds()}: two gateways run on PostgreSQL, Redis and a ledger of their own`)
    const made: Made = { checkouts: [], sends: [], workAnswers: 0, workAttempts: 0, reads: 0, givenUp: 0 }
    const faults: Faults = { counts: new Map(), last: 'nothing yet' }
    const ending = new AbortController()
    const load = world.payers.map((payer, at) =>
      runLoad({
        ...world,
        random: new SeededRandom(seed + 100 + at),
        payer,
        made,
        name: `caller-${at}`,
        ending: ending.signal,
      }),
    )
    const breaking = injectFaults(world, new SeededRandom(seed), faults, ending.signal)
    const end = performance.now() + milliseconds
    for (let left = milliseconds; left > 0; left = Math.round(end - performance.now())) {
      await sleep(Math.min(TELL_EVERY, left))
      tell(`${seconds()}: ${describe(world, made)}; last fault: ${faults.last}`)
    }
    ending.abort()
    await breaking
    for (const instance of world.instances) instance.setClock(0)
    tell(`${seconds()}: no more faults; waiting until everything is at rest`)
    await Promise.all(load)
    const unsettled = await settle(world, made, (open) => tell(`${seconds()}: ${open.join('; ')}`))
    const disagreements = await askEach(world, made)
    for (const instance of world.instances) await instance.stop()
    await world.ledger.kill()
    const breaches = [...unsettled, ...disagreements, ...(await findBreaches(world, made))]
    tell(`${seconds()}: ${breaches.length === 0 ? 'everything is as it must be' : `${breaches.length} breaches`}`)
    return { breaches, figures: toFigures(world, made, faults) }
  } finally {
    await world.close()
  }
}

async function settle(world: ChaosWorld, made: Made, tell: (open: string[]) => void): Promise<string[]> {
  const end = performance.now() + SETTLE_MAX
  let toldAt = performance.now()
  for (;;) {
    const open = await listUnsettled(world, made)
    if (open.length === 0 || performance.now() > end) return open
    if (performance.now() - toldAt > TELL_EVERY) {
      toldAt = performance.now()
      tell(open)
    }
    await sleep(LOOK_EVERY)
  }
}

function describe({ client: { counts } }: ChaosWorld, { checkouts, sends }: Made): string {
  const paid = checkouts.filter(({ paidBy }) => paidBy !== undefined).length
  const sent = sends.filter(({ hash }) => hash !== undefined).length
  return `${counts.requests} requests, ${counts.unclear} unclear, ${paid} checkouts paid, ${sent} sends`
}

function toFigures({ client, receiver, mailbox, instances }: ChaosWorld, made: Made, faults: Faults): string[] {
  const { counts } = client
  const paid = made.checkouts.filter(({ paidBy }) => paidBy !== undefined)
  const acknowledged = made.sends.filter(({ hash }) => hash !== undefined)
  const events = [...receiver.events.values()]
  const tellings = events.reduce((sum, event) => sum + event.tellings, 0)
  const repeats = events.reduce((sum, event) => sum + event.repeats, 0)
  const mails = [...mailbox.received.values()]
  const refusals = [...counts.refused].map(([code, count]) => `${code} ${count}`).join(', ')
  return [
    `faults: ${[...faults.counts].map(([name, count]) => `${name} ${count}`).join(', ')}`,
    `gateways: ${instances
      .map(
        ({ name, starts, failedStarts, slowStops }) =>
          `${name} started ${starts} times, ${failedStarts} in vain, ${slowStops} times slow to stop`,
      )
      .join('; ')}`,
    `requests: ${counts.requests}, answered ${counts.answered}, unclear ${counts.unclear}; refused: ${refusals || 'none'}`,
    `checkouts: ${made.checkouts.length} made, ${paid.length} paid; given up by their client: ${made.givenUp} (with sends)`,
    `events: ${events.length}, told ${tellings} times, ${repeats} after they were taken; mails ${mails.length}, of which twice ${mails.filter((count) => count > 1).length}`,
    `sends: ${made.sends.length} asked for, ${acknowledged.length} acknowledged`,
    `work: ${made.workAttempts} asked for, ${made.workAnswers} paid with a credit; reads: ${made.reads}`,
  ]
}

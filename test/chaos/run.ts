import { setTimeout as sleep } from 'node:timers/promises'
import type { Options as GivenNode } from '../scenario/options.ts'
import { SeededRandom } from '../support/random.ts'
import { type Faults, injectFaults } from './faults.ts'
import { askEach, findBreaches, listUnsettled } from './invariants.ts'
import { replayEach } from './check-purchases.ts'
import { toFigures } from './figures.ts'
import { type Doing, runLoad } from './load.ts'
import { type Made, isPaid, nothingMade } from './made.ts'
import { type ChaosWorld, openChaosWorld } from './world.ts'

const TELL_EVERY = 10_000
/** Leases of dead processes, fast clocks and webhook retries take time, which is not a defect. */
const SETTLE_MAX = 900_000
const LOOK_EVERY = 1_000

export interface ChaosOptions {
  seed: number
  milliseconds: number
  /** A foreign node; if unset, the run starts its own ledger. */
  node?: GivenNode | undefined
  tell(line: string): void
  /** Ends the run early. */
  signal?: AbortSignal | undefined
}

export interface ChaosReport {
  /** One sentence for each broken invariant. */
  breaches: string[]
  figures: string[]
}

/** Causes faults for a while, waits until everything has recovered, and checks the invariants. */
export async function runChaos({ seed, milliseconds, node, tell, signal }: ChaosOptions): Promise<ChaosReport> {
  const startedAt = performance.now()
  const reportWhen = (line: string) => tell(`${((performance.now() - startedAt) / 1_000).toFixed(0)} s: ${line}`)
  tell(`seed ${seed}, ${milliseconds / 1_000} s of faults`)
  const world = await openChaosWorld({ random: new SeededRandom(seed + 1), given: node, tell: reportWhen })
  const made = nothingMade()
  const faults: Faults = { counts: new Map(), last: 'nothing yet' }
  const breaches: string[] = []
  try {
    reportWhen(`two gateways run on PostgreSQL, Redis and ${node ? 'the given node' : 'a ledger of their own'}`)
    await breakThings(world, made, faults, { seed, milliseconds, tell: reportWhen, signal })
    breaches.push(...(await settle(world, made, (open) => reportWhen(open.join('; ')))))
    breaches.push(...(await askEach(world, made)), ...(await replayEach(world, made)))
    for (const instance of world.instances) await instance.stop()
    breaches.push(...(await findBreaches(world, made)))
  } finally {
    if (node) breaches.push(...(await giveBack(world, reportWhen)))
    await world.close()
  }
  reportWhen(breaches.length === 0 ? 'everything is as it must be' : `${breaches.length} breaches`)
  return { breaches, figures: toFigures(world, made, faults) }
}

/** If one part fails, all are ended: waiting would be pointless. */
async function breakThings(
  world: ChaosWorld,
  made: Made,
  faults: Faults,
  { seed, milliseconds, tell, signal }: Omit<ChaosOptions, 'node'>,
): Promise<void> {
  const ending = new AbortController()
  const failing = new AbortController()
  const over = signal ? AbortSignal.any([signal, failing.signal]) : failing.signal
  const doings: Doing[] = []
  const load = world.money.payers.map((payer, at) => {
    const name = `caller-${at}`
    const doing = { name, what: 'nothing', since: performance.now() }
    doings.push(doing)
    const options = {
      ...world,
      db: world.store.db,
      random: new SeededRandom(seed + 100 + at),
      payer,
      buyer: world.money.buyers[at]!,
      made,
      name,
      ending: ending.signal,
      over,
    }
    return runLoad(options, doing)
  })
  const breaking = injectFaults(world, new SeededRandom(seed), faults, ending.signal)
  const all = Promise.all([breaking, ...load])
  const end = performance.now() + milliseconds
  let requests = -1
  try {
    for (let left = milliseconds; left > 0; left = Math.round(end - performance.now())) {
      await Promise.race([all, sleep(Math.min(TELL_EVERY, left), undefined, { signal: over })])
      tell(`${describe(world, made)}; last fault: ${faults.last}`)
      if (world.client.counts.requests === requests)
        tell(`nobody asks anything: ${doings.map(describeDoing).join(', ')}`)
      requests = world.client.counts.requests
    }
    ending.abort()
    await Promise.race([all, breaking])
    for (const instance of world.instances) instance.setClock(0)
    tell('no more faults; waiting until everything is at rest')
    await all
  } finally {
    ending.abort()
    failing.abort()
    await Promise.allSettled([breaking, ...load])
  }
}

/** The gateways' wallets are emptied first; then all others return the rest. */
async function giveBack({ money, client, instances }: ChaosWorld, tell: (line: string) => void): Promise<string[]> {
  tell('the money goes back')
  if (instances.every(({ url }) => url === undefined)) await instances[0]!.start()
  return money.giveBack(client)
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

const describeDoing = ({ name, what, since }: Doing) =>
  `${name} is at ${what} for ${((performance.now() - since) / 1_000).toFixed(0)} s`

function describe({ client: { counts } }: ChaosWorld, made: Made): string {
  const paid = made.checkouts.filter(isPaid).length
  const sent = made.sends.filter(({ hash }) => hash !== undefined).length
  const given = made.refunds.filter(({ id }) => id !== undefined).length
  const bought = made.purchases.filter(({ answer }) => answer !== undefined).length
  return `${counts.requests} requests, ${counts.unclear} unclear, ${paid} checkouts paid, ${sent} sends, ${given} refunds, ${bought} requests bought, ${made.sales.length} sales at the market, ${made.roleChanges} roles lowered`
}

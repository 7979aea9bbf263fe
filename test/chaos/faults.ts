import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '../support/random.ts'
import type { TcpRelay } from '../support/tcp-relay.ts'
import type { Instance, Lines } from './instance.ts'
import type { ChaosWorld } from './world.ts'

const BETWEEN_MIN = 1_000
const BETWEEN_MAX = 4_000
const AT_ONCE_MAX = 3
const CLOCK_WRONG_MAX = 45_000
const LINE_NAMES = ['postgres', 'redis', 'node', 'otherNode', 'nodeEvents'] as const
/** Percentage of faults that do not need our own ledger. */
const WITHOUT_LEDGER = 86
/** Above 100: additional faults of the lying second node. */
const WITH_LIAR = 124

/** A temporary fault that repairs itself. */
interface Fault {
  /** What it breaks. Two faults never break the same target at once. */
  target: string
  name: string
  run(): Promise<void>
}

export interface Faults {
  /** How often each kind has happened. */
  counts: Map<string, number>
  /** The last fault, for the progress display. */
  last: string
}

/** Causes random faults until aborted, then waits until everything works again. */
export async function injectFaults(
  world: ChaosWorld,
  random: SeededRandom,
  faults: Faults,
  ending: AbortSignal,
): Promise<void> {
  const running = new Map<string, Promise<void>>()
  const failed = Promise.withResolvers<never>()
  while (!ending.aborted) {
    const pause = sleep(BETWEEN_MIN + random.below(BETWEEN_MAX - BETWEEN_MIN), undefined, { signal: ending })
    await Promise.race([failed.promise, pause.catch(() => undefined)])
    const fault = chooseFault(world, random)
    if (ending.aborted || running.has(fault.target) || running.size >= AT_ONCE_MAX) continue
    faults.counts.set(fault.name, (faults.counts.get(fault.name) ?? 0) + 1)
    faults.last = `${fault.name} (${fault.target})`
    const what = `${fault.target} stayed broken after: ${fault.name}`
    const mended = fault.run().catch((cause: unknown) => failed.reject(new Error(what, { cause })))
    running.set(
      fault.target,
      mended.finally(() => running.delete(fault.target)),
    )
  }
  await Promise.race([failed.promise, Promise.all(running.values())])
}

/** Faults that cannot be caused here, because the target is not ours. */
export function listLeftOut({ ledger, instances }: ChaosWorld): string[] {
  return [
    ...(ledger ? [] : ['node killed', 'node paused', 'node lying']),
    ...(instances.every(({ lines }) => lines.nodeEvents) ? [] : ['the line to the events of the node']),
  ]
}

/** Random numbers are drawn in a fixed order, so that a seed always gives the same faults. */
function chooseFault(world: ChaosWorld, random: SeededRandom): Fault {
  const { ledger } = world
  const instance = random.pick(world.instances)
  const lineName = random.pick(LINE_NAMES.filter((name) => instance.lines[name]))
  const seconds = (max: number) => 1_000 * (1 + random.below(max))
  const dice = random.below(ledger ? WITH_LIAR : WITHOUT_LEDGER)
  const length = seconds(10)
  const strength = random.below(1_000)
  if (dice < 14) return killed(instance.name, 'gateway killed', instance, length / 4)
  if (dice < 20) return restarted(instance)
  if (dice < 32) return paused(instance.name, 'gateway paused', instance, length * 1.5)
  if (dice < 42) return withWrongClock(instance, (strength / 500 - 1) * CLOCK_WRONG_MAX)
  if (dice < 74) return brokenLine(instance, lineName, { strength, length })
  const store = { kill: () => world.postgres.crash(), start: () => world.postgres.start() }
  if (dice < 80) return killed('postgres', 'PostgreSQL crashed', store, length / 4)
  if (!ledger || dice < WITHOUT_LEDGER) return killed('redis', 'Redis killed', world.redis, length / 2)
  const start = () => ledger.start().then(() => world.pointAtLedger())
  if (dice < 94) return killed('ledger', 'node killed', { kill: () => ledger.kill(), start }, length / 4)
  if (dice < 100) return paused('ledger', 'node paused', ledger, length)
  return lying(world, strength, length * 4)
}

/** One of three nodes lies. Once caught, gateways exclude it until they restart. */
function lying({ liar, store }: ChaosWorld, strength: number, milliseconds: number): Fault {
  const lies = [
    { name: 'node invents payments', tell: () => liar!.invent(store.db) },
    { name: 'node withholds blocks', tell: () => liar!.withhold() },
    { name: 'node changes amounts', tell: () => liar!.changeAmounts() },
    { name: 'node answers from the past', tell: () => liar!.answerAsBefore() },
  ]
  const { name, tell } = lies[strength % lies.length]!
  return {
    target: 'liar',
    name,
    async run() {
      // If the store is unreachable now, nothing is invented.
      await Promise.resolve(tell()).catch(() => undefined)
      await sleep(milliseconds)
      liar!.beHonest()
    },
  }
}

interface Mortal {
  kill(): Promise<unknown>
  start(): Promise<unknown>
}

type Pausable = Pick<Instance, 'pause' | 'resume'>

/** Kills a process and starts it again. */
const killed = (target: string, name: string, what: Mortal, milliseconds: number): Fault => ({
  target,
  name,
  async run() {
    await what.kill()
    await sleep(milliseconds)
    await what.start()
  },
})

const paused = (target: string, name: string, what: Pausable, milliseconds: number): Fault => ({
  target,
  name,
  async run() {
    what.pause()
    await sleep(milliseconds)
    what.resume()
  },
})

const restarted = (instance: Instance): Fault => ({
  target: instance.name,
  name: 'gateway restarted',
  async run() {
    await instance.stop()
    await instance.start()
  },
})

const withWrongClock = (instance: Instance, offset: number): Fault => ({
  target: `${instance.name} clock`,
  name: 'clock set wrong',
  run() {
    instance.setClock(Math.round(offset))
    return Promise.resolve()
  },
})

/** A slow connection to the store also simulates a slow disk. */
function brokenLine(
  { name, lines }: { name: string; lines: Lines },
  lineName: keyof Lines,
  { strength, length }: { strength: number; length: number },
): Fault {
  const line: TcpRelay = lines[lineName]!
  const kinds = [
    { name: 'line cut', fail: () => line.cut() },
    { name: 'line hanging', fail: () => line.hang() },
    { name: 'line slow', fail: () => line.slow(10 + (strength % 140)) },
  ]
  const kind = kinds[strength % kinds.length]!
  return {
    target: `${name} to ${lineName}`,
    name: kind.name,
    async run() {
      kind.fail()
      await sleep(length)
      line.open()
    },
  }
}

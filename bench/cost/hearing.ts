import { setTimeout as delay } from 'node:timers/promises'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { BenchGateway } from '../kit/gateway.ts'
import { type Row, inTurns } from './row.ts'
import { NAMES, type World, keyFor, startBare } from './world.ts'

const TURN = 4_000
/** The short form sends as fast as after a network outage; the long form as on a busy day. */
const EACH_MILLISECOND = { check: 40, else: 4 }
/** Time until everything that was sent has been received. */
const HEARD_WITHIN = 300

const IDLE_LOOKS = 3
const IDLE_LOOK = 1_000

/**
 * Confirmations that concern no customer, received from the node's websocket. The gateway's idle cost is subtracted; the lowest of several idle
 * measurements is used, because V8 sometimes collects garbage of an earlier load. The baseline is a minimal program that receives the same frames.
 */
export async function costHearing(world: World, gateway: BenchGateway, engine: StoreEngine): Promise<Row[]> {
  const { bench, ledger, options } = world
  const count = options.check ? TURN : TURN * world.scale
  const rate = EACH_MILLISECOND[options.check ? 'check' : 'else']
  await ledger.heard()
  const bare = await startBare(bench, 'hear', ledger.socketUrl)
  await ledger.reportStrangers(2_000, rate)
  await delay(HEARD_WITHIN)
  let idlest = Infinity
  for (let look = 0; look < IDLE_LOOKS; look++) {
    const before = gateway.spent().gateway
    await delay(IDLE_LOOK)
    idlest = Math.min(idlest, (gateway.spent().gateway - before) / IDLE_LOOK)
  }
  const hear = async () => {
    const [began, before, bareBefore] = [performance.now(), gateway.spent(), bare.spent()]
    await ledger.reportStrangers(count, rate)
    await delay(HEARD_WITHIN)
    const [took, after, bareAfter] = [performance.now() - began, gateway.spent(), bare.spent()]
    const own = after.gateway - before.gateway - idlest * took
    return { own: { gateway: own / count, database: 0 }, least: (bareAfter - bareBefore) / count }
  }
  let last: Awaited<ReturnType<typeof hear>> | undefined
  const { cost, yardstick } = await inTurns(
    { ...world, turns: Math.min(world.turns, 4) },
    keyFor('heard', engine),
    () => Promise.resolve(last!.own),
    async () => {
      last = await hear()
      return last.least
    },
  )
  await bare.end()
  return [
    {
      key: keyFor('heard', engine),
      group: 'hearing',
      operation: 'a confirmation that concerns nobody, from the node’s socket',
      store: NAMES[engine],
      cost,
      unit: 'µs',
      yardstick: { name: 'bare `ws` that parses it', ...yardstick },
      goal: { times: 1.15 },
    },
  ]
}

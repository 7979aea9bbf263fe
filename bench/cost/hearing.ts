import { setTimeout as delay } from 'node:timers/promises'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { BenchGateway } from '../kit/gateway.ts'
import { toFrame } from '../kit/stand-in.ts'
import { type Row, each, inTurns } from './row.ts'
import { NAMES, type World, keyFor } from './world.ts'

const TURN = 4_000
const EACH_MILLISECOND = 4
const PARSED = 20_000
/** What was told has been heard by then. */
const HEARD_WITHIN = 300

/** A confirmation that concerns nobody, as it comes from the node's socket. What the gateway does anyway is taken off. */
export async function costHearing(world: World, gateway: BenchGateway, engine: StoreEngine): Promise<Row[]> {
  const { ledger, turns } = world
  const count = TURN * Math.max(0.5, world.scale)
  await ledger.heard()
  await ledger.tellStrangers(2_000, EACH_MILLISECOND)
  await delay(HEARD_WITHIN)
  const operate = async () => {
    const [began, before] = [performance.now(), gateway.spent()]
    await ledger.tellStrangers(count, EACH_MILLISECOND)
    await delay(HEARD_WITHIN)
    const [took, after] = [performance.now() - began, gateway.spent()]
    await delay(took)
    const idle = gateway.spent()
    return each(
      { gateway: before.gateway + idle.gateway - after.gateway, database: 0 },
      { gateway: after.gateway, database: 0 },
      count,
    )
  }
  const { cost, yardstick } = await inTurns(Math.min(turns, 4), operate, () => Promise.resolve(parse()))
  return [
    {
      key: keyFor('heard', engine),
      group: 'hearing',
      operation: 'a confirmation that concerns nobody, from the node’s socket',
      store: NAMES[engine],
      cost,
      unit: 'µs',
      yardstick: { name: '`JSON.parse` of it', ...yardstick },
      goal: { gateway: 12 },
    },
  ]
}

function parse(): number {
  const frames = Array.from({ length: 1_000 }, (_, at) => toFrame(at).frame)
  const { user, system } = process.cpuUsage()
  for (let at = 0; at < PARSED; at++) JSON.parse(frames[at % frames.length]!)
  const after = process.cpuUsage()
  return (after.user + after.system - user - system) / PARSED
}

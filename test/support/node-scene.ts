import type { TestContext } from 'node:test'
import { bearer, merchant, openWorld, turnUntil } from './checkout-steps.ts'
import { EventRelay } from './event-relay.ts'
import { FaultyNode } from './faulty-node.ts'
import { Inventions } from './inventions.ts'

const { address } = merchant

/** A shop with foreign nodes, all with the same ledger, some of which can be made to lie. */
export async function openScene(t: TestContext, count: number, env: Record<string, string> = {}) {
  const world = await openWorld(t)
  const nodes: FaultyNode[] = []
  const relays: EventRelay[] = []
  for (let at = 0; at < count; at++) {
    nodes.push(await FaultyNode.start(t, { ledger: world.ledger }))
    relays.push(await EventRelay.start(t, world.ledger.wsUrl))
  }
  const shop = await world.start({
    NODE_URLS: nodes.map(({ url }) => url).join(','),
    NODE_WS_URLS: relays.map(({ url }) => url).join(','),
    ...env,
  })
  const open = (amount = '2') => shop.open({ address, amount }, bearer(world.key()))
  /** Advances the clock by so many seconds, with time for due work. */
  const pass = async (seconds: number) => {
    const end = world.clock.now() + seconds * 1_000
    await turnUntil(world, 1_000, async () => world.clock.now() >= end, nodes)
  }
  const inventions = new Inventions()
  /** The given nodes claim in every way that a checkout was paid. */
  const invent = ({ amount_raw: raw }: { amount_raw: string }, ...liars: number[]) => {
    const hash = inventions.pay(address, BigInt(raw), merchant.key)
    for (const at of liars) {
      inventions.reportThrough(nodes[at]!)
      inventions.tellBy(relays[at]!, hash)
    }
    return hash
  }
  const untilPaid = (id: string) => turnUntil(world, 1_000, async () => (await shop.check(id)).success, nodes)
  const stateOf = (at: number) => shop.app.nodes.pool.upstreams[at]!.state
  /** Calls a cloud wallet; a send that cannot be published is answered when it times out. */
  const call = async (fields: object) => {
    let isOver = false
    const answer = shop.call('cloud_wallet', { key: world.key(), ...fields }).finally(() => (isOver = true))
    await turnUntil(world, 1_000, async () => isOver, nodes)
    return answer
  }
  return { world, nodes, relays, shop, open, pass, inventions, invent, untilPaid, stateOf, call }
}

import type { TestContext } from 'node:test'
import { hashBlock } from '../../src/kernel/nano/block.ts'
import { NO_WORK, Signer, nano, openAccount, publish } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { EventRelay } from '../support/event-relay.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { openPooledGateway } from '../support/pooled-gateway.ts'
import { until } from '../support/until.ts'

export const alice = new Signer(1)
export const bob = new Signer(2)
export const carol = new Signer(3)

/** One node with its websocket, a clock that stands still, and Alice and Bob with 100 nano each. */
export async function openWorld(t: TestContext, env: Record<string, string> = {}) {
  const ledger = await openDevnet(t, { thresholds: NO_WORK })
  for (const signer of [alice, bob]) await openAccount(ledger.node, signer, nano(100))
  const node = await FaultyNode.start(t, { ledger })
  const relay = await EventRelay.start(t, ledger.wsUrl)
  const clock = new TestClock()
  const gateway = await openPooledGateway(t, [{ url: node.url, wsUrl: relay.url }], { clock, env })
  await until(() => gateway.app.nodes.confirmations.connected)
  /** Asks and returns where the answer came from. */
  const sourceOf = async (action: string, params?: object) => (await gateway.ask(action, params)).cache
  return { ledger, node, relay, clock, gateway, sourceOf }
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** Reads whose answers stay valid only until something happens to the account. */
export const eventReads = ({ address: account }: Signer): [string, object][] => [
  ['account_balance', { account }],
  ['accounts_balances', { accounts: [account] }],
  ['account_history', { account, count: '10' }],
  ['receivable', { account, count: '10' }],
  ['accounts_receivable', { accounts: [account], count: '10', source: 'true' }],
]

/** Publishes directly at the node and waits until the gateway has the block. */
export async function happen({ ledger, gateway }: World, block: ReturnType<Signer['send']>): Promise<string> {
  const heard = new Promise<void>((resolve) => {
    gateway.app.nodes.confirmations.listen(({ hash }) => hash === hashBlock(block) && resolve())
  })
  const hash = await publish(ledger.node, block)
  await heard
  return hash
}

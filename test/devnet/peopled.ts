import type { TestContext } from 'node:test'
import type { DevnetOptions } from '../../src/devnet/index.ts'
import { NO_WORK, Signer, frontierOf, nano, openAccount } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { ledgerFile, openDevnet } from '../support/devnet.ts'
import { call } from '../support/rpc.ts'

/** Alice has 10 nano and Bob has 1, all confirmed; Carol has nothing yet. */
export async function openPeopled(t: TestContext, options: Partial<DevnetOptions> = {}) {
  const file = ledgerFile(t)
  const devnet = await openDevnet(t, { file, thresholds: NO_WORK, confirmAfterMilliseconds: 0, ...options })
  const { node, rpcUrl } = devnet
  node.hold()
  const [alice, bob, carol] = [new Signer(1), new Signer(2), new Signer(3)]
  const opened = await openAccount(node, alice, nano(10))
  await openAccount(node, bob, nano(1))
  await node.release()
  const ask = <T = Record<string, string>>(action: string, fields: object = {}) => call<T>(rpcUrl, action, fields)
  /** Alice's next send to Bob. */
  const spend = (amount: number) => alice.send(frontierOf(node, alice.key), bob.key, nano(amount))
  return { devnet, node, file, alice, bob, carol, opened, ask, spend }
}

/** The same with a test clock. */
export async function openTimed(t: TestContext, options: Partial<DevnetOptions> = {}) {
  const clock = new TestClock()
  return { ...(await openPeopled(t, { ...options, clock })), clock }
}

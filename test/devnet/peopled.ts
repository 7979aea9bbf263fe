import type { TestContext } from 'node:test'
import type { DevnetOptions } from '../../src/devnet/index.ts'
import { NO_WORK, Signer, nano, openAccount } from '../support/blocks.ts'
import { ledgerFile, openDevnet } from '../support/devnet.ts'

/** Alice has 10 nano, Bob has 1, all confirmed; Carol has nothing yet. What confirms when is for the ledger's own tests to say. */
export async function openPeopled(t: TestContext, options: Partial<DevnetOptions> = {}) {
  const file = ledgerFile(t)
  const devnet = await openDevnet(t, { file, thresholds: NO_WORK, confirmAfterMilliseconds: 0, ...options })
  devnet.node.hold()
  const [alice, bob, carol] = [new Signer(1), new Signer(2), new Signer(3)]
  const opened = await openAccount(devnet.node, alice, nano(10))
  await openAccount(devnet.node, bob, nano(1))
  await devnet.node.release()
  return { devnet, node: devnet.node, file, alice, bob, carol, opened }
}

import type { TestContext } from 'node:test'
import { Signer, UNOPENED, frontierAfter, nano, publish } from '../support/blocks.ts'
import { type Gateway, openGateway } from '../support/gateway.ts'

export const alice = new Signer(1)
export const bob = new Signer(2)

export interface Town extends Gateway {
  /** Hashes: Alice opened with 10 nano, and sent 2 of them to Bob, who has not received them. */
  opened: string
  sent: string
}

/** A gateway in front of a ledger on which a little has happened. */
export async function openTown(t: TestContext, env: Record<string, string> = {}): Promise<Town> {
  const gateway = await openGateway(t, {
    KNOWN_NAMES: JSON.stringify({ Alice: alice.address }),
    LIMIT_FREE_PER_MINUTE: '0',
    ...env,
  })
  const { node } = gateway.app.devnet!
  const signer = new Signer(1, node.ledger.thresholds)
  const opening = signer.receive(UNOPENED, await node.fund(alice.key, nano(10)), nano(10))
  const opened = await publish(node, opening)
  const sent = await publish(node, signer.send(frontierAfter(opening), bob.key, nano(2)))
  await gateway.confirmed()
  return { ...gateway, opened, sent }
}

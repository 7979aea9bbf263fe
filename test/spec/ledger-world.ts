import type { TestContext } from 'node:test'
import { systemClock } from '../../src/infra/clock.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import type { StateBlock } from '../../src/kernel/nano/block.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import { Signer, UNOPENED, frontierAfter, nano, publish } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { type Gateway, openGateway } from '../support/gateway.ts'

export const alice = new Signer(1)
export const bob = new Signer(2)
export const carol = new Signer(3)
/** Funds all other accounts. */
export const FUNDER = toAddress(DEV_NETWORK.genesisAccount)
/** In raw, what Alice sent, has left and had; and the Unix times of her blocks on a test clock. */
export const RAW = {
  two: '2000000000000000000000000000000',
  eight: '8000000000000000000000000000000',
  ten: '10000000000000000000000000000000',
}
export const AT = { opened: '1794700800', sent: '1794700860' }

export interface LedgerWorld extends Gateway {
  /** Hashes: Alice opened with 10 nano, and sent 2 of them to Bob, who has not received them. */
  opened: string
  sent: string
  /** The block of that send. */
  block: StateBlock
}

/** A gateway with a ledger on which a little has happened. On a test clock, Alice sends a minute after her first block. */
export async function openLedgerWorld(
  t: TestContext,
  env: Record<string, string> = {},
  clock: Clock = systemClock,
): Promise<LedgerWorld> {
  const names = { KNOWN_NAMES: JSON.stringify({ Alice: alice.address }), LIMIT_FREE_PER_MINUTE: '0' }
  const gateway = await openGateway(t, { ...names, ...env }, clock)
  const { node } = gateway.app.devnet!
  const signer = new Signer(1, node.ledger.thresholds)
  const opening = signer.receive(UNOPENED, await node.fund(alice.key, nano(10)), nano(10))
  const opened = await publish(node, opening)
  if (clock instanceof TestClock) clock.advance(60_000)
  const block = signer.send(frontierAfter(opening), bob.key, nano(2))
  const sent = await publish(node, block)
  await gateway.confirmed()
  return { ...gateway, opened, sent, block }
}

/** Carol, who is her own representative, with unfinished blocks: receivable ones and a send, confirmed and unconfirmed. */
export interface Unfinished {
  /** Her first block, with 5 nano, confirmed; and a send of 1 of them, unconfirmed. */
  opened: string
  spent: string
  /** 3 receivable nano, and 2 more whose block is unconfirmed. */
  waits: string
  coming: string
}

/** Leaves blocks of Carol unconfirmed; from then on none is confirmed. */
export async function leaveUnfinished({ app, confirmed }: Gateway): Promise<Unfinished> {
  const { node } = app.devnet!
  const signer = new Signer(3, node.ledger.thresholds)
  const first = await node.fund(carol.key, nano(5))
  const opening = signer.receive({ ...UNOPENED, representative: carol.key }, first, nano(5))
  const opened = await publish(node, opening)
  const waits = await node.fund(carol.key, nano(3))
  await confirmed()
  node.hold()
  const coming = await node.fund(carol.key, nano(2))
  const spent = await publish(node, signer.send(frontierAfter(opening), new Signer(11).key, nano(1)))
  return { opened, spent, waits, coming }
}

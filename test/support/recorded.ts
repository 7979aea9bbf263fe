import { readFileSync } from 'node:fs'
import type { LedgerNode } from '../../src/devnet/index.ts'
import { fromBlockJson } from '../../src/kernel/nano/block.ts'

/* What was asked of a real node V27.1 on its development network, in this order, and what it answered. */

export interface Recorded {
  seq: number
  name: string
  method?: string
  request?: string
  response?: string
  response_headers?: Record<string, string>
  /** Blocks that came meanwhile, and not by a request. */
  effect_blocks?: Record<string, string>[]
}

/** A frame of its websocket: who subscribed with what, and what came. */
export interface RecordedFrame {
  client: string
  subscribe: string
  text: string | null
}

export const readFixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8'))

export const RECORDING = readFixture('node-fixtures.json') as Recorded[]
export const RECORDED_FRAMES = readFixture('node-ws.json') as RecordedFrame[]
export const { accounts, hashes } = readFixture('node-fixtures-meta.json') as {
  accounts: Record<string, { account: string }>
  hashes: Record<string, string>
}

/** From here on the recording comes from a second node with `enable_control` off. */
export const SECOND_NODE_FROM = 505

/** Does to a ledger what happened to the recorded one; its own genesis it has already. */
export async function applyEffects(node: LedgerNode, { seq, effect_blocks = [] }: Recorded): Promise<void> {
  if (seq === 0) return
  for (const members of effect_blocks) await node.process(fromBlockJson((name) => members[name])!)
}

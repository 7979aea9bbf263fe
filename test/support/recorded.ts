import { readFileSync } from 'node:fs'
import type { LedgerNode } from '../../src/devnet/index.ts'
import { fromBlockJson } from '../../src/kernel/nano/block.ts'

/* Requests to a real node V27.1 on its development network, in order, with its answers. */

export interface Recorded {
  seq: number
  name: string
  method?: string
  request?: string
  response?: string
  response_headers?: Record<string, string>
  /** Blocks that appeared meanwhile without a request. */
  effect_blocks?: Record<string, string>[]
}

/** A frame of its websocket, with the client's subscription. */
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

/** From here on the recording comes from a second node without `enable_control`. */
export const SECOND_NODE_FROM = 505

/** Applies the recorded side effects to a ledger, which has the same genesis block. */
export async function applyEffects(node: LedgerNode, { seq, effect_blocks = [] }: Recorded): Promise<void> {
  if (seq === 0) return
  for (const members of effect_blocks) await node.process(fromBlockJson((name) => members[name])!)
}

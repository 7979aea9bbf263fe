import { parseArgs } from 'node:util'
import { type Options as GivenNode, NODE_OPTIONS, findNode } from '../scenario/options.ts'
import { SEED } from '../support/random.ts'

export const USAGE = `Usage: npm run chaos -- [--minutes 10] [--seed 7] [--node http://127.0.0.1:7076] [--ws ws://127.0.0.1:7078] [--network dev|beta|live] [--funds FILE]

Breaks two gateways at random, in front of a ledger of their own or of this node. NODE_URLS, NODE_WS_URLS, NODE_NETWORK and the funds are as
in npm run scenario.`

export interface Options {
  minutes: number
  seed: number
  /** If unset, the run starts its own ledger. */
  node: GivenNode | undefined
}

/** Reads the command line and the environment of `npm run chaos`. */
export function readOptions(args: readonly string[], env: Record<string, string | undefined>): Options {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args: [...args], options: { ...NODE_OPTIONS, minutes: text, seed: text } })
  const minutes = Number(values.minutes ?? 10)
  const seed = Number(values.seed ?? SEED)
  if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error(USAGE)
  const node = findNode(values, env)
  if (node) {
    expectOne(node.nodeUrls, 'http:')
    if (node.nodeWsUrls !== '') expectOne(node.nodeWsUrls, 'ws:')
  }
  return { minutes, seed, node }
}

/** The relay works on bytes, so it allows only one node and no TLS. */
function expectOne(given: string, protocol: string): void {
  if (URL.parse(given)?.protocol !== protocol || given.includes(',')) {
    throw new Error(`Chaos needs one node, reached without TLS: an address that begins with ${protocol}//`)
  }
}

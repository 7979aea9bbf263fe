import { readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { deriveKey } from '../../src/kernel/nano/keys.ts'

export const USAGE = `Usage: npm run scenario -- --node http://127.0.0.1:7076 [--ws ws://127.0.0.1:7078] [--network dev|beta|live] [--funds FILE]

Walks through everything that users do, in front of the development ledger and in front of this node, and tells what differs. NODE_URLS,
NODE_WS_URLS and NODE_NETWORK do the same as the first three. Money comes from the account of FUNDS_KEY (a private key) or of FUNDS_SEED (its
first account), as a variable or in FILE; on a development network without either from the genesis account.`

const NETWORKS = ['dev', 'beta', 'live'] as const

/** A given node, and money to spend on it. */
export interface Options {
  nodeUrls: string
  nodeWsUrls: string
  network: (typeof NETWORKS)[number]
  /** Private key of the account that pays. */
  funds: string
}

const HEX_64 = /^[0-9a-f]{64}$/i

/** The key is never printed. */
function readFunds(given: Record<string, string | undefined>, network: string): string {
  const { FUNDS_KEY: key, FUNDS_SEED: seed } = given
  if (key !== undefined && seed !== undefined) throw new Error('FUNDS_KEY or FUNDS_SEED, not both.')
  const secret = key ?? seed
  if (secret === undefined) {
    if (network === 'dev') return DEV_NETWORK.genesisPrivateKey
    throw new Error('Money of this network comes from FUNDS_KEY or FUNDS_SEED.')
  }
  if (!HEX_64.test(secret.trim())) throw new Error('FUNDS_KEY and FUNDS_SEED have 64 hexadecimal digits.')
  return key === undefined ? deriveKey(secret.trim(), 0) : secret.trim().toUpperCase()
}

const text = { type: 'string' } as const
/** Options for `parseArgs`. */
export const NODE_OPTIONS = { node: text, ws: text, network: text, funds: text }

type Values = { [name in keyof typeof NODE_OPTIONS]?: string | undefined }

/** The node of the command line or of the environment, if any. */
export function findNode(values: Values, env: Record<string, string | undefined>): Options | undefined {
  const nodeUrls = values.node ?? env.NODE_URLS
  if (nodeUrls === undefined) return undefined
  const asked = values.network ?? env.NODE_NETWORK ?? 'dev'
  const network = NETWORKS.find((name) => name === asked)
  if (!network) throw new Error(`--network is one of ${NETWORKS.join(', ')}.`)
  const given = values.funds === undefined ? env : parseEnv(readFileSync(values.funds, 'utf8'))
  return { nodeUrls, nodeWsUrls: values.ws ?? env.NODE_WS_URLS ?? '', network, funds: readFunds(given, network) }
}

/** Reads the command line and the environment of `npm run scenario`. */
export function readOptions(args: readonly string[], env: Record<string, string | undefined>): Options {
  const { values } = parseArgs({ args: [...args], options: NODE_OPTIONS })
  const node = findNode(values, env)
  if (!node) throw new Error(USAGE)
  return node
}

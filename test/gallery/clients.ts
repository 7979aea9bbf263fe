import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The URL that a client is given: the node-compatible one, the API with a key in the path, or a special one. */
export type Endpoint = '/' | '/node' | '/k/<key>/' | '/facilitator' | '/mcp' | 'webhooks'

interface Guest {
  endpoints: readonly Endpoint[]
  /**
   * Why it is not a development dependency: no licence, one that is not permissive, or packages that nobody should have to install. Such a client is
   * installed in its own folder.
   */
  apart?: string
}

const BOTH = ['/node', '/k/<key>/'] as const

/** The programs tested here. A test file is named after its package. */
export const CLIENTS = {
  '@ai-sdk/mcp': { endpoints: ['/mcp'], apart: 'needed by nothing else' },
  '@bananocoin/bananojs': { endpoints: BOTH },
  '@dev-ptera/nano-node-rpc': { endpoints: BOTH, apart: 'an axios with known holes' },
  '@langchain/mcp-adapters': { endpoints: ['/mcp'], apart: 'brings 80 MB along' },
  '@nanobox/nano-client': { endpoints: BOTH, apart: 'brings 90 MB along' },
  '@openai/agents': { endpoints: ['/mcp'], apart: 'brings 90 MB along' },
  '@x402/core': { endpoints: ['/facilitator'] },
  '@x402/extensions': { endpoints: ['/facilitator'], apart: 'brings 30 MB for other chains along' },
  '@x402/fetch': { endpoints: ['/'] },
  libnemo: { endpoints: BOTH, apart: 'GPL' },
  'nano-rpc-fetch': { endpoints: BOTH, apart: 'no licence' },
  'nano-wallet-js': { endpoints: BOTH, apart: 'GPL by nanocurrency, on which it stands' },
  'nanocurrency-web': { endpoints: BOTH },
  'simple-nano-wallet-js': { endpoints: BOTH },
  standardwebhooks: { endpoints: ['webhooks'] },
  svix: { endpoints: ['webhooks'], apart: 'wants a newer Node than the gateway' },
} satisfies Record<string, Guest>

/** Packages that clients need but declare as optional. */
export const NEEDED_BESIDE = ['@modelcontextprotocol/client']

export type ClientName = keyof typeof CLIENTS

export const guestOf = (name: ClientName): Guest => CLIENTS[name]

export const fileOf = (name: string) => `${name.replace('@', '').replace('/', '-')}.test.ts`

export const root = resolve(import.meta.dirname, '../..')

interface Package {
  version: string
  license?: string
}

/** Read as a file, because most packages do not export it. */
export const packageOf = (folder: string, name: string) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as Package

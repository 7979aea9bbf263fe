import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The address that a client is given: the node's, which needs nothing else, the service's with a key in the path, or one for a purpose. */
export type Door = '/' | '/node' | '/k/<key>/' | '/facilitator' | 'webhooks'

interface Guest {
  doors: readonly Door[]
  /**
   * Why it is no development dependency: a licence that is not permissive, none at all, or packages that nobody should
   * have to install. Such a client lies in a folder of its own.
   */
  apart?: string
}

const BOTH = ['/node', '/k/<key>/'] as const

/** The programs that walk here. The file of a walk is named after the package. */
export const CLIENTS = {
  '@bananocoin/bananojs': { doors: BOTH },
  '@dev-ptera/nano-node-rpc': { doors: BOTH, apart: 'an axios with known holes' },
  '@nanobox/nano-client': { doors: BOTH, apart: 'brings 90 MB along' },
  '@x402/core': { doors: ['/facilitator'] },
  '@x402/extensions': { doors: ['/facilitator'], apart: 'brings 30 MB for other chains along' },
  '@x402/fetch': { doors: ['/'] },
  libnemo: { doors: BOTH, apart: 'GPL' },
  'nano-rpc-fetch': { doors: BOTH, apart: 'no licence' },
  'nano-wallet-js': { doors: BOTH, apart: 'GPL by nanocurrency, on which it stands' },
  'nanocurrency-web': { doors: BOTH },
  'simple-nano-wallet-js': { doors: BOTH },
  standardwebhooks: { doors: ['webhooks'] },
  svix: { doors: ['webhooks'], apart: 'wants a newer Node than the gateway' },
} satisfies Record<string, Guest>

export type ClientName = keyof typeof CLIENTS

export const guestOf = (name: ClientName): Guest => CLIENTS[name]

export const fileOf = (name: string) => `${name.replace('@', '').replace('/', '-')}.test.ts`

export const root = resolve(import.meta.dirname, '../..')

interface Package {
  version: string
  license?: string
}

/** Read as a file: most packages do not export it. */
export const packageOf = (folder: string, name: string) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as Package

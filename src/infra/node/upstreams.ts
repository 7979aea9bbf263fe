import type { Config } from '../../config/config.ts'
import type { UpstreamOptions } from './upstream.ts'

export const EMBEDDED = 'devnet:'

export const isEmbedded = ({ nodeUrls }: Pick<Config, 'nodeUrls'>) => nodeUrls.some((url) => url.startsWith(EMBEDDED))

export interface EmbeddedAddresses {
  rpcUrl: string
  wsUrl: string
}

/** Reads the configured nodes. The options of a node follow a `#` in its address. */
export function toUpstreams(config: Config, embedded: EmbeddedAddresses | undefined): UpstreamOptions[] {
  const upstreams = config.nodeUrls.map((text, at): UpstreamOptions => {
    const [address = '', fragment = ''] = text.split('#')
    const options = new URLSearchParams(fragment)
    const isEmbedded = address === EMBEDDED
    const url = isEmbedded ? embedded!.rpcUrl : address
    if (!URL.canParse(url)) throw new Error(`NODE_URLS names ${address}, which is not an address.`)
    const role = options.get('role') ?? 'primary'
    if (role !== 'primary' && role !== 'fallback') throw new Error('NODE_URLS: role is primary or fallback.')
    const weight = Number(options.get('weight') ?? 1)
    if (!(weight > 0)) throw new Error('NODE_URLS: weight is a number above 0.')
    const name = options.get('name') ?? (isEmbedded ? 'devnet' : `node-${at + 1}`)
    return {
      name,
      url,
      wsUrl: isEmbedded ? embedded!.wsUrl : config.nodeWsUrls[at],
      role,
      weight,
      headers: config.nodeHeaders[name] ?? {},
      connectionsMax: config.nodeConnectionsMax,
    }
  })
  if (new Set(upstreams.map(({ name }) => name)).size < upstreams.length) {
    throw new Error('NODE_URLS: two nodes have the same name.')
  }
  return upstreams
}

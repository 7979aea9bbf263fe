import { Resolver, lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Config } from '../../config/config.ts'
import { OutboundFailure } from '../../kernel/outbound-failure.ts'
import { type Clock } from '../../kernel/ports.ts'
import { type Outbound } from '../../kernel/outbound.ts'
import { EMBEDDED } from '../node/upstreams.ts'
import { isGlobalAddress } from './global-address.ts'
import {
  type HttpAnswer,
  type HttpExchange,
  KeptConnections,
  type Target,
  exchange,
  readTarget,
} from './http-exchange.ts'

const TOTAL_MILLISECONDS = 10_000
const REPLY_BYTES_MAX = 2_048

interface OutboundOptions {
  clock: Clock
  /** For development: allows private networks, plain http and any port, but still no redirects and no long replies. */
  allowPrivate: boolean
  resolve?: Resolve
  ownAddresses?: () => ReadonlySet<string>
}

/**
 * The only client for addresses that users give us. It checks the text of the address, then the IP addresses of its
 * name, and connects to exactly a checked one. A redirect is treated like any other reply.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const { allowPrivate } = options
  const kept = new KeptConnections()
  return {
    check(url) {
      const target = readTarget(url, allowPrivate)
      return typeof target === 'string' ? target : undefined
    },
    async post(url, { headers, body }) {
      const { bytes, status, retryAfter, milliseconds } = await send(options, kept, url, {
        method: 'POST',
        headers,
        body,
        bytesMax: REPLY_BYTES_MAX,
      })
      return { status, retryAfter, milliseconds, text: bytes.toString() }
    },
    async get(url, { headers, bytesMax }) {
      // One byte more than allowed shows that a reply is too long.
      const { status, bytes, whole } = await send(options, kept, url, {
        method: 'GET',
        headers,
        bytesMax: bytesMax + 1,
      })
      return { status, bytes: whole && bytes.length <= bytesMax ? bytes : undefined }
    },
  }
}

async function send(
  options: OutboundOptions,
  kept: KeptConnections,
  url: string,
  request: Pick<HttpExchange, 'method' | 'headers' | 'body' | 'bytesMax'>,
): Promise<HttpAnswer> {
  const { clock, allowPrivate } = options
  const target = readTarget(url, allowPrivate)
  if (typeof target === 'string') throw new OutboundFailure(target)
  const startedAt = clock.now()
  const endsAt = startedAt + TOTAL_MILLISECONDS
  const addresses = await findAddresses(options, target, endsAt)
  return exchange(kept, { ...request, target, addresses, clock, startedAt, endsAt })
}

/**
 * Resolves a name. If any of its addresses is not public, the name is refused, because we cannot control which one is
 * used.
 */
async function findAddresses(
  { clock, allowPrivate, ownAddresses = listOwnAddresses, ...options }: OutboundOptions,
  { hostname }: Target,
  endsAt: number,
): Promise<string[]> {
  const resolve = options.resolve ?? (allowPrivate ? resolveHere : resolvePublic)
  const addresses = await inTime(clock, endsAt, resolve(hostname))
  if (addresses.length === 0) throw new OutboundFailure('dns_failed')
  if (allowPrivate) return addresses
  const own = ownAddresses()
  if (addresses.some((address) => !isGlobalAddress(address) || own.has(address))) {
    throw new OutboundFailure('address_refused')
  }
  return addresses
}

async function inTime(clock: Clock, endsAt: number, resolved: Promise<string[]>): Promise<string[]> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const cancel = clock.after(endsAt - clock.now(), () => reject(new OutboundFailure('timeout')))
  try {
    return await Promise.race([resolved.catch(refuseName), late])
  } finally {
    cancel()
  }
}

/** Users who give a name do not learn why it cannot be resolved. */
function refuseName(): never {
  throw new OutboundFailure('dns_failed')
}

/** Public addresses of this machine: connections to them would bypass its firewall. */
function listOwnAddresses(): ReadonlySet<string> {
  return new Set(
    Object.values(networkInterfaces())
      .flat()
      .map((network) => network!.address),
  )
}

type OutboundSettings = Pick<Config, 'webhookAllowPrivate' | 'nodeUrls' | 'isLocal'>

export const openWayOut = (settings: OutboundSettings, clock: Clock): Outbound =>
  openOutbound({ clock, allowPrivate: allowsPrivate(settings) })

/** Allowed on a laptop, where a first try should just work; a public gateway must not expose the network around it. */
function allowsPrivate({ webhookAllowPrivate, nodeUrls, isLocal }: OutboundSettings): boolean {
  if (webhookAllowPrivate !== 'auto') return webhookAllowPrivate
  return isLocal && nodeUrls.length > 0 && nodeUrls.every((url) => url.split('#')[0] === EMBEDDED)
}

/** All addresses of a name; an empty list if it has none. */
type Resolve = (hostname: string) => Promise<string[]>

/**
 * Asks the name servers directly: the hosts file and search domains describe this machine's network. This also uses no
 * thread of the pool, so slow name servers delay no other request.
 */
const resolvePublic: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  return found.flatMap((part) => (part.status === 'fulfilled' ? part.value : []))
}

/** Resolves like other programs on this machine, including `localhost`. */
const resolveHere: Resolve = async (hostname) => {
  if (isIP(hostname) !== 0) return [hostname]
  return (await lookup(hostname, { all: true })).map(({ address }) => address)
}

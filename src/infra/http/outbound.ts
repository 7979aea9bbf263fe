import { networkInterfaces } from 'node:os'
import { OutboundFailure } from '../../kernel/outbound-failure.ts'
import type { Clock, Outbound } from '../../kernel/ports.ts'
import { type HttpExchange, type HttpAnswer, exchange } from './http-exchange.ts'
import { isGlobalAddress } from './global-address.ts'
import { type Target, readTarget } from './read-target.ts'
import { type Resolve, resolveHere, resolvePublic } from './resolve.ts'

const TOTAL_MILLISECONDS = 10_000
const REPLY_BYTES_MAX = 2_048

interface OutboundOptions {
  clock: Clock
  /** For development: private networks, plain http, any port. Redirects and long replies are refused all the same. */
  allowPrivate: boolean
  resolve?: Resolve
  ownAddresses?: () => ReadonlySet<string>
}

/**
 * The one way to an address that a user gave us. It is checked as it stands and again by what its name leads to, and
 * the connection goes to exactly what was checked. Redirects are replies like any other.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const { allowPrivate } = options
  return {
    check(url) {
      const target = readTarget(url, allowPrivate)
      return typeof target === 'string' ? target : undefined
    },
    async post(url, { headers, body }) {
      const { bytes, status, retryAfter, milliseconds } = await send(options, url, {
        method: 'POST',
        headers,
        body,
        bytesMax: REPLY_BYTES_MAX,
      })
      return { status, retryAfter, milliseconds, text: bytes.toString() }
    },
    async get(url, { headers, bytesMax }) {
      // One byte more than is wanted shows that a reply is too long.
      const { status, bytes, whole } = await send(options, url, { method: 'GET', headers, bytesMax: bytesMax + 1 })
      return { status, bytes: whole && bytes.length <= bytesMax ? bytes : undefined }
    },
  }
}

async function send(
  options: OutboundOptions,
  url: string,
  request: Pick<HttpExchange, 'method' | 'headers' | 'body' | 'bytesMax'>,
): Promise<HttpAnswer> {
  const { clock, allowPrivate } = options
  const target = readTarget(url, allowPrivate)
  if (typeof target === 'string') throw new OutboundFailure(target)
  const startedAt = clock.now()
  const endsAt = startedAt + TOTAL_MILLISECONDS
  const addresses = await findAddresses(options, target, endsAt)
  return exchange({ ...request, target, addresses, clock, startedAt, endsAt })
}

/** Where a name leads. One address that is not public spoils all of them: which one is taken is not ours to say. */
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

/** The caller who gave a name does not learn why it leads nowhere. */
function refuseName(): never {
  throw new OutboundFailure('dns_failed')
}

/** A public address of this very machine leads behind its firewall. */
function listOwnAddresses(): ReadonlySet<string> {
  return new Set(
    Object.values(networkInterfaces())
      .flat()
      .map((network) => network!.address),
  )
}

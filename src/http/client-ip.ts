import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Real chains of proxies are short, so a longer header was forged by the client. */
const HOPS_MAX = 20
const KNOWN_MAX = 10_000
/** The longest address has 45 characters; a zone may follow. */
const TEXT_LENGTH_MAX = 64

/** The client's IPv4 address, or the IPv6 network that its requests are counted against. */
export type ClientIp = (peer: string | undefined, forwardedFor: string | string[] | undefined) => string

interface Address {
  text: string
  family: 'ipv4' | 'ipv6'
  /** What counts as one client. */
  network: string
}

/** Reads the list of trusted proxies: addresses, networks (`10.0.0.0/8`), or `loopback`. Throws at anything else. */
export function toTrustedProxies(entries: readonly string[]): BlockList {
  const trusted = new BlockList()
  for (const entry of entries) {
    if (entry === 'loopback') {
      trusted.addSubnet('127.0.0.0', 8, 'ipv4')
      trusted.addAddress('::1', 'ipv6')
      continue
    }
    const [, given = '', prefix] = /^([^/%]*)(?:\/([0-9]{1,3}))?$/.exec(entry) ?? []
    const address = readAddress(given)
    if (!address) throw new Error('Not an address, a network or `loopback`.')
    const { text, family } = address
    // A mapped network (`::ffff:10.0.0.0/104`) stands for the IPv4 network inside it.
    const mappedBits = family === 'ipv4' && isIPv6(given) ? 96 : 0
    if (prefix === undefined) trusted.addAddress(text, family)
    else trusted.addSubnet(text, Number(prefix) - mappedBits, family)
  }
  return trusted
}

/**
 * Determines which client a request comes from. Anybody can write `X-Forwarded-For`, so only the entries that trusted
 * proxies added count. The header is read from the right: each entry was added by the proxy before it, and the first
 * address that is not a trusted proxy is the client. Customers with IPv6 own whole networks, so a /64 counts as one
 * client.
 */
export function createClientIp(trusted: BlockList): ClientIp {
  const known = new Map<string, Address>()
  /** The same clients and proxies come again, so each address is parsed once. */
  const recall = (text: string): Address | undefined => {
    const found = known.get(text)
    if (found) return found
    const address = readAddress(text)
    if (known.size >= KNOWN_MAX) known.clear()
    if (address) known.set(text, address)
    return address
  }
  const trustsAnybody = trusted.rules.length > 0

  return (peer = '', forwardedFor) => {
    let client = recall(peer)
    if (!client) return 'unknown'
    if (!trustsAnybody || forwardedFor === undefined) return client.network
    const chain = typeof forwardedFor === 'string' ? forwardedFor : forwardedFor.join(',')
    let end = chain.length
    for (let hop = 0; hop < HOPS_MAX && end >= 0 && trusted.check(client.text, client.family); hop++) {
      const comma = end === 0 ? -1 : chain.lastIndexOf(',', end - 1)
      const next = recall(withoutPort(chain.slice(comma + 1, end).trim()))
      if (!next) break
      client = next
      end = comma
    }
    return client.network
  }
}

/** Checks whether a client is in this list. An IPv6 client is known only by its network (/64). */
export function createIsAmong(entries: readonly string[]): (client: string) => boolean {
  const among = toTrustedProxies(entries)
  if (entries.includes('loopback')) among.addAddress('::', 'ipv6')
  return (client) => {
    const address = readAddress(client.replace(/\/64$/, ''))
    return address !== undefined && among.check(address.text, address.family)
  }
}

/** Parses an address without its zone; IPv4 mapped into IPv6 becomes IPv4. Undefined if the text is not an address. */
function readAddress(given: string): Address | undefined {
  if (given.length > TEXT_LENGTH_MAX) return undefined
  if (isIPv4(given)) return { text: given, family: 'ipv4', network: given }
  if (!isIPv6(given)) return undefined
  const text = given.split('%')[0]!
  const groups = toGroups(text)
  if (groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)) {
    const inner = [groups[6]! >> 8, groups[6]! & 0xff, groups[7]! >> 8, groups[7]! & 0xff].join('.')
    return { text: inner, family: 'ipv4', network: inner }
  }
  const head = groups.slice(0, 4).map((group) => group.toString(16))
  return { text, family: 'ipv6', network: `${head.join(':')}::/64` }
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const [, v6, v4] = /^(?:\[([^\]]*)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5})$/.exec(text) ?? []
  return v6 ?? v4 ?? text
}

/** The eight groups of a valid IPv6 address. */
function toGroups(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const left = readGroups(head)
  if (tail === undefined) return left
  const right = readGroups(tail)
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
}

function readGroups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [(a << 8) | b, (c << 8) | d]
  })
}

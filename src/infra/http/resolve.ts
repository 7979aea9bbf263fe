import { Resolver, lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

/** Every address of a name; none when it has none. */
export type Resolve = (hostname: string) => Promise<string[]>

/**
 * Asks the name servers, and neither the hosts file nor search domains, which are about this machine's network. It
 * takes no thread of the pool either, so that slow name servers of others delay no other request.
 */
export const resolvePublic: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  return found.flatMap((part) => (part.status === 'fulfilled' ? part.value : []))
}

/** The same as every other program on this machine would see it, `localhost` included. */
export const resolveHere: Resolve = async (hostname) => {
  if (isIP(hostname) !== 0) return [hostname]
  return (await lookup(hostname, { all: true })).map(({ address }) => address)
}

import { isIP } from 'node:net'
import { isLoopback } from '../../../kernel/loopback.ts'
import { noPasskeysHere } from './errors.ts'

/** What browsers bind a passkey to. */
export interface RelyingParty {
  id: string
  origin: string
}

/**
 * The name that passkeys of a gateway belong to; undefined where browsers know none: they want a name with https. This machine alone needs
 * neither, under the name `localhost`.
 */
export function relyingPartyOf(baseUrl: string): RelyingParty | undefined {
  const { protocol, hostname, port, origin } = new URL(baseUrl)
  if (isLoopback(hostname) && !hostname.endsWith('.localhost')) {
    return { id: 'localhost', origin: `${protocol}//localhost${port === '' ? '' : `:${port}`}` }
  }
  if (protocol !== 'https:' || isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) return undefined
  return { id: hostname, origin }
}

export function partyAt(baseUrl: string): RelyingParty {
  const party = relyingPartyOf(baseUrl)
  if (!party) throw noPasskeysHere()
  return party
}

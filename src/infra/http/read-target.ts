import { isIP } from 'node:net'
import type { RefusedAddress } from '../../kernel/outbound-failure.ts'
import { parseUrl } from '../../kernel/shown-fields.ts'

const URL_LENGTH_MAX = 2_048
const PORTS = new Set(['', '443', '8443'])
const LOCAL_NAMES = /(^|\.)(localhost|local|internal|home\.arpa|onion)$/

export interface Target {
  secure: boolean
  /** Without brackets and without the dot that may end a name. */
  hostname: string
  port: number
  path: string
  /** What the request says about its purpose. */
  host: string
}

/**
 * Where an address leads, or why it is refused as it stands. The platform's parser turns every spelling of an IP address
 * (decimal, octal, hexadecimal, full-width digits) into the usual one first.
 */
export function readTarget(text: string, allowPrivate: boolean): Target | RefusedAddress {
  if (text.length > URL_LENGTH_MAX) return 'url_too_long'
  const url = parseUrl(text)
  if (!url) return 'invalid_url'
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'scheme_refused'
  if (url.username !== '' || url.password !== '') return 'credentials_refused'
  const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
  if (hostname === '') return 'host_refused'
  if (!allowPrivate) {
    if (!PORTS.has(url.port)) return 'port_refused'
    // Nothing is looked up for a literal, so that no later check would see it.
    if (isIP(hostname) !== 0) return 'address_refused'
    if (!hostname.includes('.') || LOCAL_NAMES.test(hostname)) return 'host_refused'
  }
  const secure = url.protocol === 'https:'
  const shown = isIP(hostname) === 6 ? `[${hostname}]` : hostname
  return {
    secure,
    hostname,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    host: url.port === '' ? shown : `${shown}:${url.port}`,
  }
}

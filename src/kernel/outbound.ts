import type { RefusedAddress } from './outbound-failure.ts'

interface OutboundReply {
  status: number
  /** The beginning of the body, up to a limit. */
  text: string
  /** The `Retry-After` header, unparsed. */
  retryAfter: string | undefined
  milliseconds: number
}

/** Requests to addresses that users gave us. Private networks are refused, whatever name leads there. */
export interface Outbound {
  /** Why an address is refused by its text alone; undefined when it may be tried. Nothing is resolved. */
  check(url: string): RefusedAddress | undefined
  /** Returns any reply, redirects too; without one it throws an `OutboundFailure`. */
  post(url: string, request: { headers: Readonly<Record<string, string>>; body: string }): Promise<OutboundReply>
  /** The same for GET. Bytes are undefined when there are too many, or when the transfer broke off. */
  get(
    url: string,
    request: { headers: Readonly<Record<string, string>>; bytesMax: number },
  ): Promise<{ status: number; bytes: Uint8Array | undefined }>
}

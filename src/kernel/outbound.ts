import type { RefusedAddress } from './outbound-failure.ts'

interface OutboundReply {
  status: number
  /** The beginning of the body, up to a limit. */
  text: string
  /** The `Retry-After` header, unparsed. */
  retryAfter: string | undefined
  milliseconds: number
}

/** Requests to addresses given by users. Private networks are refused, whatever name leads there. */
export interface Outbound {
  /** Why the text of an address is refused; undefined if it can be tried. Resolves no name. */
  check(url: string): RefusedAddress | undefined
  /** Returns any reply, even a redirect; throws `OutboundFailure` if there is none. */
  post(url: string, request: { headers: Readonly<Record<string, string>>; body: string }): Promise<OutboundReply>
  /** The same with GET. The bytes are undefined if there are too many, or if the transfer was interrupted. */
  get(
    url: string,
    request: { headers: Readonly<Record<string, string>>; bytesMax: number },
  ): Promise<{ status: number; bytes: Uint8Array | undefined }>
}

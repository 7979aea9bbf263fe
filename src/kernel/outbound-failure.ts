/** Reasons to refuse an address without sending a request. */
export type RefusedAddress =
  | 'invalid_url'
  | 'url_too_long'
  | 'scheme_refused'
  | 'credentials_refused'
  | 'port_refused'
  | 'host_refused'
  | 'address_refused'

/** How a request to a user's address can fail. Only codes: users must not learn what exists at an address. */
export type OutboundCode =
  | RefusedAddress
  | 'dns_failed'
  | 'connect_failed'
  | 'connect_timeout'
  | 'tls_failed'
  | 'timeout'
  | 'connection_lost'

/** There was no reply, or no request was made. */
export class OutboundFailure extends Error {
  readonly code: OutboundCode

  constructor(code: OutboundCode) {
    super(code)
    this.code = code
  }
}

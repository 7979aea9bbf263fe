/**
 * The content policy of a page: everything is loaded from this gateway, no code or style is inline, and only the named sites may
 * frame it.
 */
export function contentPolicy(frameAncestors = "'none'"): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors}`,
  ].join('; ')
}

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentPolicy(),
  'x-content-type-options': 'nosniff',
  // With `no-referrer`, browsers would leave out the origin when they send our own forms. With this value other sites
  // also get no address.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
}

/**
 * Sent with every answer, also with errors: without these headers a page cannot distinguish an error from a network
 * failure.
 */
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, Idempotent-Replayed, X-Ignored-Fields',
} as const

/** How long a browser may cache the answer to a preflight request. */
export const PREFLIGHT_SECONDS = '86400'
const ALLOWED_HEADERS =
  'content-type, authorization, key, x-api-key, nano-app, nano-app-admin, payment-signature, idempotency-key, cache-control, pragma, access-control-expose-headers, mcp-protocol-version, mcp-session-id'

/**
 * The headers that a node sends, with more names in the list of allowed headers: those that carry a key or a payment.
 */
export const NODE_HEADERS = {
  ...CORS_HEADERS,
  allow: 'POST, OPTIONS',
  'content-type': 'application/json',
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': `Accept, Accept-Language, Content-Language, Content-Type, ${ALLOWED_HEADERS.replace('content-type, ', '')}`,
} as const

export const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': ALLOWED_HEADERS,
  'access-control-max-age': PREFLIGHT_SECONDS,
} as const

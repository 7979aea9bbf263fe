/**
 * What a page may do: everything comes from this gateway, nothing is written into the page as code or style, and no
 * other site frames it but those that are named.
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
  // Not `no-referrer`: with it, browsers hide from us that a form was sent by our own page. Others learn nothing either way.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
}

/** On every answer, errors included: a page that cannot read an error sees only a broken network. */
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, Idempotent-Replayed, X-Ignored-Fields',
} as const

export const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers':
    'content-type, authorization, key, x-api-key, nano-app, nano-app-admin, payment-signature, idempotency-key, cache-control, pragma, access-control-expose-headers, mcp-protocol-version, mcp-session-id',
  'access-control-max-age': '86400',
} as const

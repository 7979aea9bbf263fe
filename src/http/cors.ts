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

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

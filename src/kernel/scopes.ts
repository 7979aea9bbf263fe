/** What a secret key may be let do. An action and a route name the one they need; a test compares this list with the guide. */
export const SCOPES = [
  'read',
  'work',
  'checkout',
  'wallets:read',
  'wallets:send',
  'names',
  'email',
  'reports',
  'webhooks',
  'refunds',
  'keys',
] as const

export type Scope = (typeof SCOPES)[number]

/** Names and descriptions of the groups of operations, by module. */
const TAGS = {
  rpc: ['RPC', 'One endpoint for all actions.'],
  names: ['Names', 'Names for addresses.'],
  ledger: ['Ledger', 'Accounts, blocks and receivable amounts.'],
  accounts: ['Accounts', 'Keys, credits and sign-in.'],
  market: ['Market', 'Prices.'],
  reps: ['Representatives', 'Representatives and how well they vote.'],
  work: ['Work', 'Proof of work.'],
  wallets: ['Wallets', 'Wallets whose keys the service keeps.'],
  checkout: ['Checkout', 'Requesting payments, and learning when they are paid.'],
  links: ['Payment links', 'Offers that many people can buy.'],
  pos: ['Points of sale', 'Points of sale for cashiers, and their sales.'],
  webhooks: ['Webhooks', 'Events, their deliveries and signing secrets.'],
  billing: ['Billing', 'Buying credits.'],
  usernames: ['Usernames', 'Leasing and changing names.'],
  email: ['Email', 'Payments to email addresses.'],
  faucet: ['Faucet', 'A small amount to begin with.'],
  swap: ['Swap', 'Exchanging nano for other currencies.'],
  x402: ['Pay per request', 'Prices of requests, and a facilitator for payments of other services.'],
  status: ['Status', 'Status of the service.'],
  admin: ['Administration', 'For administrators of the gateway.'],
  service: ['Service', 'The gateway itself.'],
} as const satisfies Record<string, readonly [name: string, description: string]>

type Tag = keyof typeof TAGS

/** The name of a group. Throws for a module that has no entry here. */
export function tagOf(module: string): string {
  const tag = Object.hasOwn(TAGS, module) ? TAGS[module as Tag] : undefined
  if (!tag) throw new RangeError(`The module ${module} has no tag in the API’s description.`)
  return tag[0]
}

export const listTags = () => Object.values(TAGS).map(([name, description]) => ({ name, description }))

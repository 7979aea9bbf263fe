import { type Role, SCOPES, type Scope } from '../../src/kernel/rights.ts'

/**
 * Who may do what. Every route and every action of the server needs an entry here, or the matrix test fails. So nobody can add an endpoint without
 * deciding who may use it.
 */

/**
 * - `public`: anybody; shows nobody's private data.
 * - `embedded`: exists only with the development ledger, whose money is worth nothing. On a local gateway anybody; on a public one
 *   administrators, and callers on the machine itself (`test/start/developer-access.test.ts`).
 * - `own`: callers with a key or a session, for their own objects.
 * - `object`: the same for one object; someone else's gets exactly the answer of one that does not exist.
 * - `object, administrators read`: the same, and an administrator may read it.
 * - `administrators`: administrators only.
 * - `person`: people signed in with their email address; neither keys nor sessions of keys.
 * - `page`: the dashboard's session cookie; keys and tokens in a header do not work. `test/pages/dashboard-access.test.ts` tests
 *   who sees what.
 */
export type Access =
  | 'public'
  | 'embedded'
  | 'own'
  | 'object'
  | 'object, administrators read'
  | 'administrators'
  | 'person'
  | 'page'

export interface RouteExpectation {
  access: Access
  /** The request body, if one is needed; `:id` in it is replaced by the object's id. */
  body?: object
  /** The path with existing names, for routes without an owner. */
  at?: string
  /** The victim's object whose id is put into the path or the body. */
  of?:
    | 'checkout'
    | 'email'
    | 'event'
    | 'endpoint'
    | 'key'
    | 'link'
    | 'name'
    | 'pos'
    | 'subscription'
    | 'account'
    | 'suspended account'
    | 'member'
}

const checkouts = (path: string, read: Access): Record<string, RouteExpectation> => ({
  [`GET ${path}`]: { access: 'own' },
  [`POST ${path}`]: { access: 'own', body: { address: SHOP, amount: '1' } },
  [`GET ${path}/stats`]: { access: 'own' },
  [`GET ${path}/overview`]: { access: 'administrators' },
  [`GET ${path}/unmatched`]: { access: 'own' },
  [`GET ${path}/export.csv`]: { access: 'own' },
  [`GET ${path}/statement.csv`]: { access: 'own' },
  [`GET ${path}/:id`]: { access: read, of: 'checkout' },
  [`PUT ${path}/:id`]: { access: 'object', of: 'checkout', body: { title: 'Changed' } },
  [`DELETE ${path}/:id`]: { access: 'object', of: 'checkout' },
  [`POST ${path}/:id/mark`]: { access: 'object', of: 'checkout' },
  [`POST ${path}/:id/redeliver`]: { access: 'object', of: 'checkout' },
  [`GET ${path}/:id/refunds`]: { access: read, of: 'checkout' },
  [`POST ${path}/:id/refunds`]: { access: 'object', of: 'checkout' },
})

const SHOP = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'

/** Pages below /dashboard; `test/pages/dashboard-access.test.ts` requests each of them. */
const PAGES = {
  GET: `/ /live /payout /people /prove /security /statement /keys /profile /credits /activity /requests /search /admin/accounts/:id
    /checkouts /checkouts/new /checkouts/refunds /checkouts/invoices /checkouts/unmatched /checkouts/:id /checkouts/:id/edit /checkouts/:id/refund
    /accounts /accounts/:id
    /links /links/new /links/:id /links/:id/subscriptions /subscriptions
    /pos /pos/new /pos/:id
    /wallets /wallets/:address /wallets/:address/send
    /emails /emails/:id
    /names /names/:name
    /webhooks /webhooks/events/:id
    /webhooks/endpoints/new /webhooks/endpoints/:id
    /admin /admin/health /admin/mail /admin/jobs /admin/freezes`,
  POST: `/sign-out /profile /payout /credits/buy /admin/jobs/:id/retry
    /people /people/:id/role /people/:id/remove /people/:id/owner
    /prove /prove/mail
    /security/passkeys /security/passkeys/:id/name /security/passkeys/:id/remove /security/codes /security/mail
    /accounts/:id/accept /accounts/:id/open /accounts/:id/leave /accounts/new
    /checkouts /checkouts/unmatched /checkouts/:id/cancel /checkouts/:id/edit /checkouts/:id/mark
    /checkouts/:id/receipt /checkouts/:id/refund /checkouts/:id/events/:event/redeliver
    /links /links/:id /links/:id/pause /links/:id/resume /links/:id/delete
    /links/:id/subscriptions/:subscription/end
    /pos /pos/:id /pos/:id/pin /pos/:id/rotate /pos/:id/pause /pos/:id/resume /pos/:id/delete
    /wallets /wallets/:address/receive /wallets/:address/send /wallets/:address/send/check
    /emails /emails/:id/cancel
    /names /names/:name/indexing /names/:name
    /webhooks/secret /webhooks/ping /webhooks/events/:id/redeliver
    /webhooks/endpoints /webhooks/endpoints/:id /webhooks/endpoints/:id/pause /webhooks/endpoints/:id/resume
    /webhooks/endpoints/:id/rotate /webhooks/endpoints/:id/test /webhooks/endpoints/:id/replay
    /webhooks/endpoints/:id/delete /webhooks/endpoints/:id/watch /webhooks/endpoints/:id/unwatch
    /keys /keys/:id/rotate /keys/:id/revoke
    /admin/accounts/:id/suspend /admin/accounts/:id/resume /admin/accounts/:id/sign-out /admin/accounts/:id/erase
    /admin/accounts/:id/standing /admin/accounts/:id/credits /admin/freezes /admin/freezes/lift`,
}

const pages = Object.entries(PAGES).flatMap(([method, paths]) =>
  paths.split(/\s+/).map((path) => `${method} /dashboard${path === '/' ? '' : path}`),
)

/** Routes that need nothing but their access. Tills are for the holder of the link; `test/spec/part4-pos.test.ts` requests them with and without it. */
const PLAIN: Partial<Record<Access, string>> = {
  public: `GET / /dashboard/sign-in /dashboard/sign-in/code /dashboard/sign-in/recovery /openapi.json
    /currencies.json /reps.json /button.js /docs /docs.md /llms.txt /docs/actions /known.json /aliases.json
    /.well-known/nano-currency.json /health/live /health/ready /.well-known/x402 /discovery/resources
    /facilitator /facilitator/discovery/resources /facilitator/supported /logos/:id /pictures/:id /buy/:slug /buy/:slug/image
    /subscriptions/:id/:token /pos/:id /pos/:id/app.webmanifest /pos/worker.js /pos/:id/till /pos/:id/sales/:sale
    /pos/:id/day /ledger /ledger/blocks/:hash /ledger/accounts/:address /@:name /status /status.json /claim /claim/decline
    POST /dashboard/sign-in/recovery /dashboard/sign-in/mail /dashboard/sign-in/code /dashboard/sign-in/link /dashboard/sign-in/key
    /facilitator/verify /facilitator/settle /api/sign-in/passkey/options /api/sign-in/passkey /api/sign-out /buy/:slug /buy/:slug/again /developer/coffee
    /subscriptions/:id/:token/renew /subscriptions/:id/:token/end /pos/:id/sign-in /pos/:id/sales /claim
    /claim/decline`,
  embedded: `GET /dashboard/developer /dashboard/developer/ledger /dashboard/developer/ledger/blocks/:hash
    /dashboard/developer/ledger/accounts/:address /developer /developer/ledger/events
    POST /dashboard/developer/pay /dashboard/developer/fund /dashboard/developer/hold /dashboard/developer/confirm
    /dashboard/developer/checkouts/:id/:what /developer/fund /developer/hold /developer/confirm`,
  person: `GET /api/passkeys
    POST /api/passkeys/options /api/passkeys /api/recovery-codes /api/prove/options /api/prove
    PUT /api/passkeys/:id
    DELETE /api/passkeys/:id`,
  own: `GET /api/account /api/account/profile /api/account/payout /api/credits /api/keys /api/activity.csv /api/requests /api/members
    /api/events /api/webhooks/secret /api/webhook-endpoints /api/watches /api/links /api/subscriptions /api/pos
    /api/names /api/emails
    POST /api/webhooks/secret/rotate`,
  administrators: 'GET /api/accounts /api/mails /api/jobs /api/freezes',
}

/** Routes of a checkout of the victim. */
const OF_CHECKOUT: Partial<Record<Access, string>> = {
  public: `GET /check/:id /confirm/:id /checkout/:id/check /checkout/:id /checkout/:id/proof /pay/:id /pay/:id/receipt /pay/:id/invoice
    /pay/:id/image /pay/:id/events
    POST /check/:id /confirm/:id /checkout/:id/check`,
  embedded: 'POST /developer/checkouts/:id/pay /developer/checkouts/:id/expire /developer/checkouts/:id/cancel',
}

function alike(lists: Partial<Record<Access, string>>, of?: RouteExpectation['of']): Record<string, RouteExpectation> {
  const routes: [string, RouteExpectation][] = []
  for (const [access, words] of Object.entries(lists) as [Access, string][]) {
    let method = ''
    for (const word of words.split(/\s+/)) {
      if (word.startsWith('/')) routes.push([`${method} ${word}`, { access, ...(of && { of }) }])
      else method = word
    }
  }
  return Object.fromEntries(routes)
}

/** `HEAD` is like `GET`. */
export const ROUTES: Readonly<Record<string, RouteExpectation>> = {
  ...Object.fromEntries(pages.map((route) => [route, { access: 'page' as const }])),
  ...alike(PLAIN),
  ...alike(OF_CHECKOUT, 'checkout'),
  // Tools are the actions below, with the same checks.
  'POST /mcp': { access: 'public', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  'GET /assets/:name': { access: 'public', at: '/assets/gateway.css' },
  'GET /actions/:name': { access: 'public', at: '/actions/version' },
  'GET /docs/actions/:name': { access: 'public', at: '/docs/actions/version' },
  'POST /docs/actions/:name': { access: 'public', at: '/docs/actions/version' },
  'GET /docs/*': { access: 'public', at: '/docs/webhooks' },
  'POST /pay/:id/amount': { access: 'public', of: 'checkout', body: { amount: '1' } },
  'POST /pay/:id/email': { access: 'public', of: 'checkout', body: { email: 'payer@example.org' } },
  'POST /api/sign-in/request': { access: 'public', body: { email: 'alice@example.org' } },
  'POST /api/sign-in': { access: 'public', body: { token: 'none' } },
  'POST /api/sign-in/recovery': { access: 'public', body: { email: 'alice@example.org', code: 'none' } },
  'PUT /api/account/profile': { access: 'own', body: { name: 'Changed' } },
  'PUT /api/account/payout': { access: 'own', body: { address: SHOP } },
  'GET /accents/:name': { access: 'public', at: '/accents/1a5fc7.css' },
  'POST /api/keys': { access: 'own', body: { kind: 'secret', name: 'Second' } },
  'DELETE /api/keys/:id': { access: 'object', of: 'key' },
  'POST /api/keys/:id/rotate': { access: 'object', of: 'key' },
  'POST /api/members': { access: 'own', body: { email: 'colleague@example.org', role: 'reader' } },
  'PUT /api/members/:id': { access: 'object', of: 'member', body: { role: 'developer' } },
  'DELETE /api/members/:id': { access: 'object', of: 'member' },
  'POST /api/members/:id/owner': { access: 'object', of: 'member' },
  'PUT /api/freezes/:id': { access: 'administrators', of: 'account', body: { frozen: true, reason: 'A key is out.' } },
  'GET /api/accounts/:id': { access: 'administrators', of: 'account' },
  'POST /api/accounts/:id/suspend': { access: 'administrators', of: 'account', body: { reason: 'Abuse.' } },
  'POST /api/accounts/:id/resume': { access: 'administrators', of: 'suspended account', body: { reason: 'Paid.' } },
  'POST /api/accounts/:id/sign-out': { access: 'administrators', of: 'account' },
  'GET /api/accounts/:id/export': { access: 'administrators', of: 'account' },
  'POST /api/accounts/:id/erase': { access: 'administrators', of: 'account' },
  'PUT /api/accounts/:id/standing': { access: 'administrators', of: 'account', body: { per_minute: 100 } },
  'POST /api/accounts/:id/credits': { access: 'administrators', of: 'account', body: { amount: 1, reason: 'Outage.' } },
  'GET /api/events/:id': { access: 'object', of: 'event' },
  'POST /api/events/:id/redeliver': { access: 'object', of: 'event' },
  'POST /api/webhooks/ping': { access: 'own', body: { url: 'http://127.0.0.1:9/' } },
  'POST /api/webhook-endpoints': { access: 'own', body: { url: 'http://127.0.0.1:9/' } },
  'GET /api/webhook-endpoints/:id': { access: 'object', of: 'endpoint' },
  'PUT /api/webhook-endpoints/:id': { access: 'object', of: 'endpoint', body: { description: 'Changed' } },
  'DELETE /api/webhook-endpoints/:id': { access: 'object', of: 'endpoint' },
  'POST /api/webhook-endpoints/:id/rotate': { access: 'object', of: 'endpoint' },
  'POST /api/webhook-endpoints/:id/test': { access: 'object', of: 'endpoint' },
  'GET /api/webhook-endpoints/:id/deliveries': { access: 'object', of: 'endpoint' },
  'POST /api/webhook-endpoints/:id/replay': { access: 'object', of: 'endpoint', body: { from_unix: 1 } },
  'GET /api/webhook-endpoints/:id/replays': { access: 'object', of: 'endpoint' },
  'POST /api/watches': { access: 'object', of: 'endpoint', body: { addresses: [SHOP], endpoint: ':id' } },
  'DELETE /api/watches': { access: 'object', of: 'endpoint', body: { addresses: [SHOP], endpoint: ':id' } },
  'POST /api/links': { access: 'own', body: { address: SHOP, amount: '1' } },
  'GET /api/links/:id': { access: 'object', of: 'link' },
  'PUT /api/links/:id': { access: 'object', of: 'link', body: { title: 'Changed' } },
  'DELETE /api/links/:id': { access: 'object', of: 'link' },
  'GET /api/subscriptions/:id': { access: 'object', of: 'subscription' },
  'POST /api/subscriptions/:id/end': { access: 'object', of: 'subscription' },
  'POST /api/pos': { access: 'own', body: { address: SHOP, title: 'Counter' } },
  'GET /api/pos/:id': { access: 'object', of: 'pos' },
  'PUT /api/pos/:id': { access: 'object', of: 'pos', body: { title: 'Changed' } },
  'POST /api/pos/:id/rotate': { access: 'object', of: 'pos' },
  'GET /api/pos/:id/day': { access: 'object', of: 'pos' },
  'DELETE /api/pos/:id': { access: 'object', of: 'pos' },
  'PUT /api/names/:name': { access: 'object', of: 'name', body: { indexed: true } },
  'GET /api/emails/:id': { access: 'object', of: 'email' },
  'DELETE /api/emails/:id': { access: 'object', of: 'email' },
  'GET /email/:id': { access: 'public', of: 'email' },
  'GET /email/:id/check': { access: 'public', of: 'email' },
  'POST /email/:id/check': { access: 'public', of: 'email' },
  ...checkouts('/api/checkouts', 'object'),
  ...checkouts('/api/admin/checkouts', 'object, administrators read'),
}

/** `open`: for everybody. `key`: needs a secret key. `some`: parts of it need one. */
export type ActionAccess = 'open' | 'key' | 'some'

const OPEN = `account_balance account_block_count account_get account_history account_info account_key
  account_representative account_weight accounts_balances accounts_frontiers accounts_pending accounts_receivable
  accounts_representatives block_confirm   active_difficulty available_supply block block_account block_count block_hash block_info blocks blocks_info chain checkout_status
  confirmation_info confirmation_quorum delegators delegators_count find_block frontier_count frontiers nano_to_raw peers process
  raw_to_nano receivable receivable_exists representatives representatives_online successors telemetry uptime
  validate_account_number version work_cancel work_generate work_validate price market_data reps rep_info nano_swap nano_swap_status
  rpc_key known aliases get_name update_name faucet_check`.split(/\s+/)

export const ACTIONS: Readonly<Record<string, ActionAccess>> = {
  ...Object.fromEntries(OPEN.map((name) => [name, 'open' as const])),
  checkout: 'some',
  buy_rpc: 'some',
  checkout_report: 'key',
  checkout_refund: 'key',
  cloud_wallet: 'key',
  faucet_claim: 'key',
  nano_email: 'key',
  payment_link: 'key',
  rpc_credits: 'key',
  watch: 'key',
}

/** The scope that a key needs, by prefix of the path. Repeated here, because a route may declare the wrong one. */
const NEEDED: readonly [RegExp, Scope][] = [
  [/^\/api\/(admin\/)?checkouts\/(stats|unmatched|export\.csv|statement\.csv)$/, 'reports'],
  [/^\/api\/(admin\/)?checkouts\/overview$/, 'keys'],
  [/^\/api\/(admin\/)?checkouts\/.*\/refunds$/, 'refunds'],
  [/^\/api\/(admin\/)?checkouts(\/|$)/, 'checkout'],
  [/^\/api\/(links|subscriptions|pos)(\/|$)/, 'checkout'],
  [/^\/api\/(account|credits)$/, 'reports'],
  [/^\/api\/account\/(profile|payout)$/, 'checkout'],
  [/^\/api\/(events|webhooks|webhook-endpoints|watches)(\/|$)/, 'webhooks'],
  [/^\/api\/emails(\/|$)/, 'email'],
  [/^\/api\/names(\/|$)/, 'names'],
  [/^\/api\/(keys|members|requests|activity\.csv|accounts|mails|jobs|freezes)(\/|$)/, 'keys'],
]

export const scopeOf = (path: string): Scope | undefined => NEEDED.find(([begin]) => begin.test(path))?.[1]
/** With these a key could get rights that it was not given. */
export const NEEDS_ALL = /^\/api\/(mails$|account\/payout$|members|activity|freezes\/|accounts\/\{id\}\/)/
/** Keys have no devices: test/spec/part5-passkeys.test.ts tests what only people can do. */
export const IS_PERSONAL = /^\/api\/(passkeys|prove|recovery-codes)(\/|$)/

/** The most scopes that a key may have, by its maker's role. No scope of a developer moves money. */
export const SCOPES_OF: Record<Role, readonly Scope[]> = {
  owner: SCOPES,
  manager: SCOPES,
  developer: ['read', 'work', 'wallets:read', 'webhooks'],
  cashier: [],
  reader: ['read', 'wallets:read'],
}

/** Changes that leave no entry in the activity log, with the reason. */
export const UNLOGGED: Readonly<Record<string, string>> = {
  'Programs make them by the thousand; each is a record of its own with its key, its time and its status.': `
    POST /api/checkouts, POST /api/admin/checkouts, POST /dashboard/checkouts, checkout, faucet_claim`,
  'It is only an offer: the payment is logged as an order.': `
    POST /dashboard/credits/buy, POST /dashboard/names, POST /dashboard/names/:name, buy_rpc, get_name, update_name, nano_swap`,
  'It sends again what the account is sent anyway, or a test; each attempt is listed with its event.': `
    POST /api/checkouts/:id/redeliver, POST /api/admin/checkouts/:id/redeliver, POST /api/events/:id/redeliver,
    POST /api/webhooks/ping, POST /api/webhook-endpoints/:id/test, POST /dashboard/webhooks/ping,
    POST /dashboard/webhooks/events/:id/redeliver, POST /dashboard/webhooks/endpoints/:id/test,
    POST /dashboard/checkouts/:id/events/:event/redeliver`,
  'It sends a receipt where none went; the timeline of the checkout says so.': `
    POST /dashboard/checkouts/:id/receipt`,
  'It takes in what was paid to the wallet: the blocks of the wallet list it.': `
    POST /dashboard/wallets/:address/receive`,
  'It changes nothing of an account: it looks, asks for a mail or a signature, or ends a session.': `
    POST /dashboard/wallets/:address/send/check, POST /dashboard/sign-out, POST /api/sign-out, POST /dashboard/prove/mail,
    POST /dashboard/sign-in/mail, POST /api/sign-in/request, POST /api/sign-in/passkey/options, POST /api/prove/options,
    POST /api/passkeys/options, POST /check/:id, POST /confirm/:id, POST /checkout/:id/check, POST /email/:id/check,
    POST /facilitator/verify, POST /docs/actions/:name, rpc_key, process, work_generate`,
  'Payers and recipients do it, who are not of the account; it is kept with the checkout, the claim or the till.': `
    POST /buy/:slug, POST /buy/:slug/again, POST /subscriptions/:id/:token/renew, POST /pos/:id/sign-in, POST /pos/:id/sales, POST /claim,
    POST /claim/decline, POST /pay/:id/amount, POST /pay/:id/email, POST /facilitator/settle`,
  'It plays with the development ledger.': `
    POST /dashboard/developer/pay, POST /dashboard/developer/fund, POST /dashboard/developer/hold,
    POST /dashboard/developer/confirm, POST /dashboard/developer/checkouts/:id/:what, POST /developer/fund,
    POST /developer/hold, POST /developer/confirm, POST /developer/checkouts/:id/pay,
    POST /developer/checkouts/:id/expire, POST /developer/checkouts/:id/cancel, POST /developer/coffee`,
  'It calls actions, which are below.': 'POST /mcp',
}

/** Changes that need a device, a mail, a payer or a dead job, with the test that makes them and reads the log. */
export const LOGGED_ELSEWHERE: Readonly<Record<string, string>> = {
  'src/modules/accounts/passkeys/passkeys.test.ts': `
    POST /api/passkeys, PUT /api/passkeys/:id, DELETE /api/passkeys/:id, POST /api/recovery-codes, POST /api/prove,
    POST /api/sign-in/passkey, POST /api/sign-in/recovery, POST /dashboard/sign-in/recovery,
    POST /dashboard/security/passkeys, POST /dashboard/security/passkeys/:id/name,
    POST /dashboard/security/passkeys/:id/remove, POST /dashboard/security/codes`,
  'src/modules/accounts/sign-in.test.ts':
    'POST /api/sign-in, POST /dashboard/sign-in/link, POST /dashboard/sign-in/code',
  'test/stores/jobs.test.ts': 'POST /dashboard/admin/jobs/:id/retry',
  'test/pages/freezes.test.ts':
    'POST /dashboard/admin/freezes, POST /dashboard/admin/freezes/lift, PUT /api/freezes/:id',
  'test/spec/part4-subscriptions.test.ts': 'POST /subscriptions/:id/:token/end',
  'test/spec/part5-activity.test.ts': `
    POST /api/checkouts/:id/refunds, POST /api/admin/checkouts/:id/refunds, POST /dashboard/checkouts/:id/refund,
    checkout_refund`,
}

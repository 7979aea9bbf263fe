import { type RawBuilder, sql } from 'kysely'
import type { Tables } from '../kernel/db.ts'
import { type AnyEntity, storedOf } from '../kernel/resource/resource.ts'
import { accountProfile, member } from '../modules/accounts/index.ts'
import { paymentLink } from '../modules/links/index.ts'
import { pointOfSale } from '../modules/pos/index.ts'
import { NAME_UPDATE } from '../modules/usernames/index.ts'
import { addressWatch, webhookEndpoint } from '../modules/webhooks/index.ts'

/** The account whose data is meant. */
export interface Whose {
  accountId: string
  /** In lower case; undefined for an account without one. */
  email: string | undefined
}

type Column<T extends keyof Tables> = keyof Tables[T] & string

export interface Personal<T extends keyof Tables> {
  key: readonly Column<T>[]
  /** Which rows belong to an account. */
  of(whose: Whose): RawBuilder<boolean>
  /** Never exported: secrets, and data of other people. */
  leftOut?: readonly Column<T>[]
  /** The rows that an erasure changes, if not all. */
  erased?(whose: Whose): RawBuilder<boolean>
  /** The time of the last change, by which instances that keep these rows in memory find that one was erased. */
  changedAt?: Column<T>
  /** What happens to them when the account is erased: records of money and their proofs stay, without personal data. */
  erase: 'delete' | 'keep' | Partial<Tables[T]>
}

const owned = (column: string) => (whose: Whose) => sql<boolean>`${sql.ref(column)} = ${whose.accountId}`
const mailed = (column: string) => (whose: Whose) =>
  whose.email === undefined ? sql<boolean>`1 = 0` : sql<boolean>`lower(${sql.ref(column)}) = ${whose.email}`
/** Rows that refer to rows of an account in another table. */
const through =
  (column: string, table: keyof Tables, key: string, owner: string) =>
  ({ accountId }: Whose) =>
    sql<boolean>`${sql.ref(column)} in (select ${sql.ref(key)} from ${sql.table(table)} where ${sql.ref(owner)} = ${accountId})`
const ofDeliveries = ({ accountId }: Whose) => sql<boolean>`delivery_id in (select deliveries.id from deliveries
  inner join events on events.id = deliveries.event_id where events.account_id = ${accountId})`
const ofTokens = ({
  accountId,
}: Whose) => sql<boolean>`recipient_id in (select email_recipients.id from email_recipients
  inner join email_payments on email_payments.id = email_recipients.payment_id where email_payments.account_id = ${accountId})`
/** Escapes characters with a meaning in patterns: `john_doe` must not match `john.doe`. */
const asPattern = (text: string) => text.replaceAll(/[\\%_]/g, '\\$&')
const ofMailJobs = ({ email }: Whose) => {
  if (email === undefined) return sql<boolean>`1 = 0`
  const memberPattern = (member: string) => `%${asPattern(`"${member}":${JSON.stringify(email)}`)}%`
  return sql<boolean>`kind in ('mail.send', 'accounts.mail-sign-in', 'accounts.mail-proof')
    and (lower(payload) like ${memberPattern('recipient')} escape '\\' or lower(payload) like ${memberPattern('email')} escape '\\')`
}
/** Links for an address, and counts of how often it was written to. */
const ofSignIns = ({ email }: Whose) =>
  email === undefined
    ? sql<boolean>`1 = 0`
    : sql<boolean>`(lower(email) in (${email}, ${`proof ${email}`}, ${`invited ${email}`}, ${`passkey ${email}`}, ${`recovery ${email}`}) or lower(email) like ${`invited % ${asPattern(email)}`} escape '\\' or lower(email) like ${`caller % ${asPattern(email)}`} escape '\\')`
/**
 * Those of all people of the account. People with another account must be able to sign in there as before: without their
 * passkeys an email would be enough.
 */
const goneFrom =
  (table: 'passkeys' | 'recovery_codes') =>
  ({ accountId, email = '' }: Whose) => {
    const person = sql.ref(`${table}.email`)
    return sql<boolean>`(${person} = ${email} or ${person} in (select members.email from members
        where members.account_id = ${accountId}))
      and not exists (select 1 from members
        where members.email = ${person} and members.ended_at is null and members.account_id <> ${accountId})`
  }
/** Replays of an account, found by its endpoints as well: a gateway of 0.1 that runs beside this one does not write the account into the row. */
const ofReplays = ({ accountId }: Whose) => sql<boolean>`(account_id = ${accountId}
  or endpoint_id in (select id from webhook_endpoints where webhook_endpoints.account_id = ${accountId}))`
/** For a declared entity: owner, secret columns and columns to be emptied follow from its fields. */
function ofNoun<T extends keyof Tables>(
  entity: AnyEntity & { table: T },
  erase: 'delete' | (Partial<Tables[T]> & object),
): Personal<T> {
  const stored = storedOf(entity)
  const secrets = stored.filter(({ field }) => field.isSecret)
  const emptied = stored.flatMap(({ column, field: { erased, within } }) =>
    erased === undefined ? [] : [[column, within ? '{}' : erased]],
  )
  const columnOf = (name: string) => stored.find((each) => each.name === name)!.column
  return {
    key: entity.key.map((name) => columnOf(name) as Column<T>),
    of: owned(columnOf(entity.owner)),
    leftOut: secrets.map(({ column }) => column as Column<T>),
    erase:
      erase === 'delete'
        ? erase
        : { ...(Object.fromEntries(emptied) as object), ...(entity.marksDeleted && { deleted_at: 1 }), ...erase },
  }
}
const ofFreeUses = ({ accountId }: Whose) => sql<boolean>`caller = ${`acc:${accountId}`}`

export const ENTITIES: readonly AnyEntity[] = [
  webhookEndpoint,
  addressWatch,
  pointOfSale,
  paymentLink,
  accountProfile,
  member,
]

/**
 * Everything that the store knows about an account and its people, by table, in an order in which rows can be deleted. `nobody` is the
 * reason why a table has no personal data. A missing table does not compile, because exports and erasures would forget it.
 */
export const PERSONAL: { readonly [T in keyof Tables]: Personal<T> | { nobody: string } } = {
  sign_in_links: { key: ['token_hash'], of: ofSignIns, leftOut: ['token_hash'], erase: 'delete' },
  jobs: { key: ['id'], of: ofMailJobs, leftOut: ['payload'], erase: 'delete' },
  mails: { key: ['id'], of: mailed('recipient'), leftOut: ['text'], erase: 'delete' },
  // A request that is in progress during the erasure ends soon, and its row with it.
  idempotency: {
    key: ['account_id', 'action', 'key'],
    of: ({ accountId }) => sql`account_id = ${accountId} and status = 'finished'`,
    leftOut: ['fingerprint', 'answer', 'claim', 'made'],
    erase: 'delete',
  },
  free_uses: { key: ['caller', 'meter'], of: ofFreeUses, erase: 'delete' },
  usage_days: { key: ['account_id', 'day', 'action'], of: owned('account_id'), erase: 'delete' },
  account_profiles: ofNoun(accountProfile, 'delete'),
  account_logos: { key: ['account_id'], of: owned('account_id'), erase: 'delete' },
  account_pictures: { key: ['id'], of: owned('account_id'), erase: 'delete' },
  delivery_attempts: { key: ['delivery_id', 'attempt'], of: ofDeliveries, erase: 'delete' },
  deliveries: { key: ['id'], of: through('event_id', 'events', 'id', 'account_id'), erase: 'delete' },
  events: { key: ['id'], of: owned('account_id'), leftOut: ['sealed_secret'], erase: 'delete' },
  event_positions: { key: ['account_id'], of: owned('account_id'), erase: 'keep' },
  webhook_secrets: {
    key: ['account_id'],
    of: owned('account_id'),
    leftOut: ['sealed', 'previous_sealed'],
    erase: 'delete',
  },
  webhook_replays: { key: ['id'], of: ofReplays, erase: 'delete' },
  address_watches: ofNoun(addressWatch, 'delete'),
  webhook_endpoints: ofNoun(webhookEndpoint, 'delete'),
  disabled_webhooks: { key: ['owner', 'url'], of: owned('owner'), erase: 'delete' },
  checkouts: {
    key: ['id'],
    of: owned('owner'),
    leftOut: ['webhook_secret'],
    erase: {
      title: null,
      description: null,
      image: null,
      success_url: null,
      cancel_url: null,
      webhook_url: null,
      webhook_secret: null,
      notify: null,
      metadata: '{}',
      note: null,
      invoice: null,
    },
  },
  checkout_buyers: { key: ['checkout_id'], of: owned('owner'), erase: 'delete' },
  invoice_counters: { key: ['owner'], of: owned('owner'), erase: 'keep' },
  checkout_payments: { key: ['block_hash', 'owner'], of: owned('owner'), erase: 'keep' },
  checkout_proofs: {
    key: ['checkout_id', 'block_hash'],
    of: through('checkout_id', 'checkouts', 'id', 'owner'),
    erase: 'keep',
  },
  checkout_refunds: { key: ['id'], of: owned('owner'), leftOut: ['claim_id', 'reference'], erase: { reason: null } },
  checkout_timeline: {
    key: ['checkout_id', 'seq'],
    of: through('checkout_id', 'checkouts', 'id', 'owner'),
    erase: 'keep',
  },
  payment_links: ofNoun(paymentLink, { paused: 1 }),
  link_orders: {
    key: ['checkout_id'],
    of: through('link_id', 'payment_links', 'id', 'owner'),
    leftOut: ['visit', 'visitor'],
    erase: { visitor: '', visit: null },
  },
  // The address is that of the payer, who is another person.
  subscriptions: {
    key: ['id'],
    of: owned('owner'),
    leftOut: ['email'],
    erase: { email: null, plan: null, status: 'ended', due_at: 1 },
  },
  points_of_sale: ofNoun(pointOfSale, { paused: 1 }),
  pos_sales: { key: ['checkout_id'], of: through('pos_id', 'points_of_sale', 'id', 'owner'), erase: 'keep' },
  pos_pin_tries: {
    key: ['pos_id', 'who'],
    of: through('pos_id', 'points_of_sale', 'id', 'owner'),
    leftOut: ['who'],
    erase: 'delete',
  },
  usernames: {
    key: ['name'],
    of: owned('account_id'),
    changedAt: 'changed_at',
    erase: { profile: '{}', indexed: 0, account_id: null },
  },
  service_orders: {
    key: ['checkout_id'],
    of: owned('account_id'),
    // The texts of a change of a username. A late payment for another order needs what the order sells.
    erased: ({ accountId }) => sql`account_id = ${accountId} and kind = ${NAME_UPDATE}`,
    erase: { detail: '{}' },
  },
  service_payments: { key: ['block_hash'], of: owned('account_id'), erase: 'keep' },
  email_tokens: { key: ['selector'], of: ofTokens, leftOut: ['selector', 'verifier'], erase: 'delete' },
  email_recipients: {
    key: ['id'],
    of: through('payment_id', 'email_payments', 'id', 'account_id'),
    leftOut: ['email', 'email_hash'],
    erase: { email: null, email_hash: null },
  },
  email_payments: {
    key: ['id'],
    of: owned('account_id'),
    leftOut: ['receipt'],
    erase: { sender: null, message: null, receipt: null },
  },
  faucet_claims: { key: ['id'], of: owned('account_id'), erase: 'keep' },
  swaps: { key: ['id'], of: owned('account_id'), erase: 'keep' },
  wallets: { key: ['id'], of: owned('account_id'), leftOut: ['fence', 'lease_until'], erase: { metadata: null } },
  wallet_blocks: {
    key: ['id'],
    of: through('wallet_id', 'wallets', 'id', 'account_id'),
    leftOut: ['reference'],
    erase: 'keep',
  },
  wallet_plans: { key: ['id'], of: through('wallet_id', 'wallets', 'id', 'account_id'), erase: 'keep' },
  credit_balances: { key: ['account_id'], of: owned('account_id'), erase: 'keep' },
  credit_entries: { key: ['id'], of: owned('account_id'), erase: { reason: 'erased' } },
  credit_reservations: { key: ['id'], of: owned('account_id'), erase: 'keep' },
  api_keys: { key: ['id'], of: owned('account_id'), leftOut: ['hash'], erase: { name: '', start: '', origins: '[]' } },
  account_requests: { key: ['id'], of: owned('account_id'), erase: 'delete' },
  audit_entries: { key: ['id'], of: owned('account_id'), erase: { detail: '{}' } },
  passkeys: {
    key: ['id'],
    of: mailed('email'),
    leftOut: ['user_handle', 'credential_id', 'public_key'],
    erased: goneFrom('passkeys'),
    erase: 'delete',
  },
  recovery_codes: {
    key: ['code_hash'],
    of: mailed('email'),
    leftOut: ['code_hash'],
    erased: goneFrom('recovery_codes'),
    erase: 'delete',
  },
  members: ofNoun(member, 'delete'),
  // Last of all: the address is needed until everything else is done.
  accounts: { key: ['id'], of: owned('id'), erase: { email: null, features: null } },

  status_days: { nobody: 'states of the service' },
  status_incidents: { nobody: 'incidents of the service' },
  session_secrets: { nobody: 'secrets of the service' },
  passkey_challenges: { nobody: 'what devices are asked to sign, for five minutes' },
  ended_sessions: { nobody: 'ids of sessions, for as long as they would have lasted' },
  usage_batches: { nobody: 'ids of what was counted' },
  key_spends: { nobody: 'amounts of a key, for a week' },
  key_spend_days: { nobody: 'amounts of a key, for a week' },
  store_facts: { nobody: 'facts of the store' },
  works: { nobody: 'proof of work of ledger accounts' },
  rep_days: { nobody: 'representatives of the network' },
  wallet_keys: { nobody: 'encrypted keys, which never leave the store' },
  store_restores: { nobody: 'returns to a backup' },
  send_freezes: { nobody: 'sends that the operator has stopped' },
  wallet_seeds: { nobody: 'seeds of the wallets of all accounts' },
  wallet_seed_seals: { nobody: 'encrypted seeds, which never leave the store' },
  wallet_canaries: { nobody: 'proof of the master keys' },
  checkout_reservations: { nobody: 'amounts of checkouts, while they can be paid' },
  checkout_quotes: { nobody: 'prices of checkouts' },
  checkout_watchers: { nobody: 'addresses of checkouts, while they can be paid' },
  watched_addresses: { nobody: 'addresses of the ledger' },
  checkout_sightings: { nobody: 'blocks of the ledger' },
  checkout_sums: { nobody: 'sums' },
  checkout_paid_sums: { nobody: 'sums' },
  x402_payments: { nobody: 'blocks of the ledger, for 30 days' },
  x402_offers: { nobody: 'prices' },
  email_suppressions: { nobody: 'the wish for no more mail, as a hash that only the service can make' },
}

/** Which rows an erasure changes. */
export const erasedOf = (
  { of, erased = of }: Pick<Personal<keyof Tables>, 'of' | 'erased'>,
  whose: Whose,
): RawBuilder<boolean> => erased(whose)

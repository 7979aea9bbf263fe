import type { Activity } from './store.ts'

/** A part of a sentence: plain text, a thing by its name or hash, or a link to its page. */
export type Part = string | { text: string; href?: string }

type Detail = Activity['detail']

interface Known {
  /** Email addresses of present and former members by id. */
  names: ReadonlyMap<string, string>
  accountId: string
}

/** The filter's choices: the first word of each kind of action. */
export const KINDS = {
  account: 'Sign-ins and the account',
  member: 'People',
  passkey: 'Passkeys',
  key: 'API keys',
  checkout: 'Checkouts',
  link: 'Payment links',
  pos: 'Points of sale',
  endpoint: 'Webhook endpoints',
  'webhook-secret': 'Webhook secret',
  profile: 'Profile',
  credits: 'Credits',
  order: 'Purchases',
  name: 'Usernames',
  wallet: 'Wallets',
  email: 'Email payments',
  subscription: 'Subscriptions',
  person: 'Personal data',
  job: 'Jobs',
} as const

const text = (value: unknown) =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
const list = (value: unknown) => (Array.isArray(value) ? value.map(text).join(', ') : text(value))

const checkout = ({ id }: Detail): Part => ({ text: text(id), href: `/dashboard/checkouts/${text(id)}` })
const link = ({ id }: Detail): Part => ({ text: text(id), href: `/dashboard/links/${text(id)}` })
const pos = ({ id }: Detail): Part => ({ text: text(id), href: `/dashboard/pos/${text(id)}` })
const endpoint = ({ id }: Detail): Part => ({ text: text(id), href: '/dashboard/webhooks' })
const email = ({ id }: Detail): Part => ({ text: text(id), href: `/dashboard/emails/${text(id)}` })
const wallet = (address: unknown): Part => ({ text: text(address), href: `/dashboard/wallets/${text(address)}` })
const key = (id: unknown): Part => ({ text: text(id), href: '/dashboard/keys' })
const because = ({ reason }: Detail): Part[] => (reason ? [`: ${text(reason)}`] : [])
const by = ({ by: way }: Detail) => (way === undefined ? '' : ` by ${text(way)}`)
const bought = ({ kind, blockHash }: Detail): Part[] => [`${text(kind)}, with block `, { text: text(blockHash) }]
const scopesOf = ({ scopes }: Detail) =>
  scopes === undefined ? ', which may do everything' : `, which may: ${list(scopes)}`
/** A name of the code, such as `timeZone` or `wallet_sends`, as people write it. */
const wordsOf = (name: string) => name.replaceAll('_', ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
const fieldsOf = ({ fields }: Detail) => wordsOf(list(fields))
const valueOf = (value: unknown) => (typeof value === 'boolean' ? (value ? 'on' : 'off') : text(value) || 'as usual')
const settings = (detail: Detail) =>
  Object.entries(detail)
    .map(([name, value]) => `${wordsOf(name)} ${valueOf(value)}`)
    .join(', ')

/** The sentence of each kind of action, to follow the name of the actor. */
const SENTENCES: Record<string, (detail: Detail, member: Part) => Part[]> = {
  'account.created': () => ['made this account'],
  'account.signed-in': (detail) => [`signed in${by(detail)}`],
  'account.proved': (detail) => [`proved again who they are${by(detail)}`],
  'account.mail-links-allowed': () => ['let people with passkeys sign in by mail as well'],
  'account.mail-links-closed': () => ['let people with passkeys sign in by passkey alone'],
  'passkey.added': ({ name }) => [`added the passkey “${text(name)}” of theirs`],
  'passkey.renamed': ({ name }) => [`called a passkey of theirs “${text(name)}”`],
  'passkey.removed': ({ name }) => [`removed the passkey “${text(name)}” of theirs`],
  'passkey.codes-made': () => ['made new recovery codes'],
  'passkey.forgotten': ({ email }) => [`took away all passkeys of ${text(email)}`],
  'account.signed-out': () => ['signed everybody out'],
  'account.suspended': (detail) => ['suspended the account', ...because(detail)],
  'account.resumed': (detail) => ['let the account go on', ...because(detail)],
  'account.closed': () => ['closed the account'],
  'account.exported': () => ['took out a copy of everything here'],
  'person.erased': () => ['erased what was known of a person'],
  'account.erased': () => ['erased what was known of people here'],
  'account.changed': (detail) => [`changed what the account may do: ${settings(detail)}`],
  'member.invited': ({ role }, member) => ['invited ', member, ` as ${text(role)}`],
  'member.invitation-withdrawn': (_, member) => ['took back the invitation of ', member],
  'member.declined': () => ['declined the invitation'],
  'member.joined': ({ role }) => [`accepted the invitation, as ${text(role)}`],
  'member.left': () => ['left the account'],
  'member.removed': (_, member) => ['removed ', member],
  'member.role-changed': ({ was, role }, member) => ['made ', member, ` ${text(role)}, before ${text(was)}`],
  'key.issued': (detail) => [
    `made the ${text(detail.kind)} key “${text(detail.name)}”, `,
    key(detail.keyId),
    detail.kind === 'public' ? '' : scopesOf(detail),
  ],
  'key.rotated': ({ keyId, newKeyId }) => ['replaced the key ', key(keyId), ' by ', key(newKeyId)],
  'key.revoked': ({ keyId, memberId }, member) => [
    'revoked the key ',
    key(keyId),
    ...(memberId === undefined ? [] : [', which was made by ', member]),
  ],
  'checkout.updated': (detail) => ['changed ', fieldsOf(detail), ' of the checkout ', checkout(detail)],
  'checkout.cancelled': (detail) => ['cancelled the checkout ', checkout(detail)],
  'checkout.hidden': (detail) => ['took the checkout ', checkout(detail), ' out of the list'],
  'checkout.marked': (detail) => [
    'marked the checkout ',
    checkout(detail),
    ' as paid',
    ...(detail.blockHash ? [', with block ', { text: text(detail.blockHash) }] : []),
  ],
  'checkout.refunded': (detail) => [`refunded ${text(detail.amount)} nano of the checkout `, checkout(detail)],
  'link.made': (detail) => [`made the payment link “${text(detail.slug)}”, `, link(detail)],
  'link.changed': (detail) => ['changed the payment link ', link(detail)],
  'link.deleted': ({ id }) => ['deleted the payment link ', { text: text(id) }],
  'pos.made': (detail) => [`made the point of sale “${text(detail.title)}”, `, pos(detail)],
  'pos.changed': (detail) => ['changed the point of sale ', pos(detail)],
  'pos.rotated': (detail) => ['made a new link of the point of sale ', pos(detail)],
  'pos.deleted': ({ id }) => ['deleted the point of sale ', { text: text(id) }],
  'endpoint.made': (detail) => ['made the webhook endpoint ', endpoint(detail)],
  'endpoint.changed': (detail) => ['changed the webhook endpoint ', endpoint(detail)],
  'endpoint.deleted': (detail) => ['deleted the webhook endpoint ', endpoint(detail)],
  'endpoint.disabled': (detail) => ['switched off the webhook endpoint ', endpoint(detail), ', which did not answer'],
  'endpoint.replayed': (detail) => ['had events sent again to the webhook endpoint ', endpoint(detail)],
  'endpoint.watched': (detail) => [
    `had ${text(detail.count)} addresses watched for the webhook endpoint `,
    endpoint(detail),
  ],
  'endpoint.unwatched': (detail) => [`had ${text(detail.count)} addresses watched no longer for `, endpoint(detail)],
  'endpoint.secret-rotated': (detail) => ['made a new secret of the webhook endpoint ', endpoint(detail)],
  'webhook-secret.rotated': () => ['made a new ', { text: 'webhook secret', href: '/dashboard/webhooks' }],
  'profile.changed': (detail) => [
    `changed ${fieldsOf(detail)} of the `,
    { text: 'profile', href: '/dashboard/profile' },
  ],
  'payout.changed': ({ address }) => ['sent new payments to ', { text: text(address), href: '/dashboard/payout' }],
  'credits.granted': (detail) => [`gave ${text(detail.amount)} credits`, ...because(detail)],
  'credits.taken': (detail) => [`took ${text(detail.amount)} credits`, ...because(detail)],
  'credits.spent': (detail) => [`spent ${text(detail.amount)} credits`, ...because(detail)],
  'order.applied': (detail) => ['paid for ', ...bought(detail)],
  'order.unauthorized': (detail) => ['paid without a yes of the owner for ', ...bought(detail)],
  'order.refunded': (detail) => ['gets back what was paid for ', ...bought(detail)],
  'order.held': (detail) => ['gets back, once the operator says where, what was paid for ', ...bought(detail)],
  'name.indexed': ({ name, indexed }) => [
    `${indexed === true ? 'let' : 'kept'} search engines ${indexed === true ? 'list' : 'from'} the page of @${text(name)}`,
  ],
  'name.change_authorized': ({ name, by: way }) => [
    'agreed to a change of the name ',
    { text: text(name), href: '/dashboard/names' },
    ` by ${text(way)}`,
  ],
  'wallet.sent': ({ from, destination, amount }) => [
    `asked to send ${amount === 'all' ? 'everything' : `${text(amount)} nano`} from the wallet `,
    wallet(from),
    ' to ',
    { text: text(destination) },
  ],
  'wallet.made': ({ address }) => ['made the wallet ', wallet(address)],
  'wallet.changed': ({ address }) => ['changed the metadata of the wallet ', wallet(address)],
  'wallet.ended': ({ address }) => ['ended the wallet ', wallet(address)],
  'email.made': (detail) => [
    `made an email payment of ${text(detail.amount)} nano to ${text(detail.recipients)} recipients, `,
    email(detail),
  ],
  'email.cancelled': (detail) => ['cancelled the email payment ', email(detail)],
  'subscription.ended': ({ id }) => ['ended the subscription ', { text: text(id) }],
  'wallet.thawed': ({ address, reason }) => [
    'let the wallet ',
    wallet(address),
    ` go on, which was frozen${reason ? `: ${text(reason)}` : ''}`,
  ],
  'wallet.frozen': ({ address, reason }) => ['froze the wallet ', wallet(address), `: ${text(reason)}`],
  'sends.frozen': ({ target, reason }) => [
    `froze ${target === 'all' ? 'all sends' : 'the sends of the account'}: ${text(reason)}`,
  ],
  'sends.unfrozen': ({ target }) => [`let ${target === 'all' ? 'all sends' : 'the sends of the account'} go on`],
  'wallet.released': ({ address, hashes, reason }) => [
    `released blocks ${text(hashes)} of the wallet `,
    wallet(address),
    `, which can never be confirmed: ${text(reason)}`,
  ],
  'wallet.returned': ({ address, hash }) => [
    `found the released block ${text(hash)} of the wallet `,
    wallet(address),
    ' on the ledger after all',
  ],
  'wallet.recovered': ({ address }) => ['recovered the wallet ', wallet(address)],
  'wallet.moved': ({ address, to }) => ['moved the wallet ', wallet(address), ' to the new address ', wallet(to)],
  'wallet.assigned': ({ address }) => ['gave the account the wallet ', wallet(address)],
  'store.restored': ({ reason }) => [`noticed that the store comes from a backup: ${text(reason)}`],
  'store.settled': () => ['settled what was sent after the backup'],
  'wallet_words.shown': () => ['showed the words of the wallet seed'],
  'wallet_words.replaced': () => ['made a new wallet seed'],
  'job.retried': ({ id }) => ['had the job ', { text: text(id), href: '/dashboard/admin/jobs' }, ' run again'],
}

/** An action as a sentence. A kind without a sentence here is shown by its name, with all recorded details. */
export function describeActivity({ what, detail }: Activity, { names }: Known): Part[] {
  const memberId = text(detail.memberId)
  const member = { text: names.get(memberId) ?? memberId, href: '/dashboard/people' }
  const sentence = Object.hasOwn(SENTENCES, what) ? SENTENCES[what] : undefined
  return (sentence?.(detail, member) ?? [`${what.replaceAll(/[._-]/g, ' ')} ${settings(detail)}`]).filter(
    (part) => part !== '',
  )
}

/** The actor's name. An operator's people and keys have no name in an account. */
export function describeActor({ actor, key }: Pick<Activity, 'actor' | 'key'>, { names, accountId }: Known): string {
  const name = names.get(actor)
  if (name !== undefined) return name
  if (key) return describeKey(key)
  // Entries from before 0.3 do not record which key it was.
  if (actor === accountId) return 'An API key'
  if (/^(mem|acc|key)_/.test(actor)) return 'The operator'
  return OTHERS[actor] ?? actor
}

/** Keys may share a name, so the key's first characters are shown too, as in the list of keys. */
export const describeKey = ({ name, start }: { name: string; start: string }): string =>
  name === '' ? `API key ${start}…` : `API key “${name}” (${start}…)`

const OTHERS: Readonly<Record<string, string>> = {
  'sign-in': 'The first sign-in',
  system: 'The gateway',
  buy_rpc: 'A purchase',
  service: 'The gateway',
  payer: 'The payer',
  developer: 'The developer panel',
  'command line': 'The operator',
}

export const isReported = (what: string): boolean => Object.hasOwn(SENTENCES, what)

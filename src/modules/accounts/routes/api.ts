import { answer } from '../../../kernel/answers.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Notices } from '../../../kernel/ports.ts'
import { type OpenRoute, type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import { SCOPES } from '../../../kernel/rights.ts'
import { rpcCredits } from '../actions/rpc-credits.ts'
import { account as accountView, key as keyView } from '../answers.ts'
import { issueKey, revokeKey, rotateKey } from '../domain/keys.ts'
import { readCredits } from '../domain/credits.ts'
import { SESSION_SECONDS, type Sessions } from '../domain/sessions.ts'
import { redeemSignIn, requestSignIn } from '../domain/sign-in.ts'
import type { Required } from '../passkeys/policy.ts'
import { findAccount, listKeys } from '../store.ts'
import { readEmail } from '../email-field.ts'
import { readNewKey, readOverlap, readSignInToken } from '../wire-fields.ts'

const { text, bool, integer, list, record, words } = answer
const LISTED_MAX = 200

interface AccountPorts {
  store: StoreCtx
  sessions: Sessions
  /** Notifies every instance that a key has changed. */
  notices: Pick<Notices, 'publish'>
  /** The base URL of links to this gateway. */
  baseUrl(): string
  required?: Required
}

const DONE = record({ success: bool })
const anybody = { tag: 'accounts', who: 'anybody', access: 'anyone' } as const
const own = { tag: 'accounts', who: 'account' } as const

const signIn: readonly OpenRoute<AccountPorts>[] = [
  {
    ...anybody,
    method: 'post',
    path: '/api/sign-in/request',
    id: 'requestSignIn',
    summary: 'Request an email with a sign-in link.',
    body: { schema: record({ email: text }), example: { email: 'alice@example.com' } },
    answer: record({ success: bool, message: text }),
    refuses: [503],
    async run({ store, baseUrl }, { body, ip }) {
      await requestSignIn(store, { email: readEmail(body()), ip, baseUrl: baseUrl() })
      return { json: { success: true, message: 'A sign-in link is on its way, if mail can reach this address.' } }
    },
  },
  {
    ...anybody,
    method: 'post',
    path: '/api/sign-in',
    id: 'signIn',
    summary: 'Sign in with the token of that link.',
    body: { schema: record({ token: text }), example: { token: 'token-of-the-link' } },
    answer: record({ token: text, expires_in: integer, account: accountView.schema }),
    refuses: [401, 403, 503],
    // Otherwise another site could sign its visitor in to the attacker's account.
    ownPagesOnly: true,
    async run({ store, sessions, required = 'none' }, { body }) {
      const link = readSignInToken(body())
      await sessions.prepare()
      const { account, member } = await redeemSignIn(store, link, { required })
      const token = await sessions.create(account.id, { memberId: member.id })
      return { json: { token, expires_in: SESSION_SECONDS, account: accountView.show(account) }, session: token }
    },
  },
  {
    ...anybody,
    method: 'post',
    path: '/api/sign-out',
    id: 'signOut',
    summary: 'End the session of the cookie in the request.',
    answer: DONE,
    refuses: [403, 503],
    async run({ sessions }, { ownSession }) {
      const token = ownSession()
      if (token !== undefined) await sessions.end(token)
      return { json: { success: true }, session: null }
    },
  },
]

const routes: readonly ApiRoute<AccountPorts>[] = [
  {
    ...own,
    method: 'get',
    path: '/api/account',
    id: 'getAccount',
    summary: 'The account of the caller.',
    answer: record({ account: accountView.schema }),
    refuses: [404],
    scope: 'reports',
    async run({ store }, { caller }) {
      const account = await findAccount(store.db, caller.accountId)
      if (!account) throw new AppError('not_found', 'Account not found.')
      return { json: { account: accountView.show(account) } }
    },
  },
  {
    ...own,
    method: 'get',
    path: '/api/credits',
    id: 'getCredits',
    summary: 'Credits left, and usage on each of the last 30 days.',
    answer: rpcCredits.output,
    scope: 'reports',
    run: async ({ store }, { caller }) => ({ json: await readCredits(store, caller.accountId) }),
  },
  {
    ...own,
    method: 'get',
    path: '/api/keys',
    id: 'listKeys',
    summary: 'The keys of the account, without their secrets.',
    answer: record({ keys: list(keyView.schema) }),
    scope: 'keys',
    async run({ store }, { caller }) {
      const keys = await listKeys(store.db, caller.accountId, LISTED_MAX)
      return { json: { keys: keys.map((key) => keyView.show(key, store.clock.now())) } }
    },
  },
  {
    ...own,
    method: 'post',
    path: '/api/keys',
    id: 'createKey',
    summary: 'Create a key; it is shown only this once.',
    body: {
      schema: record({
        name: text,
        kind: answer.optional(words('secret', 'public')),
        origins: answer.optional(list(text)),
        addresses: answer.optional(list(answer.address)),
        templates: answer.optional(list(text)),
        scopes: answer.optional(list(words(...SCOPES))),
        expires_unix: answer.optional(answer.unix),
        per_minute: answer.optional(integer),
        spend_daily_nano: answer.optional(answer.nano),
      }),
      example: { name: 'Shop', kind: 'public', origins: ['https://shop.example'] },
    },
    status: 201,
    answer: record({ ...keyView.schema.properties, key: text }),
    refuses: [403, 409],
    scope: 'keys',
    proof: true,
    async run({ store }, { caller, body }) {
      const asked = readNewKey(body(), store.clock.now())
      const { text, key } = await issueKey(store, { ...asked, accountId: caller.accountId, actor: caller.actor })
      return { status: 201, json: { key: text, ...keyView.show(key, store.clock.now()) } }
    },
  },
  {
    ...own,
    method: 'delete',
    path: '/api/keys/{id}',
    id: 'revokeKey',
    summary: 'Revoke a key at once.',
    answer: record({ success: bool, id: text }),
    scope: 'keys',
    async run({ store, notices }, { caller: { accountId, actor }, params }) {
      const keyId = params.id!
      notices.publish('key', await revokeKey(store, { accountId, keyId, actor }))
      return { json: { success: true, id: keyId } }
    },
  },
  {
    ...own,
    method: 'post',
    path: '/api/keys/{id}/rotate',
    id: 'rotateKey',
    summary: 'Replace a key by a new one; the old one works for a while longer.',
    body: {
      schema: record({ overlap_hours: answer.optional(integer) }),
      example: { overlap_hours: 24 },
      required: false,
    },
    status: 201,
    answer: record({ ...keyView.schema.properties, key: text, replaces: text }),
    refuses: [403, 409],
    scope: 'keys',
    proof: true,
    async run({ store, notices }, { caller: { accountId, actor }, params, body }) {
      const overlapMilliseconds = readOverlap(body())
      const overlap = overlapMilliseconds === undefined ? {} : { overlapMilliseconds }
      const request = { accountId, actor, keyId: params.id!, ...overlap }
      const rotated = await rotateKey(store, request)
      if (rotated.oldHash !== undefined) notices.publish('key', rotated.oldHash)
      const shown = keyView.show(rotated.key, store.clock.now())
      return { status: 201, json: { key: rotated.text, ...shown, replaces: params.id! } }
    },
  },
]

/** Sign-in, the account and its keys, under `/api`. */
export const accountRoutes = (ports: AccountPorts) => routesOf([...signIn, ...routes], ports)
export const describedAccountRoutes = describedOf([...signIn, ...routes])

import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { rpcCredits } from '../actions/rpc-credits.ts'
import { SCOPES } from '../../../kernel/rights.ts'
import { ACCOUNT, KEY, KEY_MEMBERS, PROFILE } from '../answers.ts'
import { describedMemberRoutes } from './described-members.ts'
import { describedPasskeyRoutes } from './described-passkeys.ts'
import { describedOperatorRoutes } from './described-operator.ts'

const { text, bool, integer, list, record, words } = answer

const maybe = (schema: typeof text) => answer.optional(answer.orNull(schema))
const DONE = record({ success: bool })

export const describedAccountRoutes: readonly Described[] = [
  {
    method: 'post',
    path: '/api/sign-in/request',
    id: 'requestSignIn',
    tag: 'accounts',
    summary: 'Request an email with a sign-in link.',
    who: 'anybody',
    body: { schema: record({ email: text }), example: { email: 'alice@example.com' } },
    answer: record({ success: bool, message: text }),
    refuses: [503],
  },
  {
    method: 'post',
    path: '/api/sign-in',
    id: 'signIn',
    tag: 'accounts',
    summary: 'Sign in with the token of that link.',
    who: 'anybody',
    body: { schema: record({ token: text }), example: { token: 'token-of-the-link' } },
    answer: record({ token: text, expires_in: integer, account: ACCOUNT }),
    refuses: [401, 403, 503],
  },
  {
    method: 'post',
    path: '/api/sign-out',
    id: 'signOut',
    tag: 'accounts',
    summary: 'End the session of the cookie in the request.',
    who: 'anybody',
    answer: DONE,
    refuses: [403, 503],
  },
  {
    method: 'get',
    path: '/api/account',
    id: 'getAccount',
    tag: 'accounts',
    summary: 'The account of the caller.',
    who: 'account',
    answer: record({ account: ACCOUNT }),
    refuses: [404],
  },
  {
    method: 'get',
    path: '/api/account/profile',
    id: 'getProfile',
    tag: 'accounts',
    summary: 'The profile that payers see.',
    who: 'account',
    answer: record({ profile: PROFILE }),
  },
  {
    method: 'put',
    path: '/api/account/profile',
    id: 'changeProfile',
    tag: 'accounts',
    summary: 'Change the fields in the body; an empty text or null removes a value. The picture is fetched once.',
    who: 'account',
    body: {
      schema: record({
        name: maybe(text),
        logo: maybe(text),
        support_email: maybe(text),
        support_url: maybe(text),
        terms_url: maybe(text),
        website: maybe(text),
        accent: maybe(text),
        currency: maybe(text),
        time_zone: maybe(text),
      }),
      example: { name: 'Blue Mug Coffee', website: 'https://shop.example', accent: '#1a5fc7' },
    },
    answer: record({ profile: PROFILE }),
  },
  {
    method: 'get',
    path: '/api/credits',
    id: 'getCredits',
    tag: 'accounts',
    summary: 'Credits left, and usage on each of the last 30 days.',
    who: 'account',
    answer: rpcCredits.output,
  },
  {
    method: 'get',
    path: '/api/keys',
    id: 'listKeys',
    tag: 'accounts',
    summary: 'The keys of the account, without their secrets.',
    who: 'account',
    answer: record({ keys: list(KEY) }),
  },
  {
    method: 'post',
    path: '/api/keys',
    id: 'createKey',
    tag: 'accounts',
    summary: 'Create a key; it is shown only this once.',
    who: 'account',
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
    answer: record({ ...KEY_MEMBERS, key: text }),
    refuses: [403, 409],
  },
  {
    method: 'delete',
    path: '/api/keys/{id}',
    id: 'revokeKey',
    tag: 'accounts',
    summary: 'Revoke a key at once.',
    who: 'account',
    answer: record({ success: bool, id: text }),
  },
  {
    method: 'post',
    path: '/api/keys/{id}/rotate',
    id: 'rotateKey',
    tag: 'accounts',
    summary: 'Replace a key by a new one; the old one works for a while longer.',
    who: 'account',
    body: {
      schema: record({ overlap_hours: answer.optional(integer) }),
      example: { overlap_hours: 24 },
      required: false,
    },
    status: 201,
    answer: record({ ...KEY_MEMBERS, key: text, replaces: text }),
    refuses: [403, 409],
  },
  ...describedPasskeyRoutes,
  ...describedMemberRoutes,
  ...describedOperatorRoutes,
]

import { AppError } from '../../../kernel/errors.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Notices } from '../../../kernel/ports.ts'
import type { Route } from '../../../kernel/route.ts'
import { issueKey, revokeKey, rotateKey } from '../domain/keys.ts'
import { readCredits } from '../domain/credits.ts'
import { SESSION_SECONDS, type Sessions } from '../domain/sessions.ts'
import { redeemSignIn, requestSignIn } from '../domain/sign-in.ts'
import type { Required } from '../passkeys/policy.ts'
import { showAccount, showKey } from '../shape-account.ts'
import { findAccount, listKeys } from '../store.ts'
import { readEmail, readNewKey, readOverlap, readSignInToken } from '../wire-fields.ts'

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

/** Sign-in, the account and its keys, under `/api`. */
export function accountRoutes(ports: AccountPorts): readonly Route[] {
  return [...signInRoutes(ports), ...ownAccountRoutes(ports), ...keyRoutes(ports)]
}

function signInRoutes({ store, sessions, baseUrl, required = 'none' }: AccountPorts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/api/sign-in/request',
      door: 'anyone',
      async run({ body, ip }) {
        await requestSignIn(store, { email: readEmail(body()), ip, baseUrl: baseUrl() })
        return { json: { success: true, message: 'A sign-in link is on its way, if mail can reach this address.' } }
      },
    },
    {
      method: 'POST',
      path: '/api/sign-in',
      door: 'anyone',
      // Otherwise another site could sign its visitor in to the attacker's account.
      ownPagesOnly: true,
      async run({ body }) {
        const link = readSignInToken(body())
        await sessions.prepare()
        const { account, member } = await redeemSignIn(store, link, { required })
        const token = await sessions.create(account.id, { memberId: member.id })
        return { json: { token, expires_in: SESSION_SECONDS, account: showAccount(account) }, session: token }
      },
    },
    {
      method: 'POST',
      path: '/api/sign-out',
      door: 'anyone',
      async run({ ownSession }) {
        const token = ownSession()
        if (token !== undefined) await sessions.end(token)
        return { json: { success: true }, session: null }
      },
    },
  ]
}

function ownAccountRoutes({ store }: AccountPorts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/account',
      door: 'account',
      scope: 'reports',
      async run({ caller }) {
        const account = await findAccount(store.db, caller.accountId)
        if (!account) throw new AppError('not_found', 'Account not found.')
        return { json: { account: showAccount(account) } }
      },
    },
    {
      method: 'GET',
      path: '/api/credits',
      door: 'account',
      scope: 'reports',
      run: async ({ caller }) => ({ json: await readCredits(store, caller.accountId) }),
    },
  ]
}

function keyRoutes({ store, notices }: AccountPorts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/keys',
      door: 'account',
      scope: 'keys',
      async run({ caller }) {
        const keys = await listKeys(store.db, caller.accountId, LISTED_MAX)
        return { json: { keys: keys.map((key) => showKey(key, store.clock.now())) } }
      },
    },
    {
      method: 'POST',
      path: '/api/keys',
      door: 'account',
      scope: 'keys',
      proof: true,
      async run({ caller, body }) {
        const asked = readNewKey(body(), store.clock.now())
        const { text, key } = await issueKey(store, { ...asked, accountId: caller.accountId, actor: caller.actor })
        return { status: 201, json: { key: text, ...showKey(key, store.clock.now()) } }
      },
    },
    {
      method: 'DELETE',
      path: '/api/keys/:id',
      door: 'account',
      scope: 'keys',
      async run({ caller: { accountId, actor }, params }) {
        const keyId = params.id!
        notices.publish('key', await revokeKey(store, { accountId, keyId, actor }))
        return { json: { success: true, id: keyId } }
      },
    },
    {
      method: 'POST',
      path: '/api/keys/:id/rotate',
      door: 'account',
      scope: 'keys',
      proof: true,
      async run({ caller: { accountId, actor }, params, body }) {
        const overlapMilliseconds = readOverlap(body())
        const overlap = overlapMilliseconds === undefined ? {} : { overlapMilliseconds }
        const request = { accountId, actor, keyId: params.id!, ...overlap }
        const rotated = await rotateKey(store, request)
        if (rotated.oldHash !== undefined) notices.publish('key', rotated.oldHash)
        const shown = showKey(rotated.key, store.clock.now())
        return { status: 201, json: { key: rotated.text, ...shown, replaces: params.id! } }
      },
    },
  ]
}

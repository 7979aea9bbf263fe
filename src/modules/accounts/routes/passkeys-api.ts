import { randomId } from '../../../kernel/api-key.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Route, RouteLimit, RouteRequest } from '../../../kernel/route.ts'
import { overLimit } from '../../../kernel/errors.ts'
import { SESSION_SECONDS, type Sessions } from '../domain/sessions.ts'
import { askToMake, askToProve, askToSignIn, partyAt } from '../passkeys/ceremony.ts'
import { countCodes, listPasskeys } from '../passkeys/store.ts'
import { enrolPasskey, proveByPasskey, removePasskey, renamePasskey, signInByPasskey } from '../passkeys/passkeys.ts'
import { badPasskey } from '../passkeys/errors.ts'
import { newCodes, signInByCode } from '../passkeys/recovery-codes.ts'
import { type Required, isMailOpen, personOf } from '../passkeys/policy.ts'
import { readCode, readMade, readPasskeyName, readSigned, showPasskey } from '../passkeys/wire-fields.ts'
import type { Place } from '../people/membership.ts'
import { showAccount } from '../shape-account.ts'
import { readEmail } from '../wire-fields.ts'

const BROWSER_LENGTH = 32
const BROWSER_SECONDS = 300
const TRIES_PER_MINUTE = 30
const CREDENTIAL_BYTES_MAX = 64 * 1024

interface PasskeyPorts {
  store: StoreCtx
  sessions: Sessions
  baseUrl(): string
  required: Required
}

/** Separate from the limits of calls: attempts count against the network address that makes them. */
const LIMIT: RouteLimit = {
  bucket: 'passkey',
  perMinute: TRIES_PER_MINUTE,
  refuse: ({ retryAfterSeconds }) =>
    overLimit(`You can try to sign in ${TRIES_PER_MINUTE} times a minute from one IP address.`, retryAfterSeconds),
}

/** Sign-in by passkey, and the passkeys and recovery codes of the signed-in user, under `/api`. */
export function passkeyRoutes(ports: PasskeyPorts): readonly Route[] {
  return [...signInRoutes(ports), ...proofRoutes(ports), ...ownRoutes(ports)]
}

/** Browsers bind a cookie whose name begins with `__Host-` to one host and to https. */
const cookieName = (baseUrl: string) => `${baseUrl.startsWith('https:') ? '__Host-' : ''}nano-gateway-passkey`

function toCookie(baseUrl: string, browser: string): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(baseUrl)}=${browser}; Path=/; Max-Age=${BROWSER_SECONDS}; HttpOnly; SameSite=Strict${secure}`
}

function browserOf({ header }: RouteRequest, baseUrl: string): string {
  const parts = (header('cookie') ?? '').split(';').map((part) => part.trim())
  const found = parts.find((part) => part.startsWith(`${cookieName(baseUrl)}=`))
  if (found === undefined) throw badPasskey()
  return found.slice(cookieName(baseUrl).length + 1)
}

function signInRoutes({ store, sessions, baseUrl }: PasskeyPorts): readonly Route[] {
  // Otherwise another site could sign its visitor in to the attacker's account.
  const open = { method: 'POST', ownPagesOnly: true, limit: LIMIT } as const
  const enter = async ({ account, member }: Place, by: 'passkey' | 'recovery code') => {
    const token = await sessions.create(account.id, { memberId: member.id, by })
    return { json: { token, expires_in: SESSION_SECONDS, account: showAccount(account) }, session: token }
  }
  return [
    {
      ...open,
      door: 'anyone',
      path: '/api/sign-in/passkey/options',
      async run({ tell }) {
        const browser = randomId(store.random, BROWSER_LENGTH)
        const options = await askToSignIn(store, partyAt(baseUrl()), browser)
        tell('set-cookie', toCookie(baseUrl(), browser))
        return { json: { options } }
      },
    },
    {
      ...open,
      door: 'anyone',
      path: '/api/sign-in/passkey',
      bodyBytesMax: CREDENTIAL_BYTES_MAX,
      async run(request) {
        const response = readSigned(request.body())
        const browser = browserOf(request, baseUrl())
        await sessions.prepare()
        return enter(await signInByPasskey(store, { response, party: partyAt(baseUrl()), browser }), 'passkey')
      },
    },
    {
      ...open,
      door: 'anyone',
      path: '/api/sign-in/recovery',
      async run({ body }) {
        const [email, code] = [readEmail(body()), readCode(body())]
        await sessions.prepare()
        return enter(await signInByCode(store, { email, code }), 'recovery code')
      },
    },
  ]
}

const OWN = { scope: 'keys', permission: 'none', unenrolled: true } as const

function proofRoutes({ store, sessions, baseUrl }: PasskeyPorts): readonly Route[] {
  return [
    {
      ...OWN,
      door: 'account',
      method: 'POST',
      path: '/api/prove/options',
      run: async ({ caller }) => ({
        json: { options: await askToProve(store, partyAt(baseUrl()), personOf(caller)) },
      }),
    },
    {
      ...OWN,
      door: 'account',
      method: 'POST',
      path: '/api/prove',
      bodyBytesMax: CREDENTIAL_BYTES_MAX,
      async run({ caller, body }) {
        const person = personOf(caller)
        await proveByPasskey(store, { person, party: partyAt(baseUrl()), response: readSigned(body()) })
        const token = await sessions.prove(caller, 'passkey')
        return { json: { token, expires_in: SESSION_SECONDS }, session: token }
      },
    },
  ]
}

function ownRoutes({ store, baseUrl, required }: PasskeyPorts): readonly Route[] {
  return [
    {
      ...OWN,
      door: 'account',
      method: 'GET',
      path: '/api/passkeys',
      async run({ caller }) {
        const { email } = personOf(caller)
        const passkeys = (await listPasskeys(store.db, email)).map(showPasskey)
        const left = await countCodes(store.db, email)
        const mailOpens = await isMailOpen(store, email, required)
        return { json: { passkeys, recovery_codes_left: left, mail_opens: mailOpens } }
      },
    },
    {
      ...OWN,
      door: 'account',
      proof: true,
      method: 'POST',
      path: '/api/passkeys/options',
      run: async ({ caller }) => ({
        json: { options: await askToMake(store, partyAt(baseUrl()), personOf(caller)) },
      }),
    },
    {
      ...OWN,
      door: 'account',
      proof: true,
      method: 'POST',
      path: '/api/passkeys',
      bodyBytesMax: CREDENTIAL_BYTES_MAX,
      async run({ caller, body }) {
        const [person, name, response] = [personOf(caller), readPasskeyName(body()), readMade(body())]
        const enrolment = { person, party: partyAt(baseUrl()), name, response }
        const { passkey, codes } = await enrolPasskey(store, enrolment)
        return { status: 201, json: { passkey: showPasskey(passkey), recovery_codes: codes ?? [] } }
      },
    },
    {
      ...OWN,
      door: 'account',
      method: 'PUT',
      path: '/api/passkeys/:id',
      async run({ caller, params, body }) {
        const [person, name] = [personOf(caller), readPasskeyName(body())]
        return { json: { passkey: showPasskey(await renamePasskey(store, { person, id: params.id!, name })) } }
      },
    },
    {
      ...OWN,
      door: 'account',
      proof: true,
      method: 'DELETE',
      path: '/api/passkeys/:id',
      async run({ caller, params }) {
        await removePasskey(store, { person: personOf(caller), id: params.id!, required })
        return { json: { success: true, id: params.id! } }
      },
    },
    {
      ...OWN,
      door: 'account',
      proof: true,
      method: 'POST',
      path: '/api/recovery-codes',
      run: async ({ caller }) => ({
        status: 201,
        json: { recovery_codes: await newCodes(store, personOf(caller)) },
      }),
    },
  ]
}

import { answer } from '../../../kernel/answers.ts'
import { randomId } from '../../../kernel/api-key.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { RouteLimit, RouteRequest } from '../../../kernel/route.ts'
import { overLimit } from '../../../kernel/errors.ts'
import { type OpenRoute, type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import { SESSION_SECONDS, type Sessions } from '../domain/sessions.ts'
import { askToMake, askToProve, askToSignIn, partyAt } from '../passkeys/ceremony.ts'
import { countCodes, listPasskeys } from '../passkeys/store.ts'
import { enrolPasskey, proveByPasskey, removePasskey, renamePasskey, signInByPasskey } from '../passkeys/passkeys.ts'
import { badPasskey } from '../passkeys/errors.ts'
import { newCodes, signInByCode } from '../passkeys/recovery-codes.ts'
import { type Required, isMailOpen, personOf } from '../passkeys/policy.ts'
import { readCode, readMade, readPasskeyName, readSigned } from '../passkeys/wire-fields.ts'
import type { Place } from '../people/membership.ts'
import { account as accountView, passkey as passkeyView } from '../answers.ts'
import { readEmail } from '../email-field.ts'

const { text, bool, integer, list, record } = answer
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

const OPTIONS = record({ options: record({}) })
const CREDENTIAL = record({ id: text, type: text, response: record({}) })
const example = { id: 'credential-id', type: 'public-key', response: { clientDataJSON: 'e30', signature: 'AA' } }
const SESSION = { token: text, expires_in: integer }

// Otherwise another site could sign its visitor in to the attacker's account.
const anybody = {
  tag: 'accounts',
  who: 'anybody',
  access: 'anyone',
  method: 'post',
  ownPagesOnly: true,
  limit: LIMIT,
} as const
const own = { tag: 'accounts', who: 'account', scope: 'keys', permission: 'none', unenrolled: true } as const

async function enter({ sessions }: PasskeyPorts, { account, member }: Place, by: 'passkey' | 'recovery code') {
  const token = await sessions.create(account.id, { memberId: member.id, by })
  return { json: { token, expires_in: SESSION_SECONDS, account: accountView.show(account) }, session: token }
}

const signIn: readonly OpenRoute<PasskeyPorts>[] = [
  {
    ...anybody,
    path: '/api/sign-in/passkey/options',
    id: 'askPasskey',
    summary:
      'Options for signing in with a passkey, valid once and for five minutes; send the cookie back with the result.',
    answer: OPTIONS,
    refuses: [403, 503],
    async run({ store, baseUrl }, { setHeader }) {
      const browser = randomId(store.random, BROWSER_LENGTH)
      const options = await askToSignIn(store, partyAt(baseUrl()), browser)
      setHeader('set-cookie', toCookie(baseUrl(), browser))
      return { json: { options } }
    },
  },
  {
    ...anybody,
    path: '/api/sign-in/passkey',
    id: 'signInByPasskey',
    summary: 'Sign in with a passkey.',
    body: { schema: record({ credential: CREDENTIAL }), example: { credential: example } },
    answer: record({ ...SESSION, account: accountView.schema }),
    refuses: [401, 403, 413, 503],
    bodyBytesMax: CREDENTIAL_BYTES_MAX,
    async run(ports, request) {
      const { store, sessions, baseUrl } = ports
      const response = readSigned(request.body())
      const browser = browserOf(request, baseUrl())
      await sessions.prepare()
      return enter(ports, await signInByPasskey(store, { response, party: partyAt(baseUrl()), browser }), 'passkey')
    },
  },
  {
    ...anybody,
    path: '/api/sign-in/recovery',
    id: 'signInByRecoveryCode',
    summary: 'Sign in with a recovery code, which works once.',
    body: {
      schema: record({ email: text, code: text }),
      example: { email: 'alice@example.com', code: '0000-0000-0000-0000' },
    },
    answer: record({ ...SESSION, account: accountView.schema }),
    refuses: [401, 403, 503],
    async run(ports, { body }) {
      const { store, sessions } = ports
      const [email, code] = [readEmail(body()), readCode(body())]
      await sessions.prepare()
      return enter(ports, await signInByCode(store, { email, code }), 'recovery code')
    },
  },
]

const routes: readonly ApiRoute<PasskeyPorts>[] = [
  {
    ...own,
    method: 'post',
    path: '/api/prove/options',
    id: 'askProof',
    summary: 'Options for proving with a passkey who is signed in.',
    answer: OPTIONS,
    refuses: [403, 409],
    run: async ({ store, baseUrl }, { caller }) => ({
      json: { options: await askToProve(store, partyAt(baseUrl()), personOf(caller)) },
    }),
  },
  {
    ...own,
    method: 'post',
    path: '/api/prove',
    id: 'prove',
    summary: 'Prove again who is signed in; the new token counts as fresh for 15 minutes.',
    body: { schema: record({ credential: CREDENTIAL }), example: { credential: example } },
    answer: record(SESSION),
    refuses: [403, 409, 413],
    bodyBytesMax: CREDENTIAL_BYTES_MAX,
    async run({ store, sessions, baseUrl }, { caller, body }) {
      const person = personOf(caller)
      await proveByPasskey(store, { person, party: partyAt(baseUrl()), response: readSigned(body()) })
      const token = await sessions.prove(caller, 'passkey')
      return { json: { token, expires_in: SESSION_SECONDS }, session: token }
    },
  },
  {
    ...own,
    method: 'get',
    path: '/api/passkeys',
    id: 'listPasskeys',
    summary: 'Your passkeys, how many recovery codes are left, and whether you can sign in by email.',
    answer: record({ passkeys: list(passkeyView.schema), recovery_codes_left: integer, mail_opens: bool }),
    refuses: [409],
    async run({ store, required }, { caller }) {
      const { email } = personOf(caller)
      const passkeys = (await listPasskeys(store.db, email)).map(passkeyView.show)
      const left = await countCodes(store.db, email)
      const mailOpens = await isMailOpen(store, email, required)
      return { json: { passkeys, recovery_codes_left: left, mail_opens: mailOpens } }
    },
  },
  {
    ...own,
    method: 'post',
    path: '/api/passkeys/options',
    id: 'askNewPasskey',
    summary: 'Options for creating a passkey, valid once and for five minutes.',
    answer: OPTIONS,
    refuses: [403, 409],
    proof: true,
    run: async ({ store, baseUrl }, { caller }) => ({
      json: { options: await askToMake(store, partyAt(baseUrl()), personOf(caller)) },
    }),
  },
  {
    ...own,
    method: 'post',
    path: '/api/passkeys',
    id: 'addPasskey',
    summary: 'Add a passkey; the first one comes with ten recovery codes, shown only this once.',
    body: {
      schema: record({ name: text, credential: CREDENTIAL }),
      example: {
        name: 'Phone',
        credential: { ...example, response: { clientDataJSON: 'e30', attestationObject: 'AA' } },
      },
    },
    status: 201,
    answer: record({ passkey: passkeyView.schema, recovery_codes: list(text) }),
    refuses: [403, 409, 413],
    proof: true,
    bodyBytesMax: CREDENTIAL_BYTES_MAX,
    async run({ store, baseUrl }, { caller, body }) {
      const [person, name, response] = [personOf(caller), readPasskeyName(body()), readMade(body())]
      const enrolment = { person, party: partyAt(baseUrl()), name, response }
      const { passkey, codes } = await enrolPasskey(store, enrolment)
      return { status: 201, json: { passkey: passkeyView.show(passkey), recovery_codes: codes ?? [] } }
    },
  },
  {
    ...own,
    method: 'put',
    path: '/api/passkeys/{id}',
    id: 'renamePasskey',
    summary: 'Rename a passkey.',
    body: { schema: record({ name: text }), example: { name: 'Old phone' } },
    answer: record({ passkey: passkeyView.schema }),
    refuses: [403, 404, 409],
    async run({ store }, { caller, params, body }) {
      const [person, name] = [personOf(caller), readPasskeyName(body())]
      return { json: { passkey: passkeyView.show(await renamePasskey(store, { person, id: params.id!, name })) } }
    },
  },
  {
    ...own,
    method: 'delete',
    path: '/api/passkeys/{id}',
    id: 'removePasskey',
    summary:
      'Remove a passkey; removing the last one also removes the recovery codes and allows sign-in by email again.',
    answer: record({ success: bool, id: text }),
    refuses: [403, 404, 409],
    proof: true,
    async run({ store, required }, { caller, params }) {
      await removePasskey(store, { person: personOf(caller), id: params.id!, required })
      return { json: { success: true, id: params.id! } }
    },
  },
  {
    ...own,
    method: 'post',
    path: '/api/recovery-codes',
    id: 'newRecoveryCodes',
    summary: 'Create ten new recovery codes, shown only this once; the old ones stop working.',
    status: 201,
    answer: record({ recovery_codes: list(text) }),
    refuses: [403, 409],
    proof: true,
    run: async ({ store }, { caller }) => ({
      status: 201,
      json: { recovery_codes: await newCodes(store, personOf(caller)) },
    }),
  },
]

/** Sign-in by passkey, and the passkeys and recovery codes of the signed-in user, under `/api`. */
export const passkeyRoutes = (ports: PasskeyPorts) => routesOf([...signIn, ...routes], ports)
export const describedPasskeyRoutes = describedOf([...signIn, ...routes])

import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { ACCOUNT, PASSKEY } from '../answers.ts'

const { text, bool, integer, list, record } = answer

const anybody = { tag: 'accounts', who: 'anybody', method: 'post' } as const
const own = { tag: 'accounts', who: 'account' } as const
const OPTIONS = record({ options: record({}) })
const CREDENTIAL = record({ id: text, type: text, response: record({}) })
const example = { id: 'credential-id', type: 'public-key', response: { clientDataJSON: 'e30', signature: 'AA' } }
const SESSION = { token: text, expires_in: integer }

/** Sign-in by passkey, and the passkeys of the signed-in user. */
export const describedPasskeyRoutes: readonly Described[] = [
  {
    ...anybody,
    path: '/api/sign-in/passkey/options',
    id: 'askPasskey',
    summary:
      'Options for signing in with a passkey, valid once and for five minutes; send the cookie back with the result.',
    answer: OPTIONS,
    refuses: [403, 503],
  },
  {
    ...anybody,
    path: '/api/sign-in/passkey',
    id: 'signInByPasskey',
    summary: 'Sign in with a passkey.',
    body: { schema: record({ credential: CREDENTIAL }), example: { credential: example } },
    answer: record({ ...SESSION, account: ACCOUNT }),
    refuses: [401, 403, 413, 503],
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
    answer: record({ ...SESSION, account: ACCOUNT }),
    refuses: [401, 403, 503],
  },
  {
    ...own,
    method: 'post',
    path: '/api/prove/options',
    id: 'askProof',
    summary: 'Options for proving with a passkey who is signed in.',
    answer: OPTIONS,
    refuses: [403, 409],
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
  },
  {
    ...own,
    method: 'get',
    path: '/api/passkeys',
    id: 'listPasskeys',
    summary: 'Your passkeys, how many recovery codes are left, and whether you can sign in by email.',
    answer: record({ passkeys: list(PASSKEY), recovery_codes_left: integer, mail_opens: bool }),
    refuses: [409],
  },
  {
    ...own,
    method: 'post',
    path: '/api/passkeys/options',
    id: 'askNewPasskey',
    summary: 'Options for creating a passkey, valid once and for five minutes.',
    answer: OPTIONS,
    refuses: [403, 409],
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
    answer: record({ passkey: PASSKEY, recovery_codes: list(text) }),
    refuses: [403, 409, 413],
  },
  {
    ...own,
    method: 'put',
    path: '/api/passkeys/{id}',
    id: 'renamePasskey',
    summary: 'Rename a passkey.',
    body: { schema: record({ name: text }), example: { name: 'Old phone' } },
    answer: record({ passkey: PASSKEY }),
    refuses: [403, 404, 409],
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
  },
]

import { randomId } from '../../../kernel/api-key.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { requireEveryScope } from '../../../kernel/rights.ts'
import type { FormState, OpenPage, OpenReply } from '../../../kernel/page.ts'
import type { KeyLookup } from '../../../kernel/ports.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { type Sessions, identify } from '../domain/sessions.ts'
import { redeemCode, redeemSignIn, requestSignIn } from '../domain/sign-in.ts'
import type { Required } from '../passkeys/policy.ts'
import { relyingPartyOf } from '../passkeys/ceremony.ts'
import { signInByCode } from '../passkeys/recovery-codes.ts'
import { readCode } from '../passkeys/wire-fields.ts'
import { CodePage, DigitsPage, RecoveryPage, SignInPage, type SignInPageProps } from '../pages/sign-in-page.tsx'
import { insertAudit } from '../store.ts'
import { readEmail } from '../email-field.ts'
import { readSignInToken } from '../wire-fields.ts'

const PAGE_SECRET_LENGTH = 22

interface SignInPorts {
  store: StoreCtx
  keys: KeyLookup
  sessions: Sessions
  baseUrl(): string
  devnet: boolean
  /** Whether mail is stored instead of sent; the page then says where to find it. */
  mailIsKept: boolean
  required: Required
}

/** Sign-in by a mailed link or a key. */
export function signInPages(ports: SignInPorts): readonly OpenPage[] {
  const { store, keys, sessions, baseUrl, devnet, mailIsKept, required } = ports
  const page = (next: string, filled: Partial<Pick<SignInPageProps, 'email' | 'link'>> = {}) => (
    <SignInPage
      devnet={devnet}
      mailIsKept={mailIsKept}
      next={next}
      passkeysAt={relyingPartyOf(baseUrl())?.origin}
      email={EMPTY}
      link={EMPTY}
      {...filled}
    />
  )
  const enterByKey = async (key: string, next: string): Promise<OpenReply> => {
    try {
      const caller = await identify(keys, key || undefined, undefined)
      if (caller.kind !== 'account') throw new AppError('key_required', 'Enter a secret key.')
      requireEveryScope(caller)
      const { accountId, actor } = caller
      const session = await sessions.create(accountId, { keyId: actor.id })
      await insertAudit(store, { actor, accountId, what: 'account.signed-in', detail: { by: 'key' } })
      return { to: next, session }
    } catch (error) {
      const shown = error instanceof AppError && error.code === 'origin_not_allowed' ? publicKey() : error
      return refuse(shown, 'email', (email) => page(next, { email }))
    }
  }
  const get = (path: string, answer: OpenPage['answer']): OpenPage => ({ method: 'GET', path, answer })
  const post = (path: string, answer: OpenPage['answer']): OpenPage => ({ method: 'POST', path, answer })
  return [
    get('/sign-in', async ({ query }) => ({ page: page(readNext(query.next)) })),
    get('/sign-in/code', async () => ({ page: <CodePage devnet={devnet} link={EMPTY} /> })),

    get('/sign-in/recovery', async () => ({ page: <RecoveryPage devnet={devnet} filled={EMPTY} /> })),

    // One field for both, so that nobody has to know beforehand which way in is theirs.
    post('/sign-in/mail', async ({ fields, ip }) => {
      const email = fields.get('email').trim()
      const next = readNext(fields.get('next'))
      if (email.startsWith('rpc_')) return enterByKey(email, next)
      const pageSecret = randomId(store.random, PAGE_SECRET_LENGTH)
      try {
        await requestSignIn(store, { email: readEmail({ email }), ip, baseUrl: baseUrl(), pageSecret })
        return { page: <DigitsPage {...{ devnet, mailIsKept, email, pageSecret, next }} filled={EMPTY} /> }
      } catch (error) {
        return refuse(error, 'email', (wrong) => page(next, { email: { ...wrong, values: { email } } }))
      }
    }),

    post('/sign-in/code', async ({ fields }) => {
      const [email, pageSecret, next] = [fields.get('email'), fields.get('page'), readNext(fields.get('next'))]
      try {
        await sessions.prepare()
        const said = { email: readEmail({ email }), pageSecret, code: fields.get('code') }
        const { account, member } = await redeemCode(store, said, { required })
        const session = await sessions.create(account.id, { memberId: member.id })
        return { to: member.joinedAt === null ? '/dashboard/accounts' : next, session }
      } catch (error) {
        return refuse(error, 'code', (wrong) => (
          <DigitsPage {...{ devnet, mailIsKept, email, pageSecret, next }} filled={wrong} />
        ))
      }
    }),

    post('/sign-in/link', async ({ fields }) => {
      try {
        const link = readSignInToken({ token: fields.get('token') })
        await sessions.prepare()
        const { account, member } = await redeemSignIn(store, link, { mayBeGuest: true, required })
        const session = await sessions.create(account.id, { memberId: member.id })
        return { to: member.joinedAt === null ? '/dashboard/accounts' : readNext(fields.get('next')), session }
      } catch (error) {
        return refuse(error, 'token', (wrong) => <CodePage devnet={devnet} link={wrong} />)
      }
    }),

    post('/sign-in/recovery', async ({ fields }) => {
      const email = fields.get('email')
      try {
        const code = readCode({ code: fields.get('code') })
        const wanted = { email: readEmail({ email }), code }
        await sessions.prepare()
        const { account, member } = await signInByCode(store, wanted)
        const session = await sessions.create(account.id, { memberId: member.id, by: 'recovery code' })
        return { to: '/dashboard/security', session }
      } catch (error) {
        const field = error instanceof AppError && error.body.field === 'email' ? 'email' : 'code'
        return refuse(error, field, (wrong) => (
          <RecoveryPage devnet={devnet} filled={{ ...wrong, values: { email } }} />
        ))
      }
    }),

    post('/sign-in/key', async ({ fields }) => enterByKey(fields.get('key'), readNext(fields.get('next')))),
  ]
}

const publicKey = () => new AppError('feature_disabled', 'This is a public key. Sign in with a secret key.')

/** The page with the error at its field; an error that is not a refusal is rethrown. */
function refuse(error: unknown, field: string, toPage: (wrong: FormState) => ReturnType<typeof SignInPage>): OpenReply {
  if (!(error instanceof AppError) || error.status >= 500) throw error
  const { status, retryAfterSeconds } = error
  return { page: toPage({ values: {}, error: { field, text: error.message } }), status, retryAfterSeconds }
}

/** Only pages of this gateway, so that a link to the sign-in cannot lead to another site afterwards. */
function readNext(next: string | undefined): string {
  return next !== undefined && /^\/dashboard(?:\/[\w/-]*)?$/.test(next) ? next : '/dashboard'
}

import type { FastifyReply } from 'fastify'
import { AppError } from '../../../kernel/errors.ts'
import { identify, readEmail, readSignInToken, redeemSignIn, requestSignIn } from '../index.ts'
import { EMPTY, type Filled } from '../../../web/dashboard/form.tsx'
import { CodePage, LinkSentPage, SignInPage, type SignInPageProps } from '../pages/sign-in-page.tsx'
import { endedCookie, readCookie, sessionCookie } from '../../../http/session.ts'
import { type Door, type DoorOptions, SIGN_IN, requireToken } from '../../../http/dashboard.tsx'

export interface SignInOptions extends DoorOptions {
  mailIsKept: boolean
}

/** Signing in by a mailed link or by a key, and signing out. */
export function mountSignIn(door: Door, options: SignInOptions): void {
  const { store, keys, sessions, notices, baseUrl, devnet, mailIsKept } = options
  const page = (next: string, filled: Partial<Pick<SignInPageProps, 'email' | 'secretKey' | 'link'>> = {}) => (
    <SignInPage
      devnet={devnet}
      mailIsKept={mailIsKept}
      next={next}
      email={EMPTY}
      secretKey={EMPTY}
      link={EMPTY}
      {...filled}
    />
  )
  const enter = async (reply: FastifyReply, accountId: string, keyId?: string) => {
    const token = await sessions.create(accountId, keyId === undefined ? {} : { keyId })
    void reply.header('set-cookie', sessionCookie(baseUrl(), token))
  }

  door.open('GET', '/sign-in', async ({ query }) => page(readNext((query as Record<string, unknown>).next)))
  door.open('GET', '/sign-in/sent', async () => <LinkSentPage devnet={devnet} mailIsKept={mailIsKept} />)
  door.open('GET', '/sign-in/code', async () => <CodePage devnet={devnet} link={EMPTY} />)

  door.open('POST', '/sign-in/mail', async (_request, fields, reply) => {
    const email = fields.get('email')
    try {
      await requestSignIn(store, { email: readEmail({ email }), baseUrl: baseUrl() })
      return { to: `${SIGN_IN}/sent` }
    } catch (error) {
      return page('/dashboard', { email: toFilled(reply, error, 'email', { email }) })
    }
  })

  door.open('POST', '/sign-in/link', async (_request, fields, reply) => {
    try {
      const link = readSignInToken({ token: fields.get('token') })
      await sessions.prepare()
      const account = await redeemSignIn(store, link)
      await enter(reply, account.id)
      return { to: readNext(fields.get('next')) }
    } catch (error) {
      return <CodePage devnet={devnet} link={toFilled(reply, error, 'token')} />
    }
  })

  door.open('POST', '/sign-in/key', async (_request, fields, reply) => {
    const next = readNext(fields.get('next'))
    try {
      const caller = await identify(keys, fields.get('key') || undefined, undefined)
      if (caller.kind !== 'account') throw new AppError('key_required', 'Type in a secret key.')
      await enter(reply, caller.accountId, caller.keyId)
      return { to: next }
    } catch (error) {
      const shown = error instanceof AppError && error.code === 'origin_not_allowed' ? publicKey() : error
      return page(next, { secretKey: toFilled(reply, shown, 'key') })
    }
  })

  door.open('POST', '/sign-out', async (request, fields, reply) => {
    const token = readCookie(request.headers, baseUrl())
    const session = token === undefined ? undefined : await sessions.read(token)
    if (session) requireToken(session, fields.get('csrf'))
    const ended = token === undefined ? undefined : await sessions.end(token)
    if (ended !== undefined) notices.publish('session', ended)
    void reply.header('set-cookie', endedCookie(baseUrl()))
    return { to: SIGN_IN }
  })
}

const publicKey = () => new AppError('feature_disabled', 'This is a public key. Signing in takes a secret one.')

/** The refusal beside its field, with its status; what is no refusal goes on. */
function toFilled(reply: FastifyReply, error: unknown, field: string, values: Filled['values'] = {}): Filled {
  if (!(error instanceof AppError) || error.status >= 500) throw error
  void reply.code(error.status)
  if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds)
  return { values, error: { field, text: error.message } }
}

/** Only our own pages: a link to here must not lead elsewhere after signing in. */
function readNext(next: unknown): string {
  return typeof next === 'string' && /^\/dashboard(?:\/[\w/-]*)?$/.test(next) ? next : '/dashboard'
}

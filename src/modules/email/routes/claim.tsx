import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { whenOver } from '../kernel/when-over.ts'
import { BURN_ADDRESS, fromAddress, toAddress } from '../kernel/nano/address.ts'
import type { BurstLimits } from '../kernel/ports.ts'
import type { JsonObject } from '../kernel/shape.ts'
import {
  type EmailCtx,
  type Share,
  badField,
  claimShare,
  declineShare,
  followPayment,
  fundingLink,
  getEmailPayment,
  openShare,
  readToken,
  showCheck,
  unknownCode,
} from '../modules/email/index.ts'
import {
  CodePage,
  DeclinePage,
  FundingPage,
  OverPage,
  PaidPage,
  SharePage,
} from '../modules/email/pages/claim-page.tsx'
import { renderPage } from '../web/layout.tsx'
import { toErrorReply } from './errors.ts'
import { answerErrors, bodyOf, fromFastify, readBodies } from './rest.ts'

/** Codes that one network address may try, and looks at a payment, in a minute. */
const CLAIMS_PER_MINUTE_MAX = 30
const LOOKS_PER_MINUTE_MAX = 300
/** Somebody who waits for their payment wakes its wallet at most every two seconds. */
const NUDGES_PER_MINUTE_MAX = 30
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
}

interface ClaimRoutesOptions {
  ctx: EmailCtx
  devnet: boolean
  burst: BurstLimits
  ipOf(request: IncomingMessage): string
  onError(error: unknown, requestId: string): void
}

type Body = Readonly<Record<string, unknown>>

/**
 * The pages of payments by mail. A code travels behind the `#` of a link or is typed, and reaches us only in the body of a
 * POST; opening a page claims nothing, because mail scanners open everything.
 */
export function mountClaims(server: FastifyInstance, options: ClaimRoutesOptions): void {
  void server.register((pages, _options, done) => {
    readBodies(pages)
    answerErrors(pages, options)
    pages.addHook('onRequest', async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      await limit(options, `look:${options.ipOf(request.raw)}`, LOOKS_PER_MINUTE_MAX)
    })
    mountCode(pages, options)
    mountFunding(pages, options)
    done()
  })
}

function mountCode(pages: FastifyInstance, options: ClaimRoutesOptions): void {
  const { ctx, devnet } = options
  const ask = (declines: boolean) => (_request: FastifyRequest, reply: FastifyReply) =>
    send(reply, <CodePage declines={declines} devnet={devnet} />)
  pages.get('/claim', ask(false))
  pages.get('/claim/decline', ask(true))
  pages.post('/claim', (request, reply) =>
    answer(options, request, reply, {
      declines: false,
      async json(body) {
        const share = await claimOrLook(ctx, body)
        return showShare(ctx, share)
      },
      async page(body) {
        const share = await claimOrLook(ctx, body)
        return sharePage(options, share, body)
      },
    }),
  )
  pages.post('/claim/decline', (request, reply) =>
    answer(options, request, reply, {
      declines: true,
      async json(body) {
        await declineShare(ctx, codeOf(body))
        return { status: 'refunded' }
      },
      async page(body) {
        const share = await openShare(ctx, codeOf(body))
        const over = overPage(options, share)
        if (over) return over
        if (body.sure !== 'true') return <DeclinePage share={toShown(share)} code={codeOf(body)} devnet={devnet} />
        await declineShare(ctx, codeOf(body))
        const text = 'The money goes back to its sender. This service writes to your address no more.'
        return <OverPage title="Declined" text={text} devnet={devnet} />
      },
    }),
  )
}

type Page = Parameters<typeof renderPage>[0]

interface Answers {
  declines: boolean
  json(body: Body): Promise<JsonObject>
  page(body: Body): Promise<Page>
}

/** A browser gets a page, also for what goes wrong; a program gets JSON. */
async function answer(
  options: ClaimRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { declines, json, page }: Answers,
): Promise<FastifyReply> {
  const take = () => limit(options, `claim:${options.ipOf(request.raw)}`, CLAIMS_PER_MINUTE_MAX)
  if (!/\btext\/html\b/.test(request.headers.accept ?? '')) {
    await take()
    return reply.send(await json(readForm(request)))
  }
  try {
    await take()
    return send(reply, await page(readForm(request)))
  } catch (error) {
    const { status, body, retryAfterSeconds } = toErrorReply(error instanceof Error ? fromFastify(error) : error)
    if (status >= 500) options.onError(error, request.id)
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds)
    void reply.code(status)
    return send(reply, await errorPage(options, request, { declines, text: String(body.error), field: body.field }))
  }
}

/** The form again, with what was wrong; a wrong address keeps the share in sight. */
async function errorPage(
  { ctx, devnet }: ClaimRoutesOptions,
  request: FastifyRequest,
  { declines, text, field }: { declines: boolean; text: string; field: unknown },
): Promise<Page> {
  if (field !== 'address') return <CodePage declines={declines} devnet={devnet} error={text} />
  const body = readForm(request)
  const address = typeof body.address === 'string' ? body.address.slice(0, 100) : ''
  const share = toShown(await openShare(ctx, codeOf(body)))
  return <SharePage share={share} code={codeOf(body)} address={address} devnet={devnet} error={text} />
}

async function claimOrLook(ctx: EmailCtx, body: Body): Promise<Share> {
  const token = codeOf(body)
  if (body.address === undefined || body.address === '') return openShare(ctx, token)
  // Before the address is judged: whoever has no code learns nothing about names.
  await openShare(ctx, token)
  return claimShare(ctx, { token, destination: await destinationOf(ctx, body.address) })
}

function codeOf(body: Body): string {
  // Programs call it what it is.
  const token = readToken(body.code ?? body.token)
  if (token === undefined) throw unknownCode()
  return token
}

/** An address, or the address behind a name, at this very moment. */
async function destinationOf({ names }: EmailCtx, value: unknown): Promise<string> {
  const text = typeof value === 'string' ? value.trim() : ''
  if (text.startsWith('@')) {
    const address = await names.resolve(text.slice(1), 'money')
    if (address === undefined) throw badField('address', 'Username not found.', 'username_not_found')
    return address
  }
  const key = fromAddress(text)
  if (key === undefined) throw badField('address', 'This is no Nano address. Copy it again.', 'invalid_account')
  const address = toAddress(key)
  if (address === BURN_ADDRESS) {
    throw badField('address', 'What is sent to the burn account is lost.', 'invalid_account')
  }
  return address
}

const toShown = ({ payment, recipient }: Share) => ({
  amount: recipient.amount,
  sender: payment.sender,
  message: payment.message,
  expiresAt: payment.expiresAt!,
})

function sharePage(options: ClaimRoutesOptions, share: Share, body: Body): Page {
  const { ctx, devnet } = options
  const { recipient, hash } = share
  const isHis = recipient.status === 'claimed' && body.address !== undefined && body.address !== ''
  if (isHis) {
    const block = hash === undefined ? undefined : { hash, link: ctx.postOffice.links.block(hash) }
    const { amount, claimAddress } = recipient
    return <PaidPage amount={amount} address={claimAddress!} block={block} code={codeOf(body)} devnet={devnet} />
  }
  return overPage(options, share) ?? <SharePage share={toShown(share)} code={codeOf(body)} address="" devnet={devnet} />
}

/** For whoever has the code and comes too late. Where the money went is nobody's business but the claimant's. */
function overPage({ ctx, devnet }: ClaimRoutesOptions, { payment, recipient }: Share): Page | undefined {
  if (recipient.status === 'claimed') {
    const text = 'This payment was claimed already. If it was not you, somebody else had your mail.'
    return <OverPage title="Claimed already" text={text} devnet={devnet} />
  }
  const isOver =
    recipient.status === 'refunded' || payment.cancelledAt !== null || ctx.store.clock.now() >= payment.expiresAt!
  if (!isOver) return undefined
  const text = 'The time to claim this payment is over. The money went back to its sender.'
  return <OverPage title="Too late" text={text} devnet={devnet} />
}

function showShare({ postOffice }: EmailCtx, { payment, recipient, hash }: Share): JsonObject {
  return {
    id: recipient.id,
    status: recipient.status,
    amount_raw: recipient.amount.toString(),
    from: payment.sender,
    from_verified: false,
    message: payment.message,
    expires_unix: Math.floor(payment.expiresAt! / 1000),
    ...(hash !== undefined && { hash, block: postOffice.links.block(hash) }),
  }
}

function mountFunding(pages: FastifyInstance, options: ClaimRoutesOptions): void {
  const { ctx, devnet } = options
  pages.get('/email/:id', async (request, reply) => {
    const payment = await look(options, request)
    if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.send(await showCheck(ctx, payment))
    const link = fundingLink(payment)
    return send(reply, <FundingPage {...payment} link={link} qrcode={ctx.custody.qrPng(link)} devnet={devnet} />)
  })
  pages.route({
    method: ['GET', 'POST'],
    url: '/email/:id/check',
    handler: async (request) => showCheck(ctx, await look(options, request)),
  })
}

/** The payment as it stands, after a look at its wallet while somebody may have just paid. */
async function look({ ctx, burst }: ClaimRoutesOptions, { params }: FastifyRequest) {
  const { id: given } = params as { id: string }
  const payment = await getEmailPayment(ctx, given)
  const decision = payment.status === 'waiting' && (await burst.take(`nudge:${payment.id}`, NUDGES_PER_MINUTE_MAX))
  if (!decision || !decision.allowed) return payment
  // A look that fails says what is known.
  await whenOver(ctx.custody.advance(payment.walletId))
  await followPayment(ctx, payment.id).catch(ctx.store.failures.failed('email.follow', { paymentId: payment.id }))
  return getEmailPayment(ctx, payment.id)
}

async function limit({ burst }: ClaimRoutesOptions, key: string, perMinute: number): Promise<void> {
  const { allowed, retryAfterSeconds } = await burst.take(key, perMinute)
  if (!allowed) {
    const detail = `${perMinute} requests a minute about payments by mail from one address, or to one payment.`
    throw new AppError('too_many_requests', 'Too many requests.', { retryAfterSeconds, body: { detail } })
  }
}

/** A form as browsers send it, or JSON. */
function readForm(request: FastifyRequest): Body {
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  if (!isForm || typeof request.body !== 'string') return bodyOf(request)
  const fields = new URLSearchParams(request.body)
  return { code: fields.get('code') ?? '', address: fields.get('address') ?? '', sure: fields.get('sure') ?? '' }
}

function send(reply: FastifyReply, page: Page): FastifyReply {
  return reply.headers(HEADERS).send(renderPage(page))
}

import type { VNode } from 'preact'
import { type ListedWallet, walletsFor } from '../../../kernel/payer-wallets.ts'
import { overLimit } from '../../../kernel/errors.ts'
import { BURN_ADDRESS, fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import type { Prices, RateLimiter } from '../../../kernel/ports.ts'
import type { Fields, Route, RouteLimit, RouteRequest, ShownPage } from '../../../kernel/route.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { whenOver } from '../../../kernel/when-over.ts'
import { findMerchant } from '../../accounts/index.ts'
import type { EmailContext } from '../context.ts'
import { type Share, claimShare, declineShare, isOnItsWay, openFundedShare, openShare } from '../domain/claim.ts'
import { followPayment } from '../domain/follow.ts'
import { aboutWorth, fundingLink, getEmailPayment, showCheck } from '../domain/show.ts'
import { readToken } from '../domain/claim-link.ts'
import { badField, unknownCode } from '../errors.ts'
import { type ClaimVoice, claimVoice } from '../texts/index.ts'
import { CodePage, DeclinePage, FundingPage, OverPage, PaidPage, SharePage } from '../pages/claim-page.tsx'

/** Codes, and looks at a payment, that one network address may try in a minute. */
const CLAIMS_PER_MINUTE_MAX = 30
const LOOKS_PER_MINUTE_MAX = 300
/** The wallet of a waiting payment is advanced for a viewer at most every two seconds. */
const NUDGES_PER_MINUTE_MAX = 30
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  vary: 'accept, accept-language',
}

interface ClaimPorts {
  ctx: EmailContext
  devnet: boolean
  /** Named to a recipient who has no wallet. */
  wallets: readonly ListedWallet[]
  prices: Prices
  /** Counts in this process alone. */
  limiter: RateLimiter
}

const tooMany = (perMinute: number, retryAfterSeconds: number) => {
  const detail = `${perMinute} requests a minute about email payments from one address, or to one payment.`
  return overLimit(detail, retryAfterSeconds)
}

const LOOKS: RouteLimit = {
  bucket: 'look',
  perMinute: LOOKS_PER_MINUTE_MAX,
  refuse: ({ perMinute, retryAfterSeconds }) => tooMany(perMinute, retryAfterSeconds),
}
const ASKED = { method: 'GET', limit: LOOKS } as const

/**
 * The pages of email payments. A code is after the `#` of a link or is typed, and reaches the gateway only in the body of a POST. Opening a page
 * claims nothing, because mail scanners open every link.
 */
export function claimRoutes(ports: ClaimPorts): readonly Route[] {
  const { ctx, devnet } = ports
  return [
    {
      ...ASKED,
      path: '/claim',
      access: 'open',
      run: (request) => show(<CodePage declines={false} voice={voiceFor(request)} devnet={devnet} />),
    },
    {
      ...ASKED,
      path: '/claim/decline',
      access: 'open',
      run: (request) => show(<CodePage declines voice={voiceFor(request)} devnet={devnet} />),
    },
    answerCode(ports, {
      path: '/claim',
      declines: false,
      json: async (body) => showShare(ctx, await claimOrLook(ctx, body)),
      page: async (body, voice, agent) => sharePage(ports, await claimOrLook(ctx, body), { body, voice, agent }),
    }),
    answerCode(ports, {
      path: '/claim/decline',
      declines: true,
      async json(body) {
        await declineShare(ctx, codeOf(body))
        return { status: 'refunded' }
      },
      async page(body, voice) {
        const share = await openShare(ctx, codeOf(body))
        const over = overPage(ports, share, voice)
        if (over) return over
        const shown = await toShown(ports, share, voice)
        if (body.sure !== 'true') return <DeclinePage share={shown} code={codeOf(body)} voice={voice} devnet={devnet} />
        await declineShare(ctx, codeOf(body))
        const { declined, declinedHelp } = voice.texts
        return <OverPage title={declined} text={declinedHelp} voice={voice} devnet={devnet} />
      },
    }),
    ...fundingRoutes(ports),
  ]
}

interface Answers {
  path: string
  declines: boolean
  json(body: Fields): Promise<JsonObject>
  page(body: Fields, voice: ClaimVoice, userAgent: string | undefined): Promise<VNode>
}

/** Browsers get a page, also for errors; programs get JSON. */
function answerCode(ports: ClaimPorts, { path, declines, json, page }: Answers): Route {
  return {
    method: 'POST',
    path,
    access: 'open',
    limit: LOOKS,
    async run(request) {
      await takeClaim(ports, request)
      return wantsPage(request)
        ? show(await page(request.fields(), voiceFor(request), request.header('user-agent')))
        : { json: await json(request.fields()) }
    },
    async problem({ status, body: { field } }, request) {
      if (!wantsPage(request)) return undefined
      return status >= 500 ? undefined : show(await errorPage(ports, request, { declines, status, field }))
    },
  }
}

const wantsPage = ({ header }: RouteRequest) => /\btext\/html\b/.test(header('accept') ?? '')

/** A language chosen on the page is kept in its URL, or in its forms. */
const voiceFor = ({ header, query, isForm, fields }: RouteRequest) =>
  claimVoice(header('accept-language'), isForm ? fields().lang : query.lang)

const show = (page: VNode): ShownPage => ({ page, headers: HEADERS })

async function takeClaim({ limiter }: ClaimPorts, { ip }: RouteRequest): Promise<void> {
  const { allowed, retryAfterSeconds } = await limiter.take(`claim:${ip}`, CLAIMS_PER_MINUTE_MAX)
  if (!allowed) throw tooMany(CLAIMS_PER_MINUTE_MAX, retryAfterSeconds)
}

/** The form again with its error; after a wrong address it still shows the share. */
async function errorPage(
  ports: ClaimPorts,
  request: RouteRequest,
  { declines, status, field }: { declines: boolean; status: number; field: unknown },
): Promise<VNode> {
  const { ctx, devnet } = ports
  const voice = voiceFor(request)
  const { tooMany, unknownCode, claimedHelp, wrongAddress } = voice.texts
  if (field !== 'address') {
    const error = status === 429 ? tooMany : status === 409 ? claimedHelp : unknownCode
    return <CodePage declines={declines} voice={voice} devnet={devnet} error={error} />
  }
  const body = request.fields()
  const address = typeof body.address === 'string' ? body.address.slice(0, 100) : ''
  const share = await toShown(ports, await openShare(ctx, codeOf(body)), voice)
  return (
    <SharePage
      {...{ share, voice, devnet, address }}
      code={codeOf(body)}
      wallets={walletsFor(ports.wallets, request.header('user-agent'))}
      error={wrongAddress}
    />
  )
}

async function claimOrLook(ctx: EmailContext, body: Fields): Promise<Share> {
  const token = codeOf(body)
  if (body.address === undefined || body.address === '') return openFundedShare(ctx, token)
  // The code is checked before the address, so that a visitor without a code learns nothing about usernames.
  await openShare(ctx, token)
  return claimShare(ctx, { token, destination: await destinationOf(ctx, body.address) })
}

function codeOf(body: Fields): string {
  // Programs may name the field `token`.
  const token = readToken(body.code ?? body.token)
  if (token === undefined) throw unknownCode()
  return token
}

/** An address, or the address that a username has at this moment. */
async function destinationOf({ names }: EmailContext, value: unknown): Promise<string> {
  const text = typeof value === 'string' ? value.trim() : ''
  if (text.startsWith('@')) {
    const address = await names.resolve(text.slice(1), 'money')
    if (address === undefined) throw badField('address', 'Username not found.', 'username_not_found')
    return address
  }
  const key = fromAddress(text)
  if (key === undefined) throw badField('address', 'This is not a Nano address. Copy it again.', 'invalid_account')
  const address = toAddress(key)
  if (address === BURN_ADDRESS) {
    throw badField('address', 'Funds sent to the burn account are lost.', 'invalid_account')
  }
  return address
}

async function toShown({ ctx, prices }: ClaimPorts, { payment, recipient }: Share, voice: ClaimVoice) {
  const { isRefund, sender, message } = payment
  const merchant = isRefund ? await findMerchant(ctx.store.db, payment.accountId) : undefined
  return {
    amount: recipient.amount,
    sender: merchant?.name ?? sender,
    // The stored message begins with a fixed word, which the page replaces in the reader's language.
    message: isRefund ? message?.replace(/^Refund(?:: )?/, '') || null : message,
    expiresAt: payment.expiresAt!,
    isRefund,
    worth: await aboutWorth({ prices, clock: ctx.store.clock }, recipient.amount, voice.locale),
  }
}

async function sharePage(
  ports: ClaimPorts,
  share: Share,
  { body, voice, agent }: { body: Fields; voice: ClaimVoice; agent: string | undefined },
): Promise<VNode> {
  const { ctx, devnet } = ports
  const { recipient, hash } = share
  const code = codeOf(body)
  const isHis = recipient.status === 'claimed' && body.address !== undefined && body.address !== ''
  if (isHis) {
    const block = hash === undefined ? undefined : { hash, link: ctx.ports.links.block(hash) }
    const { amount, claimAddress } = recipient
    return <PaidPage {...{ amount, block, code, voice, devnet }} address={claimAddress!} />
  }
  const over = overPage(ports, share, voice)
  if (over) return over
  const shown = await toShown(ports, share, voice)
  return <SharePage {...{ share: shown, code, voice, devnet }} address="" wallets={walletsFor(ports.wallets, agent)} />
}

/** The page for a code that comes too early or too late. It does not show the address of a claim, which concerns the claimant only. */
function overPage({ ctx, devnet }: ClaimPorts, share: Share, voice: ClaimVoice): VNode | undefined {
  const { payment, recipient } = share
  const { claimed, claimedHelp, onItsWay, notReady, tooLate, tooLateHelp, tooLateRefund } = voice.texts
  if (recipient.status === 'claimed')
    return <OverPage title={claimed} text={claimedHelp} voice={voice} devnet={devnet} />
  if (isOnItsWay(share) && recipient.status !== 'refunded') {
    return <OverPage title={onItsWay} text={notReady} voice={voice} devnet={devnet} />
  }
  const isOver =
    recipient.status === 'refunded' || payment.cancelledAt !== null || ctx.store.clock.now() >= payment.expiresAt!
  if (!isOver) return undefined
  const text = payment.isRefund ? tooLateRefund : tooLateHelp
  return <OverPage title={tooLate} text={text} voice={voice} devnet={devnet} />
}

function showShare({ ports }: EmailContext, { payment, recipient, hash }: Share): JsonObject {
  return {
    id: recipient.id,
    status: recipient.status,
    amount_raw: recipient.amount.toString(),
    from: payment.sender,
    from_verified: false,
    message: payment.message,
    expires_unix: Math.floor((payment.expiresAt ?? payment.fundBy) / 1000),
    ...(hash !== undefined && { hash, block: ports.links.block(hash) }),
  }
}

function fundingRoutes(ports: ClaimPorts): readonly Route[] {
  const { ctx, devnet } = ports
  return [
    {
      ...ASKED,
      path: '/email/:id',
      access: 'open',
      async run(request) {
        const payment = await look(ports, request)
        if (!wantsPage(request)) return { json: await showCheck(ctx, payment) }
        const link = fundingLink(payment)
        return show(
          <FundingPage {...payment} link={link} qrcode={ctx.qrPng(link)} voice={voiceFor(request)} devnet={devnet} />,
        )
      },
    },
    {
      method: ['GET', 'POST'],
      path: '/email/:id/check',
      access: 'open',
      limit: LOOKS,
      run: async (request) => ({ json: await showCheck(ctx, await look(ports, request)) }),
    },
  ]
}

/** The payment's status, after advancing its wallet while the sender may have just paid. */
async function look({ ctx, limiter }: ClaimPorts, { params }: RouteRequest) {
  const payment = await getEmailPayment(ctx, params.id!)
  const decision = payment.status === 'waiting' && (await limiter.take(`nudge:${payment.id}`, NUDGES_PER_MINUTE_MAX))
  if (!decision || !decision.allowed) return payment
  // If that fails, the page shows the last known status.
  await whenOver(ctx.queue.advance(payment.walletId))
  await followPayment(ctx, payment.id).catch(ctx.store.failures.failed('email.follow', { paymentId: payment.id }))
  return getEmailPayment(ctx, payment.id)
}

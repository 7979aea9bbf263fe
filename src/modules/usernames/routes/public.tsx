import { badField } from '../../../kernel/errors.ts'
import { type Raw, formatNano, parseNano } from '../../../kernel/money.ts'
import { toPaymentUri } from '../../../kernel/nano/payment-uri.ts'
import {
  type Reply,
  type Route,
  type RouteLimit,
  type RouteRequest,
  type ShownPage,
  wantsJson,
} from '../../../kernel/route.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { readTypedDecimal } from '../../../kernel/free-field.ts'
import { type Merchant, findMerchant } from '../../accounts/index.ts'
import { type Voice, negotiate } from '../../checkout/index.ts'
import { type NameLease, findLease, statusAt, toNameKey } from '../../names/index.ts'
import { noSuchName } from '../errors.ts'
import { NamePage, NoNamePage, type ShownName } from '../pages/public-name-page.tsx'
import type { UsernameContext } from '../context.ts'

interface PublicPorts {
  context: UsernameContext
  limit: RouteLimit
  baseUrl(): string
  devnet: boolean
}

const TYPED_MAX = 40

/** The page of a name at `/@name`, with a link and a QR code to pay. It makes no checkout. */
export function publicNameRoutes(ports: PublicPorts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/@:name',
      access: 'open',
      limit: ports.limit,
      async run(request) {
        const found = await findPublic(ports, request.params.name!)
        return wantsJson(request) ? { json: toJson(ports, found, request.query.amount) } : show(ports, found, request)
      },
      problem({ status }, request) {
        if (wantsJson(request) || (status !== 404 && status < 500)) return undefined
        const voice = voiceFor(request)
        const problem = status === 404 ? 'notFound' : 'unavailable'
        return {
          page: <NoNamePage voice={voice} problem={problem} devnet={ports.devnet} />,
          headers: headersFor(voice, false),
        }
      },
    },
  ]
}

interface Found {
  lease: NameLease
  merchant: Merchant | undefined
}

/** A name whose lease has ended is not shown, even while its owner can still renew it. */
async function findPublic({ context: { checkouts } }: PublicPorts, given: string): Promise<Found> {
  const { db, clock } = checkouts
  const key = toNameKey(given)
  const lease = key === undefined ? undefined : await findLease(db, key)
  if (!lease || statusAt(lease, clock.now()) !== 'leased') throw noSuchName()
  const merchant = lease.accountId === null ? undefined : await findMerchant(db, lease.accountId)
  return { lease, merchant }
}

/** Undefined when missing, null when it is not a valid amount. */
function readAmount(value: unknown): Raw | null | undefined {
  if (value === undefined || value === '') return undefined
  const plain = readTypedDecimal(value)
  const raw = typeof plain === 'string' && plain.length <= TYPED_MAX ? parseNano(plain.trim()) : undefined
  return raw === undefined || raw <= 0n ? null : raw
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** The owner's profile, without the account's id or mail address. */
function toShown({ lease, merchant }: Found): ShownName {
  const { title, website, location, github, twitter, mastodon } = lease.profile
  return {
    name: lease.name,
    address: lease.address,
    title: text(title),
    website: text(website),
    details: [text(location), text(github), text(twitter), text(mastodon)].filter((one) => one !== undefined),
    merchant: merchant && {
      name: merchant.name,
      logo: merchant.logo,
      website: merchant.website,
      sheet: merchant.sheet,
    },
  }
}

function toJson({ baseUrl }: PublicPorts, found: Found, given: unknown): JsonObject {
  const { name, address, title, website, merchant } = toShown(found)
  const amount = readAmount(given)
  if (amount === null) throw badField('amount', 'amount must be nano, such as 1.5.')
  return {
    name,
    address,
    link: toPaymentUri({ address, amount }),
    ...(amount !== undefined && { amount: formatNano(amount), amount_raw: amount.toString() }),
    ...(title !== undefined && { title }),
    ...(website !== undefined && { website }),
    ...(merchant && {
      merchant: {
        name: merchant.name,
        logo: merchant.logo === null ? null : `${baseUrl()}${merchant.logo}`,
        website: merchant.website,
      },
    }),
  }
}

function show({ context, baseUrl, devnet }: PublicPorts, found: Found, request: RouteRequest): Reply & ShownPage {
  const { query } = request
  const voice = voiceFor(request)
  const given = text(query.amount)
  const amount = readAmount(query.amount)
  const shown = toShown(found)
  const link = toPaymentUri({ address: shown.address, amount: amount ?? undefined })
  // Search engines list only the plain URL: those with an amount or a language are duplicates.
  const isIndexed = found.lease.indexed && Object.keys(query).length === 0
  const page = (
    <NamePage
      shown={shown}
      link={link}
      code={context.checkouts.ports.qrOutline(link)}
      amount={amount ?? undefined}
      typed={amount === null ? (given ?? '').slice(0, TYPED_MAX) : undefined}
      canonical={isIndexed ? `${baseUrl()}/@${found.lease.key}` : undefined}
      chosenLanguage={query.lang !== undefined}
      voice={voice}
      devnet={devnet}
    />
  )
  return { page, headers: headersFor(voice, isIndexed), ...(amount === null && { status: 400 }) }
}

const voiceFor = ({ header, query }: RouteRequest) => negotiate(header('accept-language'), query.lang)

const headersFor = ({ language }: Voice, isIndexed: boolean) => ({
  'content-language': language,
  vary: 'accept, accept-language',
  'x-frame-options': 'DENY',
  ...(!isIndexed && { 'x-robots-tag': 'noindex, nofollow' }),
})

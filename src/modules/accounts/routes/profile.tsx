import { AppError, overLimit } from '../../../kernel/errors.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { Logos, Prices } from '../../../kernel/ports.ts'
import type { Route, RouteLimit } from '../../../kernel/route.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { accentSheet, changeProfile, readProfile, toAccent, toMerchant } from '../domain/profile.ts'
import { PROFILE_FIELDS, ProfilePage } from '../pages/profile-page.tsx'
import { type Profile, findLogo, findProfile } from '../profile-store.ts'

/** The form of an account's public profile, with a preview. */
export function profilePages({ store, logos, prices, isPlay }: ProfilePorts): readonly (Page | Form)[] {
  const done = { saved: 'Saved.' }
  const { currencies } = prices
  const page = async ({ frame, accountId }: PageRequest, typed?: FormState) => {
    const profile = await findProfile(store.db, accountId)
    const filled = typed ?? { values: toValues(profile) }
    return <ProfilePage frame={frame} filled={filled} currencies={currencies} merchant={toMerchant(profile)} />
  }
  return [
    {
      path: '/profile',
      permission: 'checkout',
      menu: { title: 'Shop', group: 'settings', order: 65, guide: 'merchants#say-who-is-being-paid' },
      done,
      render: (request) => page(request),
    },
    {
      path: '/profile',
      permission: 'checkout',
      async run({ accountId, caller: { actor } }, fields) {
        const { logoUrl } = await findProfile(store.db, accountId)
        const typed = Object.fromEntries(PROFILE_FIELDS.map((name) => [name, fields.get(name)]))
        const { logo, ...rest } = typed
        // The existing logo is fetched again only on request.
        const isSame = logo === (logoUrl ?? '') && fields.get('fetch_again') === ''
        const change = readProfile(isSame ? rest : typed, { plainHttpAllowed: isPlay, currencies })
        await changeProfile(store, logos, { accountId, actor, change })
        return { to: '/dashboard/profile?done=saved' }
      },
      again: (request, state) => page(request, state),
    },
  ]
}

const toValues = (profile: Profile): Record<string, string> => ({
  name: profile.name ?? '',
  logo: profile.logoUrl ?? '',
  website: profile.website ?? '',
  support_email: profile.supportEmail ?? '',
  support_url: profile.supportUrl ?? '',
  terms_url: profile.termsUrl ?? '',
  accent: profile.accent ?? '',
  currency: profile.currency ?? 'NANO',
  time_zone: profile.timeZone ?? '',
})

const FOREVER = 'public, max-age=31536000, immutable'
const PER_MINUTE = 240
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': FOREVER,
}
/** Pages load one of each, and browsers cache them. */
const limit: RouteLimit = {
  bucket: 'looks',
  perMinute: PER_MINUTE,
  refuse: ({ retryAfterSeconds }) =>
    overLimit(`Limit: ${PER_MINUTE} images and colours a minute from one IP address.`, retryAfterSeconds),
}

interface ProfilePorts {
  store: StoreCtx
  logos: Logos
  prices: Pick<Prices, 'currencies'>
  /** The base URL of links to this gateway. */
  baseUrl(): string
  /** On the development ledger, URLs may be plain http. */
  isPlay: boolean
}

/** The profile for its account, and the public logo and colour. */
export function profileRoutes({ store, logos, prices, baseUrl, isPlay }: ProfilePorts): readonly Route[] {
  const path = '/api/account/profile'
  return [
    {
      method: 'GET',
      path,
      door: 'account',
      scope: 'checkout',
      run: async ({ caller }) => ({ json: showProfile(await findProfile(store.db, caller.accountId), baseUrl()) }),
    },
    {
      method: 'PUT',
      path,
      door: 'account',
      scope: 'checkout',
      async run({ caller: { accountId, actor }, body }) {
        const change = readProfile(body(), { plainHttpAllowed: isPlay, currencies: prices.currencies })
        const profile = await changeProfile(store, logos, { accountId, actor, change })
        return { json: showProfile(profile, baseUrl()) }
      },
    },
    {
      method: 'GET',
      path: '/logos/:id',
      door: 'open',
      limit,
      cacheable: true,
      async run({ params: { id = '' } }) {
        const logo = /^[0-9a-f]{32}$/.test(id) ? await findLogo(store.db, id) : undefined
        if (!logo) throw new AppError('not_found', 'Image not found.')
        return { ...logo, headers: HEADERS }
      },
    },
    {
      method: 'GET',
      path: '/accents/:name',
      door: 'open',
      limit,
      cacheable: true,
      run({ params: { name = '' } }) {
        const [, digits] = /^([0-9a-f]{6})\.css$/.exec(name) ?? []
        if (digits === undefined) throw new AppError('not_found', 'Colour not found.')
        const sheet = Buffer.from(accentSheet(toAccent(digits)!))
        return { bytes: sheet, type: 'text/css; charset=utf-8', headers: HEADERS }
      },
    },
  ]
}

function showProfile(profile: Profile, base: string): JsonObject {
  const { logoId, updatedAt } = profile
  return {
    profile: {
      name: profile.name,
      logo: profile.logoUrl,
      logo_url: logoId === null ? null : `${base}/logos/${logoId}`,
      support_email: profile.supportEmail,
      support_url: profile.supportUrl,
      terms_url: profile.termsUrl,
      website: profile.website,
      accent: profile.accent,
      currency: profile.currency,
      time_zone: profile.timeZone,
      updated_unix: updatedAt === null ? null : Math.floor(updatedAt / 1000),
    },
  }
}

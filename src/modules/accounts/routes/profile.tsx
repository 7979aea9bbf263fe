import { answer } from '../../../kernel/answers.ts'
import { AppError, overLimit } from '../../../kernel/errors.ts'
import type { Actor } from '../../../kernel/actor.ts'
import { readChange } from '../../../kernel/resource/read.ts'
import { exampleOf, show, shownSchema, takenSchema } from '../../../kernel/resource/resource.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { Logos, Picture, Prices } from '../../../kernel/ports.ts'
import { type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import type { Fields, Route, RouteLimit } from '../../../kernel/route.ts'
import { formBody, formState } from '../../../web/dashboard/resource-form.tsx'
import { accentSheet, toAccent } from '../domain/accent.ts'
import { changeProfile, toMerchant } from '../domain/profile.ts'
import { type Profile, accountProfile } from '../account-profile.ts'
import { ProfilePage } from '../pages/profile-page.tsx'
import { findPicture } from '../pictures-store.ts'
import { findLogo, findProfile } from '../profile-store.ts'

/** The form of an account's public profile, with a preview. */
export function profilePages(ports: ProfilePorts): readonly (Page | Form)[] {
  const { store } = ports
  const done = { saved: 'Saved.' }
  const page = async ({ frame, accountId }: PageRequest, typed?: FormState) => {
    const profile = await findProfile(store.db, accountId)
    const filled = formState(accountProfile, ports, profile, typed)
    return <ProfilePage {...{ frame, filled }} rules={accountProfile.rules(ports)} merchant={toMerchant(profile)} />
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
      pictures: ['logo'],
      async run({ accountId, caller: { actor } }, fields) {
        const { logoUrl } = await findProfile(store.db, accountId)
        const typed = formBody(accountProfile, ports, 'change', fields)
        const { logo, ...rest } = typed
        // The existing logo is fetched again only on request.
        const isSame = logo === (logoUrl ?? '') && fields.get('fetch_again') === ''
        await change(ports, { accountId, actor }, isSame ? rest : typed)
        return { to: '/dashboard/profile?done=saved' }
      },
      again: (request, state) => page(request, state),
    },
  ]
}

async function change(ports: ProfilePorts, who: { accountId: string; actor: Actor }, body: Fields): Promise<Profile> {
  const { store, logos } = ports
  const said = readChange(accountProfile, ports, body, await findProfile(store.db, who.accountId))
  return changeProfile(store, logos, { ...who, change: said })
}

const FOREVER = 'public, max-age=31536000, immutable'
const PER_MINUTE = 240
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': FOREVER,
}
/** A page loads one picture and one style sheet of a shop, and browsers cache both, so few readers ever reach this limit. */
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

const { record } = answer

const routes: readonly ApiRoute<ProfilePorts>[] = [
  {
    method: 'get',
    path: '/api/account/profile',
    id: 'getProfile',
    tag: 'accounts',
    summary: 'The profile that payers see.',
    who: 'account',
    answer: record({ profile: shownSchema(accountProfile) }),
    scope: 'checkout',
    async run(ports, { caller }) {
      const profile = await findProfile(ports.store.db, caller.accountId)
      return { json: { profile: show(accountProfile, ports, profile) } }
    },
  },
  {
    method: 'put',
    path: '/api/account/profile',
    id: 'changeProfile',
    tag: 'accounts',
    summary: 'Change the fields in the body; an empty text or null removes a value. The picture is fetched once.',
    who: 'account',
    body: { schema: takenSchema(accountProfile, 'change'), example: exampleOf(accountProfile), isOfResource: true },
    answer: record({ profile: shownSchema(accountProfile) }),
    scope: 'checkout',
    async run(ports, { caller: { accountId, actor }, body }) {
      return { json: { profile: show(accountProfile, ports, await change(ports, { accountId, actor }, body())) } }
    },
  },
]

export const describedProfileRoutes = describedOf(routes)

/** Serves pictures that the gateway has converted. The URL of a picture contains a hash of its bytes, so that its content never changes. */
const picture = (path: string, find: (id: string) => Promise<Picture | undefined>): Route => ({
  method: 'GET',
  path,
  access: 'open',
  limit,
  cacheable: true,
  async run({ params: { id = '' } }) {
    const found = /^[0-9a-f]{32}$/.test(id) ? await find(id) : undefined
    if (!found) throw new AppError('not_found', 'Image not found.')
    return { type: found.type, bytes: found.bytes, headers: HEADERS }
  },
})

/** The profile for its account, and the public logo and colour. */
export function profileRoutes(ports: ProfilePorts): readonly Route[] {
  const { store } = ports
  return [
    ...routesOf(routes, ports),
    picture('/logos/:id', (id) => findLogo(store.db, id)),
    picture('/pictures/:id', (id) => findPicture(store.db, id)),
    {
      method: 'GET',
      path: '/accents/:name',
      access: 'open',
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

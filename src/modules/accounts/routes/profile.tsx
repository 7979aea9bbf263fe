import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { changeProfile } from '../domain/change-profile.ts'
import { toMerchant } from '../domain/merchant.ts'
import { PROFILE_FIELDS, ProfilePage } from '../pages/profile-page.tsx'
import { readProfile } from '../profile-fields.ts'
import { type Profile, findProfile } from '../profile-store.ts'
import type { ProfilePorts } from './profile-api.ts'

/** Who the account is to those who pay it, with a look at what they see. */
export function profilePages({ store, logos, isPlay }: ProfilePorts): readonly (Page | Form)[] {
  const done = { saved: 'Profile saved.' }
  const page = async ({ frame, accountId }: PageRequest, typed?: FormState) => {
    const profile = await findProfile(store.db, accountId)
    const filled = typed ?? { values: toValues(profile) }
    return <ProfilePage frame={frame} filled={filled} merchant={toMerchant(profile)} />
  }
  return [
    {
      path: '/profile',
      permission: 'checkout',
      menu: { title: 'Profile', order: 65, guide: 'merchants#say-who-is-being-paid' },
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
        // The picture that is there already need not be fetched again, unless that is asked for.
        const isSame = logo === (logoUrl ?? '') && fields.get('fetch_again') === ''
        const change = readProfile(isSame ? rest : typed, { plainHttpAllowed: isPlay })
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
})

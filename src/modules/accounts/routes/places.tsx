import { actorOf } from '../../../kernel/actor.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { Sessions } from '../domain/sessions.ts'
import { accountSuspended } from '../errors.ts'
import { PlacesPage } from '../pages/places-page.tsx'
import { acceptInvitation, findPlace, listPlaces, openOwnAccount } from '../people/invitation.ts'
import { leaveAccount } from '../people/members.ts'
import { invitationOver, isKeySession } from '../people/errors.ts'
import { insertAudit } from '../store.ts'
import { labelOf } from '../people/mails.ts'
import type { Member } from '../people/member.ts'

interface PlacesPorts {
  store: StoreCtx
  sessions: Sessions
  /** Notifies every instance, because the role limits the keys that the member made. */
  announceStanding(accountId: string): void
}

const DONE = { joined: 'You joined the account.', opened: 'Account switched.', left: 'Done.' }

/** Pages with the user's accounts and invitations. */
export function placePages({ store, sessions, announceStanding }: PlacesPorts): readonly (Page | Form)[] {
  const show = async ({ frame, accountId, caller, params }: PageRequest, filled?: FormState) => {
    const email = caller.session?.member?.email
    const found = email === undefined ? [] : await listPlaces(store, { email })
    const shown = params.id === undefined ? found : found.filter(({ member }) => member.id === params.id)
    if (params.id !== undefined && shown.length === 0 && !filled) throw invitationOver()
    const places = await Promise.all(
      (filled ? found : shown).map(async ({ member, account }) => ({
        member,
        label: await labelOf(store, account.id),
        isHere: account.id === accountId,
        isSuspended: account.standing.suspendedAt !== null,
      })),
    )
    return <PlacesPage frame={frame} email={email} places={places} failed={filled?.error?.text} />
  }
  const placed = { section: '/accounts', permission: 'none', done: DONE } as const
  const form = { ...placed, again: show }
  const enter = async (
    { session }: PageRequest['caller'],
    { accountId, id: memberId, joinedAt }: Pick<Member, 'accountId' | 'id' | 'joinedAt'>,
    word: keyof typeof DONE,
  ) => {
    const moved = await sessions.move(session!, { accountId, memberId })
    const activity = { actor: actorOf.person(memberId), accountId, what: 'account.signed-in' }
    // For that account's people this is a sign-in, but an invited person has not joined yet.
    if (joinedAt !== null) await insertAudit(store, { ...activity, detail: { by: session!.provedBy } })
    return { to: `/dashboard/accounts?done=${word}`, session: moved }
  }
  return [
    {
      ...placed,
      path: '/accounts',
      menu: { title: 'Your accounts', group: 'settings', order: 95, guide: 'people#confirm-your-identity' },
      render: (request) => show(request),
    },
    { ...placed, path: '/accounts/:id', render: (request) => show(request) },
    {
      ...form,
      path: '/accounts/:id/accept',
      async run({ caller, params }) {
        const member = await acceptInvitation(store, { email: emailOf(caller), id: params.id! })
        return enter(caller, member, 'joined')
      },
    },
    {
      ...form,
      path: '/accounts/:id/open',
      async run({ caller, params }) {
        const { member, account } = await findPlace(store, { email: emailOf(caller), id: params.id! })
        if (account.standing.suspendedAt !== null) throw accountSuspended()
        return enter(caller, member, 'opened')
      },
    },
    {
      ...form,
      path: '/accounts/:id/leave',
      async run({ caller, params }) {
        const email = emailOf(caller)
        const { member } = await findPlace(store, { email, id: params.id! })
        await leaveAccount(store, { ...member, email })
        announceStanding(member.accountId)
        return { to: '/dashboard/accounts?done=left' }
      },
    },
    {
      ...form,
      path: '/accounts/new',
      async run({ caller }) {
        if (!caller.session?.member) throw isKeySession()
        return enter(caller, await openOwnAccount(store, caller.session.member), 'joined')
      },
    },
  ]
}

function emailOf({ session }: PageRequest['caller']): string {
  if (!session?.member) throw invitationOver()
  return session.member.email
}

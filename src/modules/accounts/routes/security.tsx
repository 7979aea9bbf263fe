import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { CodesPage, SecurityPage } from '../pages/security-page.tsx'
import { countCodes, listPasskeys } from '../passkeys/store.ts'
import { enrolPasskey, removePasskey, renamePasskey } from '../passkeys/passkeys.ts'
import { newCodes } from '../passkeys/recovery-codes.ts'
import { type Required, isMailOpen, isRequired, personOf, setMailLinks } from '../passkeys/policy.ts'
import { partyAt, relyingPartyOf } from '../passkeys/ceremony.ts'
import { readMade, readPasskeyName } from '../passkeys/wire-fields.ts'
import { findAccount } from '../store.ts'

interface SecurityPorts {
  store: StoreCtx
  required: Required
  baseUrl(): string
}

const AT = '/dashboard/security'
const DONE = {
  added: 'Passkey added.',
  named: 'Passkey renamed.',
  removed: 'Passkey removed.',
  mail: 'Done.',
}

async function showSecurity(
  { store, required, baseUrl }: SecurityPorts,
  { frame, caller, accountId }: PageRequest,
  filled: FormState,
) {
  const email = caller.session?.member?.email
  const account = (await findAccount(store.db, accountId))!
  const passkeys = email === undefined ? [] : await listPasskeys(store.db, email)
  return (
    <SecurityPage
      frame={frame}
      filled={filled}
      email={email}
      passkeys={passkeys}
      codesLeft={email === undefined ? 0 : await countCodes(store.db, email)}
      mailOpens={email !== undefined && (await isMailOpen(store, email, required))}
      mailAllowed={account.mailLinks}
      mustEnrol={email !== undefined && passkeys.length === 0 && isRequired(required, account)}
      origin={relyingPartyOf(baseUrl())?.origin}
    />
  )
}

/** Pages for a user's sign-in: passkeys, recovery codes, and whether mail may sign in as well. */
export function securityPages({ store, required, baseUrl }: SecurityPorts): readonly (Page | Form)[] {
  const show = (request: PageRequest, filled: FormState) => showSecurity({ store, required, baseUrl }, request, filled)
  const showCodes: Form['show'] = ({ frame }, { codes }) => <CodesPage frame={frame} codes={codes as string[]} />
  const placed = { section: '/security', permission: 'none', unenrolled: true, done: DONE } as const
  const form = { ...placed, again: show }
  const back = (word: keyof typeof DONE) => ({ to: `${AT}?done=${word}` })
  const toOutcome = (codes: readonly string[]) => (codes.length > 0 ? { shown: { codes: [...codes] } } : back('added'))
  return [
    {
      ...placed,
      path: '/security',
      menu: { title: 'Security', group: 'settings', order: 96, guide: 'people#passkeys' },
      render: (request) => show(request, EMPTY),
    },
    {
      ...form,
      path: '/security/passkeys',
      proof: true,
      show: showCodes,
      async run({ caller }, fields, idempotency) {
        if (idempotency.made) return toOutcome(idempotency.made.codes as string[])
        const name = readPasskeyName({ name: fields.get('name') })
        const response = readMade({ credential: fields.get('credential') })
        const enrolment = { person: personOf(caller), party: partyAt(baseUrl()), name, response, idempotency }
        return toOutcome((await enrolPasskey(store, enrolment)).codes ?? [])
      },
    },
    {
      ...form,
      path: '/security/passkeys/:id/name',
      async run({ caller, params }, fields) {
        const id = params.id!
        const name = readPasskeyName({ name: fields.get(`name-${id}`) })
        await renamePasskey(store, { person: personOf(caller), id, name })
        return back('named')
      },
    },
    {
      ...form,
      path: '/security/passkeys/:id/remove',
      proof: true,
      async run({ caller, params }) {
        await removePasskey(store, { person: personOf(caller), id: params.id!, required })
        return back('removed')
      },
    },
    {
      ...form,
      path: '/security/codes',
      proof: true,
      show: showCodes,
      async run({ caller }, _fields, idempotency) {
        if (idempotency.made) return { shown: idempotency.made }
        return { shown: { codes: await newCodes(store, personOf(caller), idempotency) } }
      },
    },
    {
      section: '/security',
      permission: 'owners',
      done: DONE,
      again: show,
      path: '/security/mail',
      proof: true,
      async run({ accountId, caller: { actor } }, fields) {
        await setMailLinks(store, { accountId, actor, allowed: fields.get('allowed') === 'yes' })
        return back('mail')
      },
    },
  ]
}

import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { KeyLookup } from '../../../kernel/ports.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { requestProof, takeProof } from '../domain/prove.ts'
import type { Sessions } from '../domain/sessions.ts'
import { hasPasskey } from '../passkeys/store.ts'
import { type Required, isMailOpen } from '../passkeys/policy.ts'
import { relyingPartyOf } from '../passkeys/ceremony.ts'
import { readCode } from '../passkeys/wire-fields.ts'
import { ProvePage } from '../pages/prove-page.tsx'

interface ProvePorts {
  store: StoreCtx
  keys: KeyLookup
  sessions: Sessions
  required: Required
  baseUrl(): string
}

/** Pages on which the user confirms their identity again. */
export function provePages({ store, keys, sessions, required, baseUrl }: ProvePorts): readonly (Page | Form)[] {
  const show = async ({ frame, query }: PageRequest, filled: FormState) => {
    const email = frame.member?.email
    const hasOne = email !== undefined && (await hasPasskey(store.db, email))
    return (
      <ProvePage
        frame={frame}
        filled={filled}
        next={readNext(filled.values.next ?? query.next)}
        isMailed={query.done === 'mailed' || filled.error?.field === 'code'}
        passkeysAt={hasOne ? relyingPartyOf(baseUrl())?.origin : undefined}
        hasCodes={hasOne}
        mailOpens={email !== undefined && (await isMailOpen(store, email, required))}
      />
    )
  }
  const placed = {
    section: '/accounts',
    permission: 'none',
    unenrolled: true,
    done: { mailed: 'Code sent.' },
  } as const
  return [
    { ...placed, path: '/prove', render: (request) => show(request, EMPTY) },
    {
      ...placed,
      path: '/prove/mail',
      again: show,
      async run({ caller }, fields) {
        await requestProof(store, caller, required)
        return { to: `/dashboard/prove?done=mailed&next=${encodeURIComponent(readNext(fields.get('next')))}` }
      },
    },
    {
      ...placed,
      path: '/prove',
      again: show,
      async run({ caller }, fields) {
        const recovery = readCode({ code: fields.get('recovery') })
        const proof = { code: fields.get('code'), key: fields.get('key'), recovery, required }
        const by = await takeProof(store, keys, caller, proof)
        return { to: readNext(fields.get('next')), session: await sessions.prove(caller, by) }
      },
    },
  ]
}

/** Only pages of this gateway. */
function readNext(next: string | undefined): string {
  return next !== undefined && /^\/dashboard(?:\/[\w/-]*)?$/.test(next) ? next : '/dashboard'
}

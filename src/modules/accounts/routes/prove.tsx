import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { KeyLookup } from '../../../kernel/ports.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { requestProof, takeProof } from '../domain/prove.ts'
import type { Sessions } from '../domain/sessions.ts'
import { ProvePage } from '../pages/prove-page.tsx'

interface ProvePorts {
  store: StoreCtx
  keys: KeyLookup
  sessions: Sessions
}

/** Proving once more who is signed in. */
export function provePages({ store, keys, sessions }: ProvePorts): readonly (Page | Form)[] {
  const show = async ({ frame, query }: PageRequest, filled: FormState) => (
    <ProvePage
      frame={frame}
      filled={filled}
      next={readNext(filled.values.next ?? query.next)}
      isMailed={query.done === 'mailed' || filled.error?.field === 'code'}
    />
  )
  const placed = { section: '/accounts', permission: 'none', done: { mailed: 'The code is on its way.' } } as const
  return [
    { ...placed, path: '/prove', render: (request) => show(request, EMPTY) },
    {
      ...placed,
      path: '/prove/mail',
      again: show,
      async run({ caller }, fields) {
        await requestProof(store, caller)
        return { to: `/dashboard/prove?done=mailed&next=${encodeURIComponent(readNext(fields.get('next')))}` }
      },
    },
    {
      ...placed,
      path: '/prove',
      again: show,
      async run({ caller }, fields) {
        await takeProof(store, keys, caller, { code: fields.get('code'), key: fields.get('key') })
        return { to: readNext(fields.get('next')), session: await sessions.prove(caller) }
      },
    },
  ]
}

/** Only our own pages. */
function readNext(next: string | undefined): string {
  return next !== undefined && /^\/dashboard(?:\/[\w/-]*)?$/.test(next) ? next : '/dashboard'
}

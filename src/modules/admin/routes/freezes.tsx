import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { readReason } from '../../accounts/index.ts'
import { freezeSends, listFreezes, listFrozen, unfreezeSends } from '../../wallets/index.ts'
import { FreezesPage } from '../pages/freezes-page.tsx'
import type { AdminPorts } from '../ports.ts'

const LISTED_MAX = 200
const PATH = '/admin/freezes'
const DONE = { frozen: 'Frozen. Nothing more is signed.', lifted: 'It goes on.' }

/** Pages on which an operator freezes and unfreezes sends while the gateways run. */
export function freezePages({ store }: Pick<AdminPorts, 'store'>): readonly (Page | Form)[] {
  const show = async ({ frame }: PageRequest, filled: FormState) => {
    const { db } = store
    const [sends, wallets] = await Promise.all([listFreezes(db, LISTED_MAX), listFrozen(db, LISTED_MAX)])
    return <FreezesPage frame={frame} filled={filled} sends={sends} wallets={wallets} />
  }
  const form = {
    section: PATH,
    access: 'administrator',
    permission: 'administration',
    proof: true,
    again: show,
  } as const
  return [
    {
      path: PATH,
      access: 'administrator',
      permission: 'administration',
      menu: { title: 'Frozen sends', group: 'operator', order: 125, guide: 'operating/keys#stop-all-sends' },
      done: DONE,
      render: (request) => show(request, EMPTY),
    },
    {
      ...form,
      path: PATH,
      async run({ caller: { actor } }, fields) {
        const reason = readReason({ reason: fields.get('reason') })
        await freezeSends(store, { target: fields.get('target'), actor, reason })
        return { to: `/dashboard${PATH}?done=frozen` }
      },
    },
    {
      ...form,
      path: `${PATH}/lift`,
      async run({ caller: { actor } }, fields) {
        await unfreezeSends(store, {
          target: fields.get('target'),
          actor,
          payQueued: fields.get('pay_queued') === 'yes',
        })
        store.wakeJobs()
        return { to: `/dashboard${PATH}?done=lifted` }
      },
    },
  ]
}

import { AppError } from '../../../kernel/errors.ts'
import type { PlayLedger } from '../../../kernel/ports.ts'
import {
  type CheckoutCtx,
  expireCheckout,
  fundAddress,
  getOwn,
  payCheckout,
  readBlockHash,
  readFunding,
  readWay,
} from '../index.ts'
import { DeveloperPage } from '../pages/developer-page.tsx'
import { EMPTY, type Filled } from '../../../web/dashboard/form.tsx'
import type { Door, Visit } from '../../../http/dashboard.tsx'

const SHOWN_MAX = 100

export interface DeveloperOptions {
  checkouts: CheckoutCtx
  /** Undefined with real nodes: then nothing of this exists. */
  playLedger: PlayLedger | undefined
}

/** Paying, funding and confirming by hand, on the embedded ledger only. */
export function mountDeveloper(door: Door, { checkouts: ctx, playLedger: ledger }: DeveloperOptions): void {
  if (!ledger) return
  const section = '/developer'
  const render = async ({ frame }: Visit, filled: { paying?: Filled; funding?: Filled } = {}) => (
    <DeveloperPage
      frame={frame}
      paying={filled.paying ?? EMPTY}
      funding={filled.funding ?? EMPTY}
      holds={ledger.holds}
      waiting={ledger.listWaiting().slice(0, SHOWN_MAX)}
    />
  )
  const done = {
    funded: 'The nano is on its way.',
    held: 'New blocks stay unconfirmed from now on.',
    confirmed: 'Confirmed.',
  }
  const again = (visit: Visit, { error }: Filled) =>
    render({ ...visit, frame: { ...visit.frame, notice: { kind: 'failed' as const, text: error?.text ?? '' } } })
  /** Only what is one's own: trying things out must not touch what others try. */
  const ownId = async ({ accountId: owner, params }: Visit, given = params.id!) =>
    (await getOwn(ctx, given, { owner })).checkout.id

  door.page({ path: '/developer', play: true, done }, (visit) => render(visit))
  door.form({
    path: '/developer/pay',
    play: true,
    section,
    async run(visit, fields) {
      const id = await ownId(visit, fields.get('id')).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
        throw new AppError(error.code, error.message, { body: { field: 'id' } })
      })
      await payCheckout(ctx, ledger, { id, way: readWay({ way: fields.get('way') }), plan: undefined })
      return { to: `/dashboard/checkouts/${id}?done=paid` }
    },
    again: (visit, paying) => render(visit, { paying }),
  })
  door.form({
    path: '/developer/fund',
    play: true,
    section,
    async run(_visit, fields) {
      await fundAddress(ctx, ledger, readFunding(fields.typed()))
      return { to: '/dashboard/developer?done=funded' }
    },
    again: (visit, funding) => render(visit, { funding }),
  })
  door.form({
    path: '/developer/hold',
    play: true,
    section,
    run() {
      ledger.hold()
      return Promise.resolve({ to: '/dashboard/developer?done=held' })
    },
    again,
  })
  door.form({
    path: '/developer/confirm',
    play: true,
    section,
    async run(_visit, fields) {
      const hash = readBlockHash({ hash: fields.get('hash') })
      await (hash === undefined ? ledger.release() : ledger.confirm(hash))
      return { to: '/dashboard/developer?done=confirmed' }
    },
    again,
  })
  door.form({
    path: '/developer/checkouts/:id/:what',
    play: true,
    section: '/checkouts',
    async run(visit, _fields) {
      const id = await ownId(visit)
      const { what = '' } = visit.params
      if (what === 'expire') await expireCheckout(ctx, id)
      else await payCheckout(ctx, ledger, { id, way: readWay({ way: what }), plan: undefined })
      return { to: `/dashboard/checkouts/${id}?done=${what === 'expire' ? 'ended' : 'paid'}` }
    },
    again,
  })
}

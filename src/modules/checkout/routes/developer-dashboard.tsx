import { AppError } from '../../../kernel/errors.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { DevelopmentLedger } from '../../../kernel/ports.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import type { CheckoutContext } from '../context.ts'
import { expireCheckout, fundAddress, payCheckout, readBlockHash, readFunding, readWay } from '../developer.ts'
import { getOwn } from '../domain/show.ts'
import { DeveloperPage } from '../pages/developer-page.tsx'

const SHOWN_MAX = 100

interface DeveloperPorts {
  checkouts: CheckoutContext
  /** Undefined with real nodes, where these pages do not exist. */
  ledger: DevelopmentLedger | undefined
}

const DONE = {
  funded: 'Nano sent.',
  held: 'New blocks are now held unconfirmed.',
  confirmed: 'Confirmed.',
}

/** Pages that pay, fund and confirm by hand, on the development ledger only. */
export function developerPages({ checkouts: ctx, ledger }: DeveloperPorts): readonly (Page | Form)[] {
  if (!ledger) return []
  const render = async ({ frame }: PageRequest, filled: { paying?: FormState; funding?: FormState } = {}) => (
    <DeveloperPage
      frame={frame}
      paying={filled.paying ?? EMPTY}
      funding={filled.funding ?? EMPTY}
      holds={ledger.holds}
      waiting={ledger.listWaiting().slice(0, SHOWN_MAX)}
    />
  )
  const again = (request: PageRequest, { error }: FormState) =>
    render({ ...request, frame: { ...request.frame, notice: { kind: 'failed', text: error?.text ?? '' } } })
  const placed = { access: 'developer', permission: 'integration', section: '/developer', again } as const
  return [
    {
      path: '/developer',
      permission: 'integration',
      access: 'developer',
      done: DONE,
      menu: { title: 'Try it', group: 'developers', order: 100, guide: 'devnet#inside-a-gateway' },
      render: (request) => render(request),
    },
    {
      ...placed,
      path: '/developer/pay',
      async run(request, fields) {
        const id = await ownId(ctx, request, fields.get('id')).catch(besideTheId)
        await payCheckout(ctx, ledger, { id, way: readWay({ way: fields.get('way') }), plan: undefined })
        return { to: `/dashboard/checkouts/${id}?done=paid` }
      },
      again: (request, paying) => render(request, { paying }),
    },
    {
      ...placed,
      path: '/developer/fund',
      async run(_request, fields) {
        await fundAddress(ctx, ledger, readFunding(fields.typed()))
        return { to: '/dashboard/developer?done=funded' }
      },
      again: (request, funding) => render(request, { funding }),
    },
    {
      ...placed,
      path: '/developer/hold',
      run() {
        ledger.hold()
        return Promise.resolve({ to: '/dashboard/developer?done=held' })
      },
    },
    {
      ...placed,
      path: '/developer/confirm',
      async run(_request, fields) {
        const hash = readBlockHash({ hash: fields.get('hash') })
        await (hash === undefined ? ledger.release() : ledger.confirm(hash))
        return { to: '/dashboard/developer?done=confirmed' }
      },
    },
    {
      ...placed,
      path: '/developer/checkouts/:id/:what',
      section: '/checkouts',
      async run(request) {
        const id = await ownId(ctx, request)
        const { what = '' } = request.params
        if (what === 'expire') await expireCheckout(ctx, id)
        else await payCheckout(ctx, ledger, { id, way: readWay({ way: what }), plan: undefined })
        return { to: `/dashboard/checkouts/${id}?done=${what === 'expire' ? 'ended' : 'paid'}` }
      },
    },
  ]
}

/** Only own checkouts, so that developers do not disturb each other's tests. */
async function ownId(
  ctx: CheckoutContext,
  { accountId: owner, params }: PageRequest,
  given = params.id!,
): Promise<string> {
  return (await getOwn(ctx, given, { owner })).checkout.id
}

function besideTheId(error: unknown): never {
  if (!(error instanceof AppError)) throw error
  throw new AppError(error.code, error.message, { body: { field: 'id' } })
}

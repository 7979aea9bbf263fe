import { formatNano } from '../../../kernel/money.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { isFresh } from '../../../kernel/route.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { withAmounts } from '../../../web/dashboard/typed-amount.ts'
import { resolveNames } from '../../names/index.ts'
import { findWallet, listOwnedWallets } from '../../wallets/index.ts'
import { checkoutRefund } from '../actions/checkout-refund.ts'
import { getOwn, paysAccount } from '../domain/show.ts'
import { badField } from '../errors.ts'
import { priceOf } from '../pages/payment-words.ts'
import { REFUND_FIELDS, RefundPage, type RefundSource } from '../pages/refund-page.tsx'
import { listPayers } from '../payments-store.ts'
import { type Checkout, OPEN_STATUSES } from '../record.ts'
import { refundCheckout } from '../refunds/refund.ts'
import { readRefund } from '../refunds/request.ts'
import { refundable } from '../refunds/terms.ts'
import type { CheckoutContext } from '../context.ts'

const WALLETS_SHOWN = 50

/** The page on which a merchant gives money back. It says beforehand what is missing and how to get it. */
export function refundPages(ctx: CheckoutContext): readonly (Page | Form)[] {
  const show = (request: PageRequest, filled: FormState) => refundPage(ctx, request, filled)
  const placed = { path: '/checkouts/:id/refund', section: '/checkouts', permission: 'refunds' } as const
  return [
    { ...placed, degree: 'all', render: (request) => show(request, EMPTY) },
    {
      ...placed,
      proof: true,
      again: show,
      async run({ accountId: owner, params, caller: { rights, actor } }, fields, idempotency) {
        const { checkout } = await getOwn(ctx, params.id!, { owner })
        const { params: named } = await resolveNames(ctx.names, toBody(fields, checkout), checkoutRefund)
        const refund = await refundCheckout(
          ctx,
          { id: checkout.id, owner, actor, rights },
          readRefund(named),
          idempotency,
        )
        return { to: `/dashboard/checkouts/${checkout.id}?done=${refund.as === 'link' ? 'link' : 'refunded'}` }
      },
    },
  ]
}

/** Refuses a value that was typed beside an option that is not chosen: a merchant should not refund more, or elsewhere, than meant. */
function toBody(fields: FormFields, { currency }: Pick<Checkout, 'currency'>): Record<string, unknown> {
  const given = withAmounts(fields.given(REFUND_FIELDS), { amount: 'NANO', fiat_amount: currency })
  const [much, to] = [fields.get('much'), fields.get('to')]
  for (const name of ['amount', 'fiat_amount'] as const)
    if (much === 'all' && given[name] !== undefined)
      throw badField(name, 'Choose “A part”, or leave the amount empty.', 'invalid_amount')
  if (to !== '' && to !== 'address' && given.address !== undefined)
    throw badField('address', 'Choose “Another address”, or leave it empty.', 'invalid_account')
  return {
    ...given,
    ...(to !== '' && { as: to === 'link' ? 'link' : 'send' }),
  }
}

async function refundPage(ctx: CheckoutContext, { frame, params, accountId, caller }: PageRequest, filled: FormState) {
  const { db, ports, clock } = ctx
  const { checkout, buyer } = await getOwn(ctx, params.id!, { owner: accountId })
  const refundableRaw = refundable(checkout)
  const [payer, ...others] = await listPayers(db, checkout.id, 2)
  const price = priceOf({ ...checkout, additional: checkout.additional })
  const isWhole = checkout.status === 'complete' && checkout.refundedRaw === 0n && checkout.currency !== 'NANO'
  const isLate = buyer?.givenBy === 'afterwards'
  return (
    <RefundPage
      frame={frame}
      filled={filled}
      checkout={{ ...checkout, isOpen: OPEN_STATUSES.some((status) => status === checkout.status) }}
      paid={price ?? `${formatNano(checkout.paidRaw)} nano`}
      refundableRaw={refundableRaw}
      wasPaidElsewhere={!(await paysAccount(ctx, checkout))}
      worth={isWhole ? price : undefined}
      sources={await sourcesOf(ctx, checkout)}
      payer={others.length > 0 ? undefined : payer}
      isExchange={payer !== undefined && ports.isExchange(payer)}
      mailedTo={isLate ? undefined : (buyer?.email ?? undefined)}
      isFresh={isFresh(caller, { now: clock.now(), devnet: frame.devnet })}
    />
  )
}

/** The wallets that can pay: the one that was paid first, as the refund itself chooses it. */
async function sourcesOf({ db }: CheckoutContext, checkout: Checkout): Promise<RefundSource[]> {
  const { owner, walletId, merchantAddress } = checkout
  const own = walletId === null ? undefined : await findWallet(db, walletId)
  const holder: RefundSource[] =
    own?.status === 'active'
      ? [{ value: '', name: 'The wallet of this payment', address: own.address, balanceRaw: own.balance }]
      : []
  const wallets = (await listOwnedWallets(db, owner, WALLETS_SHOWN)).filter(({ frozenAt }) => frozenAt === null)
  const others = wallets.map(({ address, balance }) => {
    const wasPaid = holder.length === 0 && address === merchantAddress
    return {
      value: wasPaid ? '' : address,
      name: wasPaid ? 'The wallet that was paid' : `${address.slice(0, 12)}…${address.slice(-6)}`,
      address,
      balanceRaw: balance,
    }
  })
  return [...holder, ...others.sort((one, other) => Number(other.value === '') - Number(one.value === ''))]
}

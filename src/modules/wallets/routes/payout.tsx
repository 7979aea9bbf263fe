import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { Names } from '../../../kernel/ports.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { findPayout } from '../../accounts/index.ts'
import { choosePayout } from '../domain/choose-payout.ts'
import { PayoutPage } from '../pages/payout-page.tsx'
import type { WalletContext } from '../context.ts'
import { findWalletByAddress } from '../store.ts'

export interface PayoutPorts {
  wallets: WalletContext
  names: Names
}

/** Pages that set where the money of an account goes. */
export function payoutPages({ wallets: ctx, names }: PayoutPorts): readonly (Page | Form)[] {
  const { db } = ctx.store
  const show = async ({ frame, accountId }: PageRequest, filled: FormState) => {
    const address = await findPayout(db, accountId)
    const wallet = address === null ? undefined : await findWalletByAddress(db, address)
    const isWallet = wallet?.accountId === accountId
    return <PayoutPage frame={frame} filled={filled} address={address} isWallet={isWallet} />
  }
  return [
    {
      path: '/payout',
      permission: 'wallets:read',
      menu: { title: 'Where it goes', group: 'money', order: 10, guide: 'merchants#where-the-money-goes' },
      done: { saved: 'Saved. New payments go there.' },
      render: (request) => show(request, EMPTY),
    },
    {
      path: '/payout',
      permission: 'wallets:send',
      proof: true,
      again: show,
      async run({ accountId, caller: { actor } }, fields, idempotency) {
        const address = fields.get('to') === 'wallet' ? undefined : fields.get('address')
        await choosePayout(ctx, names, { accountId, actor, address, idempotency })
        return { to: fields.get('from') === 'home' ? '/dashboard?done=payout' : '/dashboard/payout?done=saved' }
      },
    },
  ]
}

import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { Names } from '../../../kernel/ports.ts'
import { requireUnbound } from '../../../kernel/rights.ts'
import type { Route } from '../../../kernel/route.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { findPayout } from '../../accounts/index.ts'
import { choosePayout } from '../domain/choose-payout.ts'
import { PayoutPage } from '../pages/payout-page.tsx'
import type { WalletContext } from '../context.ts'
import { findWalletByAddress } from '../store.ts'

interface PayoutPorts {
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

/** The same for programs. A key with limits may only read the address, because changing it redirects all money. */
export function payoutRoutes({ wallets: ctx, names }: PayoutPorts): readonly Route[] {
  const path = '/api/account/payout'
  const show = async (accountId: string) => ({ json: { address: await findPayout(ctx.store.db, accountId) } })
  return [
    { method: 'GET', path, access: 'account', scope: 'checkout', run: ({ caller }) => show(caller.accountId) },
    {
      method: 'PUT',
      path,
      access: 'account',
      scope: 'checkout',
      proof: true,
      async run({ caller, body, once }) {
        requireUnbound(caller)
        const { accountId, actor } = caller
        const { address, wallet } = body('needed')
        const own = given(address)
        const wish = wallet === true && own === undefined ? undefined : typeof own === 'string' ? own.trim() : ''
        const json = await once('payout', async (idempotency) => {
          await choosePayout(ctx, names, { accountId, actor, address: wish, idempotency })
          return (await show(accountId)).json
        })
        return { json }
      },
    },
  ]
}

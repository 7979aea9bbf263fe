import { toPaymentUri } from '../../../kernel/nano/payment-uri.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { Names } from '../../../kernel/ports.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import type { WalletContext } from '../context.ts'
import { createWallet, listWallets } from '../domain/wallets.ts'
import { receiveDeposits } from '../domain/receive.ts'
import { listBlocks } from '../outbox-store.ts'
import { LIFETIMES, WalletPage, WalletsPage } from '../pages/wallets-page.tsx'
import { readRefundAddress } from '../refund-addresses.ts'
import { getOwn, readLedger, sendPages } from './send.tsx'

const LISTED_MAX = 1_000
const BLOCKS_MAX = 100
const NAME_MAX = 100
const DAY = 86_400_000

interface WalletPagesPorts {
  wallets: WalletContext
  names: Names
  /** Link to a block in an explorer. */
  blockLink(hash: string): string
}

/** Pages that make and show cloud wallets and receive their deposits; sends have pages of their own. */
export function walletPages({ wallets: ctx, names, blockLink }: WalletPagesPorts): readonly (Page | Form)[] {
  const { db } = ctx.store
  const section = '/wallets'
  const list = async ({ frame, accountId }: PageRequest, filled: FormState) => {
    const filter = { limit: LISTED_MAX, start: 0, search: undefined, metadata: undefined }
    return <WalletsPage frame={frame} filled={filled} wallets={await listWallets(ctx, accountId, filter)} />
  }
  const detail = async ({ frame, accountId, params }: PageRequest, filled: FormState) => {
    const wallet = await getOwn(db, accountId, params.address!)
    return (
      <WalletPage
        frame={frame}
        filled={filled}
        wallet={wallet}
        ledger={await readLedger(ctx, wallet)}
        qrcode={ctx.qrPng(toPaymentUri({ address: wallet.address }))}
        blocks={await listBlocks(db, wallet.id, BLOCKS_MAX)}
        blockLink={blockLink}
      />
    )
  }
  const done = {
    made: 'Wallet created.',
    received: 'Pending payments received.',
    nothing: 'No pending payments.',
    sent: 'Payment sent.',
  }
  return [
    ...sendPages({ wallets: ctx, names }),
    {
      path: '/wallets',
      permission: 'wallets:read',
      menu: { title: 'Wallets', group: 'money', order: 20, guide: 'wallets' },
      render: (request) => list(request, EMPTY),
    },
    {
      path: '/wallets',
      permission: 'wallets:send',
      again: list,
      async run({ accountId, caller: { actor } }, fields, idempotency) {
        const refund = fields.get('refund_address')
        const name = fields.get('name').slice(0, NAME_MAX)
        const days = LIFETIMES.find(([value]) => value === fields.get('lifetime'))?.[0] ?? LIFETIMES[0][0]
        const { address } = await createWallet(ctx, {
          accountId,
          actor,
          purpose: 'cloud',
          lifetimeMilliseconds: Number(days) * DAY,
          ...(refund !== '' && { refundAddress: await readRefundAddress(names, refund) }),
          ...(name !== '' && { metadata: { name } }),
          idempotency,
        })
        return { to: `/dashboard/wallets/${address}?done=made` }
      },
    },
    {
      path: '/wallets/:address',
      permission: 'wallets:read',
      section,
      done,
      render: (request) => detail(request, EMPTY),
    },
    {
      path: '/wallets/:address/receive',
      permission: 'wallets:send',
      section,
      again: detail,
      async run({ accountId, params }, _fields, idempotency) {
        const wallet = await getOwn(db, accountId, params.address!)
        const received = await receiveDeposits(ctx, wallet, idempotency)
        return { to: `/dashboard/wallets/${wallet.address}?done=${received.length > 0 ? 'received' : 'nothing'}` }
      },
    },
  ]
}

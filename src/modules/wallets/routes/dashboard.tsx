import { AppError } from '../../../kernel/errors.ts'
import { toPaymentUri } from '../../../kernel/nano/payment-uri.ts'
import type { Names } from '../../../kernel/ports.ts'
import type { Db } from '../../../kernel/db.ts'
import {
  type Wallet,
  type WalletCtx,
  createWallet,
  getOwnedWallet,
  listBlocks,
  listWallets,
  readBalance,
  readRefundAddress,
  receiveDeposits,
} from '../index.ts'
import { EMPTY, type Filled } from '../../../web/dashboard/form.tsx'
import { LIFETIMES, WalletPage, WalletsPage } from '../pages/wallets-page.tsx'
import type { Door, Visit } from '../../../http/dashboard.tsx'

const LISTED_MAX = 1_000
const BLOCKS_MAX = 100
const NAME_MAX = 100
const DAY = 86_400_000

export interface WalletsOptions {
  wallets: WalletCtx
  names: Names
  /** Where a block can be looked at. */
  blockLink(hash: string): string
}

/** Cloud wallets: made, looked at, and their deposits received. Sending stays with programs, which hold a key. */
export function mountWallets(door: Door, { wallets: ctx, names, blockLink }: WalletsOptions): void {
  const { db } = ctx.store
  const list = async ({ frame, accountId }: Visit, filled: Filled) => {
    const filter = { limit: LISTED_MAX, start: 0, search: undefined, metadata: undefined }
    return <WalletsPage frame={frame} filled={filled} wallets={await listWallets(ctx, accountId, filter)} />
  }
  door.page({ path: '/wallets' }, (visit) => list(visit, EMPTY))
  door.form({
    path: '/wallets',
    again: list,
    async run({ accountId }, fields, deed) {
      const refund = fields.get('refund_address')
      const name = fields.get('name').slice(0, NAME_MAX)
      const days = LIFETIMES.find(([value]) => value === fields.get('lifetime'))?.[0] ?? LIFETIMES[0][0]
      const { address } = await createWallet(ctx, {
        accountId,
        purpose: 'cloud',
        lifetimeMilliseconds: Number(days) * DAY,
        ...(refund !== '' && { refundAddress: await readRefundAddress(names, refund) }),
        ...(name !== '' && { metadata: { name } }),
        deed,
      })
      return { to: `/dashboard/wallets/${address}?done=made` }
    },
  })

  const done = {
    made: 'The wallet is made.',
    received: 'What was waiting is received.',
    nothing: 'Nothing was waiting.',
  }
  const detail = async ({ frame, accountId, params }: Visit, filled: Filled) => {
    const wallet = await getOwn(db, accountId, params.address!)
    return (
      <WalletPage
        frame={frame}
        filled={filled}
        wallet={wallet}
        ledger={await readLedger(ctx, wallet)}
        qrcode={ctx.custody.qrPng(toPaymentUri({ address: wallet.address }))}
        blocks={await listBlocks(db, wallet.id, BLOCKS_MAX)}
        blockLink={blockLink}
      />
    )
  }
  door.page({ path: '/wallets/:address', section: '/wallets', done }, (visit) => detail(visit, EMPTY))
  door.form({
    path: '/wallets/:address/receive',
    section: '/wallets',
    again: detail,
    async run({ accountId, params }, _fields, deed) {
      const wallet = await getOwn(db, accountId, params.address!)
      const received = await receiveDeposits(ctx, wallet, deed)
      return { to: `/dashboard/wallets/${wallet.address}?done=${received.length > 0 ? 'received' : 'nothing'}` }
    },
  })
}

/** A page that is not there is 404, also where it belongs to another account. */
async function getOwn(db: Db, accountId: string, address: string): Promise<Wallet> {
  try {
    return await getOwnedWallet(db, accountId, address)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'wallet_not_found') throw error
    throw new AppError('not_found', error.message)
  }
}

/** What it holds now. A node that is away takes nothing from the page but this. */
async function readLedger(ctx: WalletCtx, wallet: Wallet) {
  try {
    return await readBalance(ctx, wallet)
  } catch {
    // The page says that it is not known; the way to the node has told why.
    return undefined
  }
}

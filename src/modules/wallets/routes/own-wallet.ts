import type { Db } from '../../../kernel/db.ts'
import { AppError } from '../../../kernel/errors.ts'
import { getOwnedWallet } from '../domain/owned-wallet.ts'
import { type Balance, readBalance } from '../domain/read-balance.ts'
import type { WalletRoom } from '../room.ts'
import type { Wallet } from '../store.ts'

/** A page that is not there is 404, also where it belongs to another account. */
export async function getOwn(db: Db, accountId: string, address: string): Promise<Wallet> {
  try {
    return await getOwnedWallet(db, accountId, address)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'wallet_not_found') throw error
    throw new AppError('not_found', error.message)
  }
}

/** What it holds now. A node that is away takes nothing from the page but this. */
export async function readLedger(ctx: WalletRoom, wallet: Wallet): Promise<Balance | undefined> {
  try {
    return await readBalance(ctx, wallet)
  } catch {
    // The page says that it is not known; the way to the node has told why.
    return undefined
  }
}

/** What its owner calls it. */
export const nameOf = ({ metadata }: Pick<Wallet, 'metadata'>) =>
  typeof metadata?.name === 'string' ? metadata.name : undefined
